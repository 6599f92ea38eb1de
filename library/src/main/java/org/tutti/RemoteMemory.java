/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * Memory of all ranks of a communicator that each of them may reach without the others' doing: a part at every rank,
 * made by {@link Communicator#allocate}. Parts of ranks on the same node are used directly, those of other nodes over
 * the fabric, where a service thread acts for a rank that computes.
 *
 * <p><b>Offsets</b> are in bytes from the start of a part, or in elements, for {@link RemotePart#elements}. Every part
 * begins on a line of 64 bytes and holds zeros at first.
 *
 * <p><b>Memory ordering.</b> A get, and an operation that returns an old value, is complete when it returns. A put is
 * complete here when it returns: its source may be used again. It is visible at its target after a {@link #fence}, or
 * after the {@link #barrier} of this object. Operations of this rank on one other rank begin there in the order of
 * their calls; with several rails, of puts and accumulates to the same bytes without a fence in between, any may be the
 * last, but a get or an atomic operation comes after all of them. Nothing is ordered between ranks but by fences,
 * atomic operations and collectives. Loads and stores of the owner through {@link #local} at the same time as
 * somebody's put see any mixture of old and new bytes.
 *
 * <p><b>Failure.</b> When a rank of the job has failed, calls end with {@link RankFailedException}, and blocked ones
 * do so within the time in which failures are noticed. Calls on other nodes also end with
 * {@link DeadlineExceededException}, if the memory was allocated through a view with a deadline, and with
 * {@link CallInterruptedException}; what a put or an atomic operation that ended so has changed is unknown. Mistakes in
 * the arguments are thrown before anything is changed.
 *
 * <p><b>Not waiting.</b> {@link RemotePart#nonBlocking} has the same calls for requests that are awaited later, one by
 * one, and {@link #aggregate} collects calls that are awaited together.
 *
 * <p><b>Threads.</b> Any number of threads of a rank may use an object, its parts, aggregates and requests at the same
 * time, except the collective calls {@link #barrier}, {@link #allocateMutexes} and {@link #close}, which one thread
 * makes, when no other one is in a collective call of the communicator. Fences are the rank's: a fence covers what any
 * thread has put before it, where the program orders the put before the fence. Calls of different threads are ordered
 * only as the program orders them. Before {@code close} the other threads must have ended their calls: a put or get on
 * the own node that is still under way then may reach memory of a later allocation. Blocking calls allocate nothing, as
 * long as no more than 16 threads of a rank are in calls at once. When a thread closes the job while another one is in
 * a call, that call is done or ends with an exception; later ones end with {@link IllegalStateException}.
 */
public abstract class RemoteMemory implements AutoCloseable {
    /** The most bytes that a rank may ask for. */
    public static final long BYTES_MAX = 1L << 40;

    /** How many words a part has that count notifications, unless another number is chosen for it. */
    public static final int NOTIFICATIONS = 16;

    /** The most such words that a rank may ask for. */
    public static final int NOTIFICATIONS_MAX = 1 << 16;

    /**
     * For Tutti's own implementation only.
     */
    protected RemoteMemory() {}

    /**
     * The part of this rank, for loads and stores. It must not be used any more after {@link #close}, as its memory may
     * belong to a later allocation then.
     *
     * @return as many bytes as this rank has asked for
     * @throws IllegalStateException when the memory is closed
     */
    public abstract MemorySegment local();

    /**
     * The size of a rank's part.
     *
     * @param rank a rank of the communicator
     * @return its bytes, 0 or more
     * @throws IllegalArgumentException when there is no such rank
     */
    public abstract long size(int rank);

    /**
     * The part of a rank, this one included.
     *
     * @param rank a rank of the communicator
     * @return the part, the same object in every call
     * @throws IllegalArgumentException when there is no such rank
     */
    public abstract RemotePart at(int rank);

    /**
     * Waits until everything that this rank has put into a rank's part is visible there to all.
     *
     * @param rank a rank of the communicator
     * @throws IllegalArgumentException when there is no such rank
     * @throws IllegalStateException when the memory is closed
     */
    public abstract void fence(int rank);

    /**
     * Waits until everything that this rank has put into any part is visible there to all. Only ranks that were written
     * to since the last fence are asked, all of them at once.
     *
     * @throws IllegalStateException when the memory is closed
     */
    public abstract void fenceAll();

    /**
     * Collective: a {@link #fenceAll} and then a barrier of the communicator. Afterwards every rank sees everything
     * that any rank has put before.
     *
     * @throws IllegalStateException when the memory is closed
     */
    public abstract void barrier();

    /**
     * {@return a new collection of calls that are awaited together}
     */
    public abstract Aggregate aggregate();

    /**
     * How many notifications this rank has got at one of its notification words ({@link RemotePart#putNotify}). What
     * was put with them, and before them by the same rank, is visible to who has read it here. Lets other threads run
     * now and then, so that ranks that are virtual threads may ask in a loop.
     *
     * @param notification which word, from 0
     * @return how many since the allocation
     * @throws IndexOutOfBoundsException when there is no such word
     * @throws IllegalStateException when the memory is closed
     */
    public abstract long notifications(int notification);

    /**
     * Waits until this rank has got so many notifications at one of its notification words.
     *
     * @param notification which word, from 0
     * @param count how many since the allocation
     * @throws IndexOutOfBoundsException when there is no such word
     * @throws IllegalStateException when the memory is closed
     * @throws RankFailedException when a rank has failed, or all others have left the job
     */
    public abstract void awaitNotifications(int notification, long count);

    /**
     * Waits until this rank has got so many notifications at one of its notification words as it has waited for there
     * so far, by any of the calls that wait, and so many more. So each notification ends one wait, whichever thread
     * makes it: {@code awaitMore(word, 1)} waits for the next one.
     *
     * @param notification which word, from 0
     * @param count how many more, 0 to {@link Integer#MAX_VALUE}
     * @throws IndexOutOfBoundsException when there is no such word
     * @throws IllegalArgumentException when the count is out of range
     * @throws IllegalStateException when the memory is closed
     * @throws RankFailedException when a rank has failed, or all others have left the job
     */
    public abstract void awaitMore(int notification, long count);

    /**
     * Waits until this rank has got one more notification, at any of some of its notification words, than it has waited
     * for there so far. Where several words have one they take turns.
     *
     * @param notifications which words, from 0; one or more
     * @return the word that has one; it counts as waited for
     * @throws IndexOutOfBoundsException when there is no such word
     * @throws IllegalArgumentException when there are no words
     * @throws IllegalStateException when the memory is closed
     * @throws RankFailedException when a rank has failed, or all others have left the job
     */
    public abstract int awaitAny(int... notifications);

    /**
     * Collective: makes mutexes at every rank. They belong to this memory: who unlocks one has all that he has put into
     * this memory visible before. When a holder fails, calls throw ({@link Mutexes.HolderFailure#THROW}).
     *
     * @param count how many at this rank, 0 to {@link Mutexes#COUNT_MAX}; others may have more or fewer
     * @return the mutexes, to be closed before the memory
     * @throws IllegalArgumentException when the count is out of range
     * @throws IllegalStateException when the memory is closed
     * @throws NodeMemoryException when a rank's node has too little memory; at every rank
     */
    public Mutexes allocateMutexes(int count) {
        return allocateMutexes(count, Mutexes.HolderFailure.THROW);
    }

    /**
     * As {@link #allocateMutexes(int)}, with a choice of what becomes of a mutex whose holder fails.
     *
     * @param count how many at this rank
     * @param holderFailure the choice, the same at all ranks
     * @return the mutexes
     */
    public abstract Mutexes allocateMutexes(int count, Mutexes.HolderFailure holderFailure);

    /**
     * Collective: waits until all ranks have come here and everything is visible, and ends the memory. What others send
     * afterwards is refused. A later allocation of this rank may use its memory again. Closing again does nothing.
     */
    @Override
    public abstract void close();
}
