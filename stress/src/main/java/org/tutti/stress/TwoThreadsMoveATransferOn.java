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
import org.tutti.Request;

/** A thread awaits a non-blocking receive of an offered message, and another thread asks for its end. */
@JCStressTest
@State
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "both messages whole, in the order of sending")
@Outcome(expect = Expect.FORBIDDEN, desc = "a lost or changed message")
public class TwoThreadsMoveATransferOn {
    private static final int COUNT = 2000; // an offer

    private final MessagePair pair = MessagePair.POOL.take();
    private final long first = pair.reserve(2);
    private final long[] elements = new long[COUNT];
    private final ReceiveRequest receive = pair.startReceive(elements);
    private final Request send = pair.startSend(first, COUNT); // here, because two cores run no more than two actors
    private final Request sendNext = pair.startSend(first + 1, COUNT);

    @Actor
    public void ask() {
        while (!receive.isDone()) {
            Thread.onSpinWait();
        }
    }

    @Actor
    public void receive(JJ_Result result) {
        receive.await();
        result.r1 = MessagePair.number(elements) - first;
        result.r2 = pair.receive(COUNT) - first;
    }

    @Arbiter
    public void finish() {
        Request.awaitAll(send, sendNext);
        MessagePair.POOL.give(pair);
    }
}
