/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.tutti.CallInterruptedException;
import org.tutti.Collective;
import org.tutti.Request;
import org.tutti.collective.Team;
import org.tutti.memory.WaitingCall;
import org.tutti.memory.Waits;

/**
 * A request whose operation runs on a virtual thread.
 */
final class LiveRequest implements Request {
    private final Team team;
    private final Collective called;
    private final Attention attention;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> stage = new CompletableFuture<>();
    private volatile Thread runner;

    LiveRequest(Team team, Collective called, Attention attention) {
        this.team = team;
        this.called = called;
        this.attention = attention;
    }

    /** Who waits is told first: what depends on the stage runs on this thread, and may take long. */
    void complete(Throwable failure) {
        if (failure == null) {
            ended.complete(null);
            stage.complete(null);
        } else {
            ended.completeExceptionally(failure);
            stage.completeExceptionally(failure);
        }
    }

    @Override
    public boolean isDone() {
        boolean done = ended.isDone();
        if (!done) {
            attention.look();
        }
        return done;
    }

    /** Says which thread runs the operation, which knows best for whom it waits. */
    void runsOn(Thread thread) {
        runner = thread;
    }

    private WaitingCall call() {
        Thread known = runner;
        return (known == null ? Optional.<Waits.Wait>empty() : Waits.of(known)).map(wait -> wait.call().get())
                .orElseGet(() -> team.describeCall(called.label()));
    }

    @Override
    public void await() {
        awaitFor(Long.MAX_VALUE);
    }

    @Override
    public boolean await(Duration timeout) {
        boolean ends = awaitFor(LiveCommunicator.nanos(timeout));
        if (!ends) {
            attention.look();
        }
        return ends;
    }

    private boolean awaitFor(long nanos) {
        attention.begin();
        try {
            return ends(Math.min(nanos, Waits.LASTING_NANOS))
                    || nanos > Waits.LASTING_NANOS && endsLater(nanos - Waits.LASTING_NANOS);
        } finally {
            attention.end();
        }
    }

    /** Who asks why nothing goes on is told of this wait. */
    private boolean endsLater(long nanos) {
        Waits.Wait outer = Waits.begin(this::call, System.nanoTime() - Waits.LASTING_NANOS);
        try {
            return ends(nanos);
        } finally {
            Waits.end(outer);
        }
    }

    private boolean ends(long nanos) {
        try {
            ended.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ExecutionException e) {
            throw LiveRequest.<RuntimeException>asItIs(e.getCause());
        }
    }

    @Override
    public CompletionStage<Void> completion() {
        return stage.minimalCompletionStage();
    }

    private CallInterruptedException interrupted() {
        Thread.currentThread().interrupt();
        return new CallInterruptedException(team.describe() + " was interrupted while it awaited its " + called.label()
                + "; the operation goes on, and can be awaited again");
    }

    /** A user's operator may throw anything, and the caller gets just that. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E asItIs(Throwable failure) throws E {
        throw (E) failure;
    }
}
