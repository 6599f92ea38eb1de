/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.tutti.Request;

/** The request of a call that ends before it returns, for example of an eager send or of a get on the node. */
public final class EndedRequest implements Request {
    /** The only request of this class. */
    public static final EndedRequest INSTANCE = new EndedRequest();

    private EndedRequest() {}

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public void await() {
        // the call has ended
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
