/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Shows that a rank's stores before a barrier are visible to the other rank after it, in both directions: first with a
 * barrier without a master, then with a barrier with one.
 */
@JCStressTest
@State
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "both saw what the other had done")
@Outcome(expect = Expect.FORBIDDEN, desc = "one passed a barrier and saw an old value")
public class BarrierPublishesWhatWasDoneBefore {
    private final Pair pair = Pair.POOL.take();
    private int doneByFirst;
    private int doneBySecond;
    private int doneByFirstThen;
    private int doneBySecondThen;

    @Actor
    public void first(IIII_Result result) {
        doneByFirst = 1;
        pair.flatBarrier(0);
        result.r1 = doneBySecond;
        doneByFirstThen = 1;
        pair.srmBarrier(0);
        result.r2 = doneBySecondThen;
    }

    @Actor
    public void second(IIII_Result result) {
        doneBySecond = 1;
        pair.flatBarrier(1);
        result.r3 = doneByFirst;
        doneBySecondThen = 1;
        pair.srmBarrier(1);
        result.r4 = doneByFirstThen;
    }

    @Arbiter
    public void finish() {
        Pair.POOL.give(pair);
    }
}
