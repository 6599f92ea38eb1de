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
 * Shows that when two threads add to a word, the second one reads the payload that the first one stored before, and
 * that no addition is lost.
 */
@JCStressTest
@State
@Outcome(id = "0, 7, 2", expect = Expect.ACCEPTABLE, desc = "the reader added second, and saw the payload")
@Outcome(id = "1, 0, 2", expect = Expect.ACCEPTABLE, desc = "the reader added first")
@Outcome(expect = Expect.FORBIDDEN, desc = "an addition was lost, or the payload was stale")
public class AddPublishesPayload {
    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);

    @Actor
    public void write(JJJ_Result result) {
        Words.storePlain(lines.writer(), TwoLines.FAR, 7);
        result.r1 = Words.add(lines.writer(), TwoLines.READY, 1);
    }

    @Actor
    public void read(JJJ_Result result) {
        if (Words.add(lines.reader(), TwoLines.READY, 1) == 1) {
            result.r2 = Words.loadPlain(lines.reader(), TwoLines.FAR);
        }
    }

    @Arbiter
    public void finish(JJJ_Result result) {
        result.r3 = Words.load(lines.writer(), TwoLines.READY);
        TwoLines.NATIVE.give(lines);
    }
}
