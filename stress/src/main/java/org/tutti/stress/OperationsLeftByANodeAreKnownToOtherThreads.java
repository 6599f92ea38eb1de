/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJ_Result;
import org.tutti.memory.Words;

/**
 * Shows the same as {@link ClosedOperationsAreKnownToOtherThreads} for the operations that single nodes have left. Two
 * threads may make the table of these at the same time; it is made once, and has all that either thread has learned.
 */
@JCStressTest
@State
@Outcome(id = "0, [01], 1, 1", expect = Expect.ACCEPTABLE, desc = "read before it was written, and nothing forgotten")
@Outcome(expect = Expect.FORBIDDEN, desc = "the next operation's bytes were read, or what was learned is lost")
public class OperationsLeftByANodeAreKnownToOtherThreads {
    private static final int NODES = 3;

    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);
    private final OpenSequence operations = new OpenSequence(lines.writer(), TwoLines.LEFT, NODES);

    @Actor
    public void look(JJJJ_Result result) {
        result.r1 = Words.loadPlain(lines.reader(), TwoLines.NEAR);
        operations.raiseLeftElsewhere(1, 1);
    }

    @Actor
    public void write(JJJJ_Result result) {
        operations.raiseLeftElsewhere(2, 1);
        result.r2 = operations.leftElsewhere(1);
        if (result.r2 == 1) {
            Words.storePlain(lines.writer(), TwoLines.NEAR, 1);
        }
    }

    @Arbiter
    public void finish(JJJJ_Result result) {
        result.r3 = operations.leftElsewhere(1);
        result.r4 = operations.leftElsewhere(2);
        TwoLines.NATIVE.give(lines);
    }
}
