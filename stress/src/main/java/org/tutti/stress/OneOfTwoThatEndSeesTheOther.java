/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tutti.memory.Words;

/**
 * Shows that when two ranks each store the fingerprint of their calls, perform a full fence, and read the fingerprint
 * of the other one, at least one rank sees the other's, as {@link org.tutti.collective.communicator.LastCalls} needs.
 */
@JCStressTest
@State
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "neither has seen the other")
@Outcome(id = {"7, 0", "0, 7", "7, 7"}, expect = Expect.ACCEPTABLE, desc = "one of them has, or both")
@Outcome(expect = Expect.FORBIDDEN, desc = "a word was seen, but a stale fingerprint")
public class OneOfTwoThatEndSeesTheOther {
    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);

    @Actor
    public void first(JJ_Result result) {
        result.r1 = end(lines.writer(), TwoLines.READY, TwoLines.LEFT);
    }

    @Actor
    public void second(JJ_Result result) {
        result.r2 = end(lines.reader(), TwoLines.LEFT, TwoLines.READY);
    }

    private static long end(MemorySegment memory, long own, long other) {
        Words.storePlain(memory, own + Long.BYTES, 7);
        Words.store(memory, own, 1);
        VarHandle.fullFence();
        return Words.load(memory, other) == 0 ? 0 : Words.loadPlain(memory, other + Long.BYTES) == 7 ? 7 : -1;
    }

    @Arbiter
    public void finish() {
        TwoLines.NATIVE.give(lines);
    }
}
