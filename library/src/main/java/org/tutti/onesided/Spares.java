/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A pool of states of calls, while no call has them. A thread takes one out when a call begins and puts it back when
 * the call ends, and makes one if it finds none. So there are as many as threads have been in calls at once;
 * {@value #KEPT_MAX} are kept.
 *
 * <p><b>One is the owner's.</b> Most ranks have one thread that calls. The first thread that takes one owns the pool
 * until the thread ends, and a state that no other thread gets: to take and to put back that one is a plain store. A
 * call within a call of the owner takes another one, as the calls of other threads do.
 *
 * <p><b>Memory ordering.</b> The field {@code owner} is set under this object's monitor, by the thread itself, when it
 * is null or names a thread that has ended. So a thread that reads its own name there is alone with the owner's state,
 * and sees everything that the owner before it has done, because it has seen that this one has ended. A thread that
 * reads any other value takes from a place. Taking out of a place is an atomic operation, and putting back a store with
 * release order, so a thread that takes one sees everything that the thread before it has done with it. No two threads
 * take the same one. Two threads that put theirs back into the same place at the same moment lose one of them, which
 * costs a later call an allocation; a look at the place before makes that rare.
 *
 * <p>A thread begins its search at a place that its number tells. Threads with different places share nothing but the
 * line in which the places lie.
 */
final class Spares<T> {
    /** How many are kept. */
    static final int KEPT_MAX = 17;

    private static final int PLACES = KEPT_MAX - 1;
    private static final int MASK = PLACES - 1;

    private final Supplier<T> maker;
    private final AtomicReferenceArray<T> places = new AtomicReferenceArray<>(PLACES);
    private Thread owner;
    private T owned;
    private boolean isOwnedTaken;

    /**
     * @param maker makes one that is missing
     */
    Spares(Supplier<T> maker) {
        this.maker = maker;
    }

    /** A call begins. */
    @SuppressWarnings("ReferenceEquality")
    T take() {
        if (owner != Thread.currentThread()) {
            return takeFirst();
        }
        if (isOwnedTaken) {
            return takeFromPlaces();
        }
        isOwnedTaken = true;
        return owned;
    }

    /** A thread that does not own the pool takes one, and owns the pool if no other thread does. */
    private T takeFirst() {
        Thread other = owner;
        return other != null && other.isAlive() || !becomesOwner() ? takeFromPlaces() : take();
    }

    private synchronized boolean becomesOwner() {
        if (owner != null && owner.isAlive()) {
            return false;
        }
        if (owner == null || isOwnedTaken) { // else the owner before has put its own back
            owned = takeFromPlaces();
            isOwnedTaken = false;
        }
        owner = Thread.currentThread();
        return true;
    }

    private T takeFromPlaces() {
        int first = first();
        T spare = places.getAndSet(first, null);
        return spare != null ? spare : takeFrom(first + 1);
    }

    private T takeFrom(int second) {
        for (int i = second; i < second + MASK; i++) {
            T spare = places.getAcquire(i & MASK) == null ? null : places.getAndSet(i & MASK, null);
            if (spare != null) {
                return spare;
            }
        }
        return maker.get();
    }

    /** The call has ended. */
    @SuppressWarnings("ReferenceEquality")
    void putBack(T spare) {
        if (spare == owned) { // no other thread has it
            assert owner == Thread.currentThread() && isOwnedTaken
                    : Thread.currentThread() + " gives back what " + owner
                            + " has " + (isOwnedTaken ? "taken" : "not taken");
            isOwnedTaken = false;
            return;
        }
        int first = first();
        if (places.getAcquire(first) == null) {
            places.setRelease(first, spare);
        } else {
            putBackFrom(first + 1, spare);
        }
    }

    private void putBackFrom(int second, T spare) {
        int i = second;
        while (i < second + MASK && !places.compareAndSet(i & MASK, null, spare)) {
            i++;
        }
    }

    private static int first() {
        return (int) Thread.currentThread().threadId() & MASK;
    }
}
