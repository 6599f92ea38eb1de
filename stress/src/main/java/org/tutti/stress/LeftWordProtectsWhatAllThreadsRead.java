/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.tutti.memory.Words;

/**
 * Shows that the left word covers the operations of all threads of a rank, whichever thread ends first and whichever
 * stores the word: a thread that sees both operations left may write to the memory of either.
 */
@JCStressTest
@State
@Outcome(id = "0, 0, 2", expect = Expect.ACCEPTABLE, desc = "both were read before they were written, and are left")
@Outcome(expect = Expect.FORBIDDEN, desc = "a later operation's bytes were read, or an operation is not left")
public class LeftWordProtectsWhatAllThreadsRead {
    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);
    private final OpenSequence operations = new OpenSequence(lines.writer(), TwoLines.LEFT, 1);

    @Actor
    public void first(JJJ_Result result) {
        result.r1 = Words.loadPlain(lines.reader(), TwoLines.NEAR);
        operations.leave(0);
        writeIfLeft(TwoLines.FAR);
    }

    @Actor
    public void second(JJJ_Result result) {
        result.r2 = Words.loadPlain(lines.reader(), TwoLines.FAR);
        operations.leave(1);
        writeIfLeft(TwoLines.NEAR);
    }

    private void writeIfLeft(long cell) {
        if (Words.load(lines.writer(), TwoLines.LEFT) == 2) {
            Words.storePlain(lines.writer(), cell, 1);
        }
    }

    @Arbiter
    public void finish(JJJ_Result result) {
        result.r3 = Words.load(lines.writer(), TwoLines.LEFT);
        TwoLines.NATIVE.give(lines);
    }
}
