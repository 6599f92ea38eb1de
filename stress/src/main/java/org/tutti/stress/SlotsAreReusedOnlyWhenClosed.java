/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;
import org.tutti.collective.layout.RingLayout;

/**
 * Shows that a root that runs ahead through more operations than there are slots never overwrites a slot that the
 * receiver still reads.
 */
@JCStressTest
@State
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "every operation brought its own number")
@Outcome(expect = Expect.FORBIDDEN, desc = "so many operations brought another one's number")
public class SlotsAreReusedOnlyWhenClosed {
    private static final int OPERATIONS = 2 * RingLayout.SLOTS_MIN + 3;

    private final Pair pair = Pair.POOL.take();
    private final long first = pair.reserve(OPERATIONS);

    @Actor
    public void send() {
        for (int i = 0; i < OPERATIONS; i++) {
            pair.send(first + i, 1);
        }
    }

    @Actor
    public void receive(J_Result result) {
        for (int i = 0; i < OPERATIONS; i++) {
            if (pair.receive(1) != first + i) {
                result.r1++;
            }
        }
    }

    @Arbiter
    public void finish() {
        Pair.POOL.give(pair);
    }
}
