/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * Shows that several broadcasts in flight keep their windows apart. The windows lie in a ring of the root that is used
 * again and again.
 */
@JCStressTest
@State
@Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "every operation brought its own number")
@Outcome(expect = Expect.FORBIDDEN, desc = "the number of another operation, or of several")
public class WindowsInFlightStayApart {
    private static final int ELEMENTS = 64;

    private final Pair pair = Pair.POOL.take();
    private final long first = pair.reserve(3);

    @Actor
    public void send() {
        pair.send(first, ELEMENTS);
        pair.send(first + 1, ELEMENTS);
        pair.send(first + 2, ELEMENTS);
    }

    @Actor
    public void receive(JJJ_Result result) {
        result.r1 = pair.receive(ELEMENTS) - first;
        result.r2 = pair.receive(ELEMENTS) - first;
        result.r3 = pair.receive(ELEMENTS) - first;
    }

    @Arbiter
    public void finish() {
        Pair.POOL.give(pair);
    }
}
