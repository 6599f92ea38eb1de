/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.ScriptedMembers;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CallCheckTest {
    private static final int LEAVER = 1;

    private final ScriptedMembers members = new ScriptedMembers();
    private final CallCheck check = new CallCheck(members, 0);

    @BeforeEach
    void leave() {
        members.leave(LEAVER);
    }

    @Test
    void shouldEndAGetFromARankThatHasLeft() {
        check.begin("get", LEAVER, Long.MAX_VALUE);
        assertThatThrownBy(check::check).hasMessage("rank 1 has left the job");
    }

    @Test
    void shouldLetAFenceGoOnUntilTheFabricKnowsWhatTheLeaverHad() {
        check.beginFence("fence", LEAVER, Long.MAX_VALUE);
        assertThatCode(check::check).doesNotThrowAnyException();
        check.requireThere(true);
        assertThatThrownBy(() -> check.requireThere(false)).hasMessage("rank 1 has left the job");
        members.fail(2);
        assertThatThrownBy(check::check).hasMessage("rank 2 failed");
    }
}
