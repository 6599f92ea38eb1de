/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * Shows the rule of closed operations in its simplest form: a rank that has seen the reader's left word may write to
 * the slot again without changing bytes that the reader still reads.
 */
@JCStressTest
@State
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the payload of the generation that was awaited")
@Outcome(expect = Expect.FORBIDDEN, desc = "the payload of another generation")
public class LeftWordProtectsPayload {
    private static final Waiter WAITER = new Waiter(true);

    private final TwoLines lines = TwoLines.zeroed(TwoLines.NATIVE);

    @Actor
    public void write() {
        write(1);
        WAITER.await(lines.writer(), TwoLines.LEFT, 1, LeftWordProtectsPayload::goOn);
        write(2);
    }

    private void write(long generation) {
        Words.storePlain(lines.writer(), TwoLines.NEAR, generation);
        Words.storePlain(lines.writer(), TwoLines.FAR, generation);
        Words.store(lines.writer(), TwoLines.READY, generation);
    }

    @Actor
    public void read(JJ_Result result) {
        WAITER.await(lines.reader(), TwoLines.READY, 1, LeftWordProtectsPayload::goOn);
        result.r1 = Words.loadPlain(lines.reader(), TwoLines.NEAR);
        result.r2 = Words.loadPlain(lines.reader(), TwoLines.FAR);
        Words.store(lines.reader(), TwoLines.LEFT, 1);
    }

    @Arbiter
    public void finish() {
        TwoLines.NATIVE.give(lines);
    }

    private static void goOn() {}
}
