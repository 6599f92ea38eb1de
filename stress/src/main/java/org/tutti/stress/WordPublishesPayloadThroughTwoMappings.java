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
 * Shows that a word publishes plain bytes also if writer and reader have mapped the file at different addresses, like
 * two processes.
 */
@JCStressTest
@State
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "the word was not yet seen")
@Outcome(id = "1, 7, 7", expect = Expect.ACCEPTABLE, desc = "the word was seen, and so was the payload")
@Outcome(expect = Expect.FORBIDDEN, desc = "the word was seen, but a stale payload")
public class WordPublishesPayloadThroughTwoMappings {
    private final TwoLines lines = TwoLines.zeroed(TwoLines.Mapped.POOL);

    @Actor
    public void write() {
        Words.storePlain(lines.writer(), TwoLines.NEAR, 7);
        Words.storePlain(lines.writer(), TwoLines.FAR, 7);
        Words.store(lines.writer(), TwoLines.READY, 1);
    }

    @Actor
    public void read(JJJ_Result result) {
        result.r1 = Words.load(lines.reader(), TwoLines.READY);
        if (result.r1 == 1) {
            result.r2 = Words.loadPlain(lines.reader(), TwoLines.NEAR);
            result.r3 = Words.loadPlain(lines.reader(), TwoLines.FAR);
        }
    }

    @Arbiter
    public void finish() {
        TwoLines.Mapped.POOL.give(lines);
    }
}
