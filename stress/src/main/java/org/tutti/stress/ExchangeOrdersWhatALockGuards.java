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
 * Shows that a lock, taken with a compare-and-exchange and released with another one, guards plain loads and stores:
 * two threads add to a sum in the lock's line and to a sum in another line.
 */
@JCStressTest
@State
@Outcome(id = "5, 5", expect = Expect.ACCEPTABLE, desc = "both additions are there")
@Outcome(expect = Expect.FORBIDDEN, desc = "one was lost")
public class ExchangeOrdersWhatALockGuards {
    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);

    @Actor
    public void first() {
        addUnderLock(2);
    }

    @Actor
    public void second() {
        addUnderLock(3);
    }

    private void addUnderLock(long increment) {
        while (Words.compareAndExchange(lines.writer(), TwoLines.READY, 0, increment) != 0) {
            Thread.onSpinWait();
        }
        Words.storePlain(lines.writer(), TwoLines.NEAR, Words.loadPlain(lines.writer(), TwoLines.NEAR) + increment);
        Words.storePlain(lines.writer(), TwoLines.FAR, Words.loadPlain(lines.writer(), TwoLines.FAR) + increment);
        Words.compareAndExchange(lines.writer(), TwoLines.READY, increment, 0);
    }

    @Arbiter
    public void finish(JJ_Result result) {
        result.r1 = Words.loadPlain(lines.writer(), TwoLines.NEAR);
        result.r2 = Words.loadPlain(lines.writer(), TwoLines.FAR);
        TwoLines.NATIVE.give(lines);
    }
}
