/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Shows that the contributions of one allreduce after the other cross in both directions without being mixed up. */
@JCStressTest
@State
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "every sum was right at both ranks")
@Outcome(expect = Expect.FORBIDDEN, desc = "so many sums were wrong")
public class AllreducesInFlightStayApart {
    private static final int OPERATIONS = 3;

    private final Pair pair = Pair.POOL.take();
    private final long first = pair.reserve(OPERATIONS);

    @Actor
    public void first(JJ_Result result) {
        result.r1 = wrongSums(0);
    }

    @Actor
    public void second(JJ_Result result) {
        result.r2 = wrongSums(1);
    }

    private long wrongSums(int rank) {
        long wrong = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            if (pair.sum(rank, (rank + 1) * (first + i)) != 3 * (first + i)) {
                wrong++;
            }
        }
        return wrong;
    }

    @Arbiter
    public void finish() {
        Pair.POOL.give(pair);
    }
}
