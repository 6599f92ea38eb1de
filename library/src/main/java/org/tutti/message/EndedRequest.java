/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.tutti.Request;

/** The request of a send that ends before the call returns, for example of an eager message. */
final class EndedRequest implements Request {
    static final EndedRequest INSTANCE = new EndedRequest();

    private EndedRequest() {}

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public void await() {
        // the send has ended
    }

    @Override
    public boolean await(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        return true;
    }

    @Override
    public CompletionStage<Void> completion() {
        return CompletableFuture.completedStage(null);
    }
}
