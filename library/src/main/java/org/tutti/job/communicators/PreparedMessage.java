/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.function.Supplier;

import org.tutti.PreparedCall;
import org.tutti.Request;

/**
 * A prepared send or receive. Each run is a request of its own, and only one is in flight at a time.
 *
 * @param <R> the interface of the requests
 */
class PreparedMessage<R extends Request> implements PreparedCall {
    private final String called;
    private final Supplier<R> starter;
    private R latest;

    /**
     * Creates a prepared message.
     *
     * @param called names the rank and the call, for messages
     * @param starter starts the call
     */
    PreparedMessage(String called, Supplier<R> starter) {
        this.called = called;
        this.starter = starter;
    }

    @Override
    public final void run() {
        start().await();
    }

    @Override
    public final synchronized R start() {
        if (latest != null && !latest.isDone()) {
            throw new IllegalStateException(
                    called + " by a prepared call that is in flight; await it first, or prepare "
                            + "another one");
        }
        latest = starter.get();
        return latest;
    }
}
