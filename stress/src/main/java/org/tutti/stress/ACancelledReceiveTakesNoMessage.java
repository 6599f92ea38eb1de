/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tutti.ReceiveRequest;

/**
 * A thread cancels a receive while a message of the node is offered. The message is received, by this receive or by the
 * next one.
 */
@JCStressTest
@State
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the receive has taken the message")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the receive was cancelled, and the next one has taken it")
@Outcome(expect = Expect.FORBIDDEN, desc = "the message is lost, or changed")
public class ACancelledReceiveTakesNoMessage {
    private static final int COUNT = 2000; // an offer

    private final MessagePair pair = MessagePair.POOL.take();
    private final long first = pair.reserve(1);
    private final long[] elements = new long[COUNT];
    private final ReceiveRequest receive = pair.startReceive(elements);

    @Actor
    public void send() {
        pair.send(first, COUNT);
    }

    @Actor
    public void cancel(JJ_Result result) {
        boolean isCancelled = receive.cancel();
        result.r1 = isCancelled ? 1 : 0;
        if (isCancelled) {
            result.r2 = pair.receive(COUNT) - first;
        } else {
            receive.await();
            result.r2 = MessagePair.number(elements) - first;
        }
    }

    @Arbiter
    public void finish() {
        MessagePair.POOL.give(pair);
    }
}
