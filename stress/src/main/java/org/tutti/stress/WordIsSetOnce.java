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
 * Shows that when two threads set a word that may be set once, such as the node's first failure, exactly one succeeds.
 */
@JCStressTest
@State
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "the first actor set it")
@Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "the second actor set it")
@Outcome(expect = Expect.FORBIDDEN, desc = "both, none, or the wrong value")
public class WordIsSetOnce {
    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);

    @Actor
    public void first(JJJ_Result result) {
        result.r1 = Words.compareAndSet(lines.writer(), TwoLines.READY, 0, 1) ? 1 : 0;
    }

    @Actor
    public void second(JJJ_Result result) {
        result.r2 = Words.compareAndSet(lines.reader(), TwoLines.READY, 0, 2) ? 1 : 0;
    }

    @Arbiter
    public void finish(JJJ_Result result) {
        result.r3 = Words.load(lines.writer(), TwoLines.READY);
        TwoLines.NATIVE.give(lines);
    }
}
