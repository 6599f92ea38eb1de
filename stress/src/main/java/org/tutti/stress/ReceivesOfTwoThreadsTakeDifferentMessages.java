/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Two threads of a rank receive at once. Each of two messages is received by one of them. */
@JCStressTest
@State
@Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE, desc = "each message once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a message twice, or the bytes of another message")
public class ReceivesOfTwoThreadsTakeDifferentMessages {
    private static final int COUNT = 3;

    private final MessagePair pair = MessagePair.POOL.take();
    private final long first = pair.reserve(2);

    /** jcstress leaves out tests with more actors than cores, so the messages are there before. */
    public ReceivesOfTwoThreadsTakeDifferentMessages() {
        pair.send(first, COUNT);
        pair.send(first + 1, COUNT);
    }

    @Actor
    public void receive(JJ_Result result) {
        result.r1 = pair.receive(COUNT) - first;
    }

    @Actor
    public void receiveToo(JJ_Result result) {
        result.r2 = pair.receive(COUNT) - first;
    }

    @Arbiter
    public void finish() {
        MessagePair.POOL.give(pair);
    }
}
