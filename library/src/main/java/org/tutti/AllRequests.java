/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Several requests as one, which ends when all of them have ended. The first request in the order of the
 * array that has failed determines the exception.
 */
final class AllRequests implements Request {
    private final Request[] requests;
    private final Runnable check;
    private final Consumer<RuntimeException> onFailure;
    private boolean isChecked;
    private @Nullable RuntimeException failure;

    /**
     * Combines requests.
     *
     * @param requests the requests
     * @param check an action to run once after all requests have ended normally; its exception is that of this request
     * @param onFailure an action to run once if this request has failed
     */
    AllRequests(Request[] requests, Runnable check, Consumer<RuntimeException> onFailure) {
        this.requests = requests;
        this.check = check;
        this.onFailure = onFailure;
    }

    @Override
    public boolean isDone() {
        boolean isDone = true;
        for (Request request : requests) {
            isDone &= request.isDone(); // asks each, because that moves it on
        }
        if (isDone) {
            outcome();
        }
        return isDone;
    }

    @Override
    public void await() {
        for (Request request : requests) {
            awaitEnd(request, Long.MAX_VALUE);
        }
        report();
    }

    @Override
    public boolean await(Duration timeout) {
        long untilNanos = RequestsInFlight.untilNanos(timeout);
        for (Request request : requests) {
            if (!awaitEnd(request, untilNanos)) {
                return false;
            }
        }
        report();
        return true;
    }

    /** Returns whether the request has ended; {@link #outcome} finds its exception. */
    private static boolean awaitEnd(Request request, long untilNanos) {
        try {
            if (untilNanos == Long.MAX_VALUE) {
                request.await();
                return true;
            }
            return request.await(Duration.ofNanos(RequestsInFlight.leftNanos(untilNanos)));
        } catch (CallInterruptedException interrupt) {
            if (!request.isDone()) {
                throw interrupt;
            }
            return true;
        } catch (RuntimeException _) {
            return true; // outcome() asks again
        }
    }

    private void report() {
        RuntimeException thrown = outcome();
        if (thrown != null) {
            throw thrown;
        }
    }

    /** Returns the exception of this request, null for none. All requests have ended. */
    private synchronized @Nullable RuntimeException outcome() {
        if (!isChecked) {
            try {
                for (Request request : requests) {
                    request.await();
                }
                check.run();
            } catch (RuntimeException thrown) {
                failure = thrown;
                onFailure.accept(thrown);
            }
            isChecked = true;
        }
        return failure;
    }

    @Override
    public CompletionStage<Void> completion() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        CompletableFuture.allOf(Stream.of(requests).map(request -> request.completion().toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new)).whenComplete((_, _) -> {
                    RuntimeException thrown = outcome();
                    if (thrown == null) {
                        stage.complete(null);
                    } else {
                        stage.completeExceptionally(thrown);
                    }
                });
        return stage.minimalCompletionStage();
    }
}
