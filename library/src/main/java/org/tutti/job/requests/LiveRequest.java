/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.requests;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.tutti.CallInterruptedException;
import org.tutti.Collective;
import org.tutti.Request;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.events.AwaitEvent;
import org.tutti.memory.Asking;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.WaitingCall;
import org.tutti.memory.Waits;

/**
 * The request of a non-blocking collective. Its operation runs on a virtual thread, or on the thread that awaits it
 * ({@link RequestRunner}).
 */
final class LiveRequest implements Request {
    /**
     * The longest time between the start of a request and the call of {@code await} for which the request counts as
     * awaited immediately. A thread that is woken for the request would begin it later than this.
     */
    private static final long AT_ONCE_NANOS = 20_000;

    private final RequestRunner runner;
    private final Team first;

    private final Call call;
    private final Collective called;
    private final Runnable afterwards;
    private final Runnable atLast;
    private final ProgressPolicy policy;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> stage = new CompletableFuture<>();
    private final Asking asking = new Asking();
    private volatile Thread thread;
    private boolean hasThread; // under the runner's lock
    private boolean wasAwaited; // a race of several threads does no harm
    private long startedNanos; // a thread that reads 0 takes the request for an old one

    LiveRequest(RequestRunner runner, Team first, Call call, Runnable afterwards, Runnable atLast,
            ProgressPolicy policy) {
        this.runner = runner;
        this.first = first;
        this.call = call;
        this.called = call.collective();
        this.afterwards = afterwards;
        this.atLast = atLast;
        this.policy = policy;
    }

    Collective called() {
        return called;
    }

    Call call() {
        return call;
    }

    /** Returns true at the first call for this request. The caller then starts a thread that runs the request. */
    boolean takeThread() {
        boolean takes = !hasThread;
        hasThread = true;
        return takes;
    }

    /** Records the time at which the request is returned to the caller. */
    void setStarted() {
        assert startedNanos == 0 : called.label() + " is started twice";
        startedNanos = System.nanoTime();
    }

    /** Runs the operation on this thread. Returns the exception that ended it, or null. */
    Throwable run(Team team) {
        assert thread == null : called.label() + " is run by " + Thread.currentThread() + " and by " + thread;
        thread = Thread.currentThread();
        try {
            call.run(team);
            afterwards.run();
            return null;
        } catch (Throwable thrown) {
            return team.explain(thrown);
        } finally {
            call.clear(); // the team still refers to the call
        }
    }

    /**
     * Ends the request, with the exception that ended its operation or null. Waiting threads are woken before the stage
     * completes, because actions that depend on the stage run on this thread, and may take long.
     */
    void complete(Throwable failure) {
        assert !ended.isDone() : called.label() + " ends twice";
        atLast.run();
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
            hurry();
            policy.look();
            asking.inVain();
        }
        return done;
    }

    private void hurry() {
        if (thread == null) {
            runner.hurry();
        }
    }

    /**
     * Describes the wait for this request. If a thread runs the operation and waits, its description is used, because
     * it names the awaited rank.
     */
    private WaitingCall waitingCall() {
        Thread known = thread;
        return (known == null ? Optional.<Waits.Wait>empty() : Waits.of(known)).map(wait -> wait.call().get())
                .orElseGet(() -> first.describeCall(called.label()));
    }

    @Override
    public void await() {
        AwaitEvent event = AwaitEvent.beginIfRecorded();
        boolean ends = false;
        try {
            if (!wasAwaited && !Thread.currentThread().isInterrupted()) {
                wasAwaited = true;
                runner.runAwaited(this, System.nanoTime() - startedNanos < AT_ONCE_NANOS);
            }
            ends = awaitFor(Long.MAX_VALUE);
        } finally {
            end(event, ends);
        }
    }

    @Override
    public boolean await(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        AwaitEvent event = AwaitEvent.beginIfRecorded();
        boolean hasReturned = false;
        try {
            hurry();
            boolean ends = awaitFor(TimeUnit.NANOSECONDS.convert(timeout));
            hasReturned = true;
            if (!ends) {
                policy.look();
                asking.inVain();
            }
            return ends;
        } finally {
            end(event, hasReturned);
        }
    }

    private void end(AwaitEvent event, boolean hasReturned) {
        if (event != null) {
            event.end(runner.rankInJob(), called.label(), !hasReturned);
        }
    }

    private boolean awaitFor(long nanos) {
        if (ended.isDone()) {
            return ends(0);
        }
        policy.begin();
        try {
            return ends(Math.min(nanos, Waits.LASTING_NANOS))
                    || nanos > Waits.LASTING_NANOS && endsLater(nanos - Waits.LASTING_NANOS);
        } finally {
            policy.end();
        }
    }

    /**
     * Waits further for the end of the operation, and lets hang reports show the wait. Returns whether the operation
     * ended.
     */
    private boolean endsLater(long nanos) {
        Waits.Wait outer = Waits.begin(this::waitingCall, System.nanoTime() - Waits.LASTING_NANOS);
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
        hurry();
        return stage.minimalCompletionStage();
    }

    private CallInterruptedException interrupted() {
        Thread.currentThread().interrupt();
        return new CallInterruptedException(first.describe() + " was interrupted while it awaited its " + called.label()
                + "; the operation goes on, and can be awaited again");
    }

    /**
     * Rethrows any exception unchecked. A user's operator may throw anything, and the caller gets the same exception.
     */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E asItIs(Throwable failure) throws E {
        throw (E) failure;
    }
}
