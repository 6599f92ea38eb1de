/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tutti.memory.Words;

/**
 * Shows that a thread may write to memory of an operation that its rank's operation sequence says is closed, although
 * another thread has found this out: all that happened before the other thread looked happens before the write.
 */
@JCStressTest
@State
@Outcome(id = "0, [01]", expect = Expect.ACCEPTABLE, desc = "what was read is what was there before")
@Outcome(expect = Expect.FORBIDDEN, desc = "the next operation's bytes were read")
public class ClosedOperationsAreKnownToOtherThreads {
    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);
    private final OpenSequence operations = new OpenSequence(lines.writer(), TwoLines.LEFT, 1);

    @Actor
    public void look(JJ_Result result) {
        result.r1 = Words.loadPlain(lines.reader(), TwoLines.NEAR);
        operations.setClosed(1);
    }

    @Actor
    public void write(JJ_Result result) {
        result.r2 = operations.closed();
        if (result.r2 == 1) {
            Words.storePlain(lines.writer(), TwoLines.NEAR, 1);
        }
    }

    @Arbiter
    public void finish() {
        TwoLines.NATIVE.give(lines);
    }
}
