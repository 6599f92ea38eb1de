/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.CallInterruptedException;
import org.tutti.Request;
import org.tutti.events.AwaitEvent;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;

/**
 * A non-blocking send or receive that has not ended. Any thread of the rank moves it on, as far as that is possible
 * without waiting: the thread that awaits it, a thread that waits in another call, or the thread that looks after the
 * messages of ranks that compute ({@link MessagesInFlight}). A lock lets one thread at a time do so.
 *
 * <p>A step of a transfer between nodes may have to wait for room in a connection. The awaiting thread makes the step,
 * or else a {@link Courier}, when the other rank has answered. Either takes the transfer first, so that only one makes
 * it.
 *
 * <p>Memory ordering: the thread that ends the message writes its result, and then the field {@code hasEnded}, which is
 * volatile.
 */
abstract class PendingMessage implements Request, MessageInFlight {
    private final RankMessages messages;
    private final MessageCheck check;
    private final Runnable afterwards;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean isTransferTaken; // a thread makes the transfer between nodes
    private volatile int awaiting;
    private volatile boolean isOnItsWay; // as the last thread that moved the message has seen it
    private volatile boolean hasEnded;
    private Throwable failure;
    private CompletableFuture<Void> stage;

    /**
     * Creates a message that has not begun.
     *
     * @param messages the messages of the rank
     * @param check ends the waits
     * @param afterwards an action to run when the message has ended without an exception
     */
    PendingMessage(RankMessages messages, MessageCheck check, Runnable afterwards) {
        this.messages = messages;
        this.check = check;
        this.afterwards = afterwards;
    }

    /** Moves the message on without waiting. Returns whether it has ended. The caller has the lock. */
    abstract boolean advance();

    /** Returns whether the message has come to a transfer between nodes, which may begin again for a receive. */
    abstract boolean needsTransfer();

    /** Makes the step of a transfer between nodes that may wait. Returns whether the message has ended. */
    abstract boolean transfer();

    /** Returns the name of the call for events. */
    abstract String label();

    /** Returns the other rank, a rank of the job, or {@link Receive#ANY} if it is not known. */
    abstract int other();

    /** Withdraws the message. Returns false if it must be completed. The caller has the lock. */
    abstract boolean withdraw();

    /** Returns whether a transfer on this node has begun. The caller has the lock. */
    abstract boolean isOnItsWay();

    /** Returns the number of chunks that have passed in that transfer. The caller has the lock. */
    abstract long steps();

    /** Returns the word for which {@link #advance} waits. The caller has the lock. */
    abstract AwaitedWord awaited();

    /** Leaves the messages in flight, and puts back the objects of the message, which ends. */
    abstract void leave();

    @Override
    public final boolean hasEnded() {
        return hasEnded;
    }

