/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.junit.jupiter.api.Test;
import org.tutti.RankFailedException;

import static org.assertj.core.api.Assertions.assertThat;

/** The text of the broken word about a rank that is gone. */
class BreakageTest {
    private final ScriptedMembers members = new ScriptedMembers();

    private String said(int culprit, int witness) {
        long word = Breakage.word(new RankFailedException(culprit, "gone"), witness, members);
        return Breakage.exception(word, members, "rank 3 cannot go on: ").getMessage();
    }

    @Test
    void shouldSayOfARankThatBrokeItsOwnCallThatItLeft() {
        assertThat(said(1, 1)).endsWith("rank 1, which had left the job");
    }

    @Test
    void shouldTellWhoLeftFromWhoFailed() {
        members.leave(2);
        assertThat(said(2, 1)).endsWith("rank 2, which had left the job");
        assertThat(said(0, 1)).endsWith("rank 0, which had failed");
    }
}
