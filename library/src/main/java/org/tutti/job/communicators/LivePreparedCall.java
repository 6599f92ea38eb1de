/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.concurrent.atomic.AtomicBoolean;

import org.tutti.PreparedCall;
import org.tutti.Request;
import org.tutti.collective.Call;

/**
 * A prepared call, which keeps its arguments for any number of runs, one at a time. Each run sets {@code inFlight} when
 * it begins, and clears it when it ends. Clearing it publishes the call's state to the thread that sets it next.
 */
final class LivePreparedCall implements PreparedCall {
    private final CommunicatorCalls calls;
    private final Call call;
    private final Runnable beforehand;
    private final Runnable afterwards;
    private final AtomicBoolean inFlight = new AtomicBoolean();

    LivePreparedCall(CommunicatorCalls calls, Call call, Runnable beforehand, Runnable afterwards) {
        this.calls = calls;
        this.call = call;
        this.beforehand = beforehand;
        this.afterwards = afterwards;
    }

    private void take() {
        if (!inFlight.compareAndSet(false, true)) {
            throw new IllegalStateException(calls.describe() + " called " + call.collective().label()
                    + " by a prepared call that is in flight; await it first, or prepare another one");
        }
    }

    private void putBack() {
        inFlight.set(false);
    }

    @Override
    public void run() {
        take();
        try {
            beforehand.run();
            calls.runKept(call);
            afterwards.run();
        } finally {
            putBack();
        }
    }

    @Override
    public Request start() {
        take();
        try {
            beforehand.run();
            return calls.startKept(call, afterwards, this::putBack);
        } catch (Throwable refusal) {
            putBack();
            throw refusal;
        }
    }
}
