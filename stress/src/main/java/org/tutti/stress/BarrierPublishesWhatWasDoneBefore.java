/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Shows that what a rank did before a barrier is visible to the other after it, in both directions.
 */
@JCStressTest
@State
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both saw what the other had done")
@Outcome(expect = Expect.FORBIDDEN, desc = "one passed the barrier and saw an old value")
public class BarrierPublishesWhatWasDoneBefore {
    private final Pair pair = Pair.POOL.take();
    private int doneByFirst;
    private int doneBySecond;

    @Actor
    public void first(II_Result result) {
        doneByFirst = 1;
        pair.barrier(0);
        result.r1 = doneBySecond;
    }

    @Actor
    public void second(II_Result result) {
        doneBySecond = 1;
        pair.barrier(1);
        result.r2 = doneByFirst;
    }

    @Arbiter
    public void finish() {
        Pair.POOL.give(pair);
    }
}
