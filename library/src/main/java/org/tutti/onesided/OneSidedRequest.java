/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.tutti.CallInterruptedException;
import org.tutti.DeadlineExceededException;
import org.tutti.Request;
import org.tutti.events.AwaitEvent;
import org.tutti.memory.Asking;
import org.tutti.memory.Words;

/**
 * The request of non-blocking calls on parts at other nodes: of one call, or of the calls of an aggregate. It counts
 * the calls that have begun and the calls that have ended. Both counts change under the monitor of the {@link
 * PendingCalls}. The count of ended calls is a word of memory, because threads wait for it. A failure is stored before
 * that word grows.
 */
final class OneSidedRequest implements Request {
    private final PendingCalls calls;
    private final MemorySegment ended = MemorySegment.ofArray(new long[1]);
    private final Asking asking = new Asking();
    private volatile long deadlineNanos = Long.MAX_VALUE;
    private volatile long begun;
    private volatile Throwable failure;

    /** Creates a request with its calls in a table. */
    OneSidedRequest(PendingCalls calls) {
        this.calls = calls;
    }

    /**
     * Sets the time of {@link System#nanoTime()} by which this request must have completed, or {@link Long#MAX_VALUE}
     * for never. Returns this request. A call sets the time when it begins to use the request.
     */
    OneSidedRequest until(long nanos) {
        deadlineNanos = nanos;
        return this;
    }

    /** Counts a call that begins. The caller holds the monitor of the calls. */
    void begin() {
        long more = begun + 1;
        begun = more;
    }

    /** Counts a call that has ended, with its failure or null. The caller holds the monitor of the calls. */
    void end(Throwable ofCall) {
        if (failure == null && ofCall != null) {
            failure = ofCall;
        }
        assert Words.load(ended, 0) < begun : "a call ends after all " + begun + " that have begun";
        Words.store(ended, 0, Words.load(ended, 0) + 1);
    }

    private boolean hasEnded() {
        return Words.load(ended, 0) >= begun;
    }

    @Override
    public boolean isDone() {
        if (!hasEnded()) {
            calls.look();
            endIfInVain();
        }
        boolean done = hasEnded();
        if (!done) {
            asking.inVain();
        }
        return done;
    }

    @Override
    public void await() {
        await(Long.MAX_VALUE);
    }

    @Override
    public boolean await(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        long untilNanos = System.nanoTime();
        try {
            untilNanos += Math.max(0, timeout.toNanos());
        } catch (ArithmeticException _) {
            untilNanos = Long.MAX_VALUE; // more than 292 years
        }
        return await(untilNanos);
    }

    private boolean await(long untilNanos) {
        AwaitEvent event = hasEnded() ? null : AwaitEvent.beginIfRecorded();
        boolean isInterrupted = true;
        try {
            if (!hasEnded()) {
                awaitCalls(untilNanos);
            }
            isInterrupted = false;
        } catch (WaitEndedException _) {
            isInterrupted = false;
            asking.inVain();
            return false;
        } finally {
            if (event != null) {
                event.end(calls.rankInJob(), "one-sided", isInterrupted || failure != null);
            }
        }
        if (failure != null) {
            throw OneSidedRequest.<RuntimeException>asItIs(failure);
        }
        return true;
    }

    /**
     * Waits until the calls of this request that have begun so far have ended. Meanwhile another thread may add further
     * calls, and some of these may end earlier.
     */
    private void awaitCalls(long untilNanos) {
        long upTo = calls.begun();
        long atLeast = begun;
        do {
            calls.await(ended, atLeast, () -> check(untilNanos));
            atLeast = Words.load(ended, 0) + 1;
        } while (calls.isPending(this, upTo));
    }

    /** Rethrows any exception unchecked, because a thread of a call may have ended by an error. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E asItIs(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private void check(long untilNanos) {
        endIfInVain();
        if (hasEnded()) {
            return;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(
                    calls.self() + " was interrupted while it awaited a request; it goes"
                            + " on, and can be awaited again");
        }
        if (untilNanos != Long.MAX_VALUE && System.nanoTime() - untilNanos >= 0) {
            throw WaitEndedException.TIMED_OUT;
        }
    }

    /** Ends the request if a rank has failed, or the deadline has passed. */
    private void endIfInVain() {
        RuntimeException reason = calls.failure();
        if (reason == null && deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0) {
            reason = new DeadlineExceededException(calls.self() + " passed its deadline in a get that it did"
                    + " not wait for; see what the other rank does, or allow more time");
        }
        if (reason != null) {
            calls.drop(this, reason);
        }
    }

    @Override
    public CompletionStage<Void> completion() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        if (isDone()) {
            complete(stage);
        } else {
            Thread.ofVirtual().name("tutti " + calls.self() + " completion").start(() -> complete(stage));
        }
        return stage.minimalCompletionStage();
    }

    private void complete(CompletableFuture<Void> stage) {
        try {
            await();
            stage.complete(null);
        } catch (Throwable e) {
            stage.completeExceptionally(e);
        }
    }
}
