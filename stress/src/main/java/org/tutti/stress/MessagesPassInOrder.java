/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Messages through a slot and through the ring of bytes are received whole, and in the order of sending. */
@JCStressTest
@State
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the messages in the order of sending")
@Outcome(expect = Expect.FORBIDDEN, desc = "another order, or the bytes of another message")
public class MessagesPassInOrder {
    private static final int SHORT = 3;
    private static final int LONG = 100;

    private final MessagePair pair = MessagePair.POOL.take();
    private final long first = pair.reserve(2);

    @Actor
    public void send() {
        pair.send(first, SHORT);
        pair.send(first + 1, LONG);
    }

    @Actor
    public void receive(JJ_Result result) {
        result.r1 = pair.receive(SHORT) - first;
        result.r2 = pair.receive(LONG) - first;
    }

    @Arbiter
    public void finish() {
        MessagePair.POOL.give(pair);
    }
}