    @Override
    public final boolean tryAdvance() {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            long before = hasEnded ? 0 : steps();
            boolean ends = !hasEnded;
            advanceLocked();
            isOnItsWay = !hasEnded && isOnItsWay();
            return ends && (hasEnded || steps() != before);
        } finally {
            lock.unlock();
        }
    }

    /** Lets other threads move the message on, unless it has ended already. */
    void enterFlight() {
        lock.lock();
        try {
            if (!hasEnded) {
                messages.addInFlight(this);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The caller has the lock. Ends the message if it has been completed, or has failed. */
    private void advanceLocked() {
        if (hasEnded || isTransferTaken) {
            return;
        }
        try {
            if (advance()) {
                end(null);
            }
        } catch (Throwable thrown) {
            end(thrown);
        }
    }

    /** Lets the courier make the transfer between nodes, if no thread awaits the message. */
    public final void startTransfer() {
        VarHandle.fullFence(); // a thread that ceases to await sees the match, or this thread sees that it has ceased
        if (awaiting == 0) {
            messages.courier(other()).add(this::makeTransfer);
        }
    }

    /** Makes the transfer between nodes, unless another thread makes it. */
    private void makeTransfer() {
        lock.lock();
        boolean isMine;
        try {
            isMine = takesTransfer();
        } finally {
            lock.unlock();
        }
        if (isMine) {
            runTransfer();
        }
    }

    /** Returns whether this thread must make the transfer. The caller has the lock. */
    private boolean takesTransfer() {
        boolean takes = !hasEnded && !isTransferTaken && needsTransfer();
        isTransferTaken |= takes;
        return takes;
    }

    private void runTransfer() {
        boolean isComplete = false;
        Throwable thrown = null;
        try {
            isComplete = transfer();
        } catch (Throwable ofTransfer) {
            thrown = ofTransfer;
        }
        lock.lock();
        try {
            isTransferTaken = false;
            if (isComplete || thrown != null) {
                end(thrown);
            }
        } finally {
            lock.unlock();
        }
        synchronized (this) {
            notifyAll();
        }
        if (!hasEnded && needsTransfer()) {
            startTransfer(); // of an offer that has matched meanwhile
        }
    }

    @Override
    public final boolean canMoveSoon() {
        return isOnItsWay && !hasEnded;
    }

    @Override
    public final void check() {
        try {
            check.check();
        } catch (CallInterruptedException _) {
            // the interrupt is for another call of this thread
        } catch (Throwable reason) {
            fail(reason);
        }
    }

    /** Ends the message with an exception, unless it has ended or must be completed. Returns whether this call has. */
    private boolean fail(Throwable reason) {
        lock.lock();
        try {
            advanceLocked();
            if (hasEnded || isTransferTaken || !withdraw()) {
                return false;
            }
            end(reason);
            return true;
        } catch (Throwable thrown) { // the other rank cannot be told, because it has failed
            end(thrown);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the message. The caller has the lock; or it has the lock of the mailbox, and the message is a receive that
     * is matched with an eager message. No other thread ends such a receive, because it cannot be withdrawn.
     */
    final void end(Throwable thrown) {
        if (hasEnded) {
            return;
        }
        failure = thrown;
        if (thrown == null) {
            try {
                afterwards.run();
            } catch (Throwable ofAction) { // another thread has closed the arena of the target
                failure = ofAction;
            }
        }
        leave();
        hasEnded = true;
        synchronized (this) {
            notifyAll();
            if (stage != null) {
                complete(stage);
            }
        }
    }

    /** Dependent actions may take long, and may call Tutti. Therefore they run on a thread of their own. */
    private void complete(CompletableFuture<Void> ended) {
        Thread.ofVirtual().name("tutti completion").start(() -> {
            if (failure == null) {
                ended.complete(null);
            } else {
                ended.completeExceptionally(failure);
            }
        });
    }

    /** Withdraws the message for {@link org.tutti.ReceiveRequest#cancel}. Returns whether it is withdrawn. */
    boolean cancel(Throwable reason) {
        return fail(reason);
    }

    @Override
    public boolean isDone() {
        if (!hasEnded) {
            messages.progress().poll();
            tryAdvance();
            if (!hasEnded) {
                messages.asking().inVain();
                return false;
            }
        }
        return true;
    }

    @Override
    public void await() {
        AwaitEvent event = hasEnded ? null : AwaitEvent.beginIfRecorded();
        boolean hasReturned = false;
        try {
            awaitUnrecorded();
            hasReturned = true;
        } finally {
            end(event, hasReturned);
        }
    }

    private void end(AwaitEvent event, boolean hasReturned) {
        if (event != null) {
            event.end(messages.rank(), label(), !hasReturned);
        }
    }

    /** Waits as part of a call that has an event of its own. */
    void awaitUnrecorded() {
        if (!hasEnded) {
            Courier courier = messages.courier(other());
            boolean polls = courier != null && messages.progress().beginPolling(courier);
            beginAwaiting();
            try {
                while (!hasEnded) {
                    awaitNext();
                }
            } finally {
                endAwaiting();
                if (polls) {
                    messages.progress().endPolling(courier);
                }
            }
        }
        report();
    }

    /** Waits until the message has ended in any way, also if this thread is interrupted. */
    void awaitEnd() {
        boolean isInterrupted = Thread.interrupted();
        while (!hasEnded) {
            try {
                awaitUnrecorded();
            } catch (CallInterruptedException _) {
                isInterrupted |= Thread.interrupted();
            } catch (RuntimeException _) {
                break; // the caller has an exception of its own
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void beginAwaiting() {
        awaiting++;
    }

    private void endAwaiting() {
        synchronized (this) {
            awaiting--;
        }
        VarHandle.fullFence();
        if (!hasEnded && needsTransfer()) {
            startTransfer(); // which may have been left to this thread
        }
    }

    /** Moves the message on by a step, for which this thread may wait. */
    private void awaitNext() {
        AwaitedWord word = null;
        boolean isMine;
        lock.lock();
        try {
            advanceLocked();
            isMine = takesTransfer();
            if (!hasEnded && !isTransferTaken) {
                word = awaited();
            }
        } finally {
            lock.unlock();
        }
        if (word != null) {
            await(word);
        } else if (isMine) {
            runTransfer();
            messages.flushTransfers();
        } else {
            awaitOtherThread();
        }
    }

    private void await(AwaitedWord word) {
        try {
            messages.await(word, new WaitCheck());
        } catch (CallInterruptedException interrupt) {
            throw interrupt; // the message goes on
        } catch (RuntimeException reason) {
            if (!hasEnded) {
                fail(reason);
            }
        }
    }

    /** Waits for the end of a transfer that another thread makes. */
    private synchronized void awaitOtherThread() {
        try {
            while (!hasEnded && isTransferTaken) {
                wait();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CallInterruptedException("a thread was interrupted while it awaited a message; the message goes "
                    + "on, and can be awaited again");
        }
    }

    @Override
    public boolean await(Duration timeout) {
        AwaitEvent event = hasEnded ? null : AwaitEvent.beginIfRecorded();
        boolean hasReturned = false;
        try {
            boolean ends = Request.awaitAny(timeout, this).isPresent();
            if (ends) {
                report();
            }
            hasReturned = true;
            return ends;
        } finally {
            end(event, hasReturned);
        }
    }

    private void report() {
        if (failure != null) {
            throw PendingMessage.<RuntimeException>asItIs(failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E asItIs(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Override
    public CompletionStage<Void> completion() {
        synchronized (this) {
            if (stage == null) {
                stage = new CompletableFuture<>();
                if (hasEnded) {
                    complete(stage);
                }
            }
            return stage.minimalCompletionStage();
        }
    }

    /** Ends the wait of a thread when another thread has ended the message, whose check may then serve another call. */
    private final class WaitCheck implements Waiter.Check {
        @Override
        public void check() {
            if (hasEnded) {
                throw new CancellationException("another thread has ended the message");
            }
            check.check();
        }

        @Override
        public WaitingCall call() {
            return check.call();
        }
    }
}
