/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A pool of reusable call states. A thread takes a state when a call begins, and puts it back when the call ends. If
 * the pool has none, the thread creates a state. Therefore there are as many states as threads have been in calls at
 * the same time. The pool keeps at most {@value #KEPT_MAX}.
 *
 * <p><b>The owner.</b> Most ranks have one thread that makes calls, so that thread should be fast. The first thread
 * that takes a state owns the pool until that thread ends. It also owns a state that no other thread gets, and takes it
 * and puts it back by a plain store. A nested call of the owner takes another state from the pool, in the same way as
 * the calls of other threads.
 *
 * <p><b>Memory ordering.</b> The field {@code owner} is set under this object's monitor, by the thread itself, when it
 * is null or names a thread that has ended. Therefore a thread that reads its own name there is the only user of the
 * owner's state. It sees everything that the previous owner has done, because it has seen that the previous owner has
 * ended. A thread that reads any other value takes a state from the array {@code kept}. Taking from an array element is
 * an atomic operation, and putting back is a store with release order. Therefore no two threads take the same state,
 * and a thread that takes a state sees everything that the previous thread has done with it. If two threads put their
 * states back into the same element at the same moment, one state is lost, and a later call has to allocate one. A look
 * at the element before the store makes that rare.
 *
 * <p>A thread begins its search at an element that depends on its number. Threads with different elements share only
 * the cache lines of the array.
 *
 * @param <T> the class of the states
 */
public final class Spares<T> {
    /** The greatest number of states in the pool. */
    public static final int KEPT_MAX = 17;

    private static final int SLOTS = KEPT_MAX - 1;
    private static final int MASK = SLOTS - 1;

    private final Supplier<T> maker;
    private final AtomicReferenceArray<T> kept = new AtomicReferenceArray<>(SLOTS);
    private Thread owner;
    private T owned;
    private boolean isOwnedTaken;

    /**
     * Creates an empty pool.
     *
     * @param maker a function that creates a state when the pool has none
     */
    public Spares(Supplier<T> maker) {
        this.maker = maker;
    }

    /** {@return a state for a call that begins} */
    @SuppressWarnings("ReferenceEquality")
    public T take() {
        if (owner != Thread.currentThread()) {
            return takeFirst();
        }
        if (isOwnedTaken) {
            return takeKept();
        }
        isOwnedTaken = true;
        return owned;
    }

    /**
     * Returns a state for a thread that does not own the pool. If the pool has no owner, the thread becomes the owner.
     */
    private T takeFirst() {
        Thread other = owner;
        return other != null && other.isAlive() || !becomesOwner() ? takeKept() : take();
    }

    private synchronized boolean becomesOwner() {
        if (owner != null && owner.isAlive()) {
            return false;
        }
        if (owner == null || isOwnedTaken) { // else the previous owner has put its state back
            owned = takeKept();
            isOwnedTaken = false;
        }
        owner = Thread.currentThread();
        return true;
    }

    private T takeKept() {
        int first = first();
        T spare = kept.getAndSet(first, null);
        return spare != null ? spare : takeFrom(first + 1);
    }

    private T takeFrom(int second) {
        for (int i = second; i < second + MASK; i++) {
            T spare = kept.getAcquire(i & MASK) == null ? null : kept.getAndSet(i & MASK, null);
            if (spare != null) {
                return spare;
            }
        }
        return maker.get();
    }

    /**
     * Puts back the state of a call that has ended.
     *
     * @param spare the state that {@link #take} has returned
     */
    @SuppressWarnings("ReferenceEquality")
    public void putBack(T spare) {
        if (spare == owned) { // no other thread has it
            assert owner == Thread.currentThread() && isOwnedTaken
                    : Thread.currentThread() + " gives back what " + owner
                            + " has " + (isOwnedTaken ? "taken" : "not taken");
            isOwnedTaken = false;
            return;
        }
        int first = first();
        if (kept.getAcquire(first) == null) {
            kept.setRelease(first, spare);
        } else {
            putBackFrom(first + 1, spare);
        }
    }

    private void putBackFrom(int second, T spare) {
        int i = second;
        while (i < second + MASK && !kept.compareAndSet(i & MASK, null, spare)) {
            i++;
        }
    }

    private static int first() {
        return (int) Thread.currentThread().threadId() & MASK;
    }
}
