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
import org.tutti.memory.Asking;
import org.tutti.memory.Words;

/**
 * A request for bytes from other nodes, in pieces. How many pieces were begun, and how many have ended, changes under
 * the monitor of the {@link PendingGets}; how many have ended is a word, for which waiters wait. A failure is stored
 * before the word grows.
 */
final class OneSidedRequest implements Request {
    /** What is done when its call returns. */
    static final Request DONE = new Request() {
        @Override
        public boolean isDone() {
            return true;
        }

        @Override
        public void await() {
            // there is nothing to wait for
        }

        @Override
        public boolean await(Duration timeout) {
            return true;
        }

        @Override
        public CompletionStage<Void> completion() {
            return CompletableFuture.completedStage(null);
        }
    };

    private final PendingGets gets;
    private final MemorySegment ended = MemorySegment.ofArray(new long[1]);
    private final Asking asking = new Asking();
    private volatile long deadlineNanos = Long.MAX_VALUE;
    private volatile long begun;
    private volatile RuntimeException failure;

    /** Its pieces are among those. */
    OneSidedRequest(PendingGets gets) {
        this.gets = gets;
    }

    /** A call begins to use it: then it must have ended; the greatest long for never. */
    OneSidedRequest until(long nanos) {
        deadlineNanos = nanos;
        return this;
    }

    /** One more piece begins; called under the lock of the gets. Returns its number, from 1 on. */
    long begin() {
        long more = begun + 1;
        begun = more;
        return more;
    }

    /** A piece has ended, well or with a failure; called under the lock of the gets. */
    void end(RuntimeException ofPiece) {
        if (failure == null && ofPiece != null) {
            failure = ofPiece;
        }
        assert Words.load(ended, 0) < begun : "a piece ends after all " + begun + " that have begun";
        Words.store(ended, 0, Words.load(ended, 0) + 1);
    }

    private boolean hasEnded() {
        return Words.load(ended, 0) >= begun;
    }

    @Override
    public boolean isDone() {
        if (!hasEnded()) {
            gets.poll();
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
        try {
            if (!hasEnded()) {
                awaitPieces(begun, untilNanos);
            }
        } catch (WaitEndedException _) {
            asking.inVain();
            return false;
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    /** Another thread may begin pieces meanwhile, of which some end before those of this one. */
    private void awaitPieces(long pieces, long untilNanos) {
        long atLeast = pieces;
        do {
            gets.await(ended, atLeast, () -> check(untilNanos));
            atLeast = Words.load(ended, 0) + 1;
        } while (gets.isPending(this, pieces));
    }

    private void check(long untilNanos) {
        endIfInVain();
        if (hasEnded()) {
            return;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(
                    gets.self() + " was interrupted while it awaited a get; it goes"
                            + " on, and can be awaited again");
        }
        if (untilNanos != Long.MAX_VALUE && System.nanoTime() - untilNanos >= 0) {
            throw WaitEndedException.TIMED_OUT;
        }
    }

    /** Ends it when the job has failed, or its deadline has passed. */
    private void endIfInVain() {
        RuntimeException reason = gets.failure();
        if (reason == null && deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0) {
            reason = new DeadlineExceededException(gets.self() + " passed its deadline in a get that it did"
                    + " not wait for; see what the other rank does, or allow more time");
        }
        if (reason != null) {
            gets.drop(this, reason);
        }
    }

    @Override
    public CompletionStage<Void> completion() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        if (isDone()) {
            complete(stage);
        } else {
            Thread.ofVirtual().name("tutti " + gets.self() + " get").start(() -> complete(stage));
        }
        return stage.minimalCompletionStage();
    }

    private void complete(CompletableFuture<Void> stage) {
        try {
            await();
            stage.complete(null);
        } catch (RuntimeException e) {
            stage.completeExceptionally(e);
        }
    }
}
