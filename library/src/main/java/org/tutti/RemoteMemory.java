/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * Memory at all ranks of a communicator, which each rank can access without calls by the other ranks. It has a part at
 * every rank, and is made by {@link Communicator#allocate}. Calls access the parts of ranks of the same node directly.
 * They access parts on other nodes over the fabric, where a service thread acts for a rank that computes.
 *
 * <p><b>Offsets</b> count bytes from the start of a part, or elements in the view {@link RemotePart#elements}. Every
 * part begins at a multiple of 64 bytes, and is initially filled with zeros.
 *
 * <p><b>Memory ordering.</b> A get, and an operation that returns a previous value, is complete when it returns. After
 * the return of a put its source may be used again; the bytes are visible at the target after a {@link #fence}, or
 * after the {@link #barrier} of this object. Operations of this rank on one other rank begin there in the order of
 * their calls. With several rails there is an exception: puts and accumulates to the same bytes without a fence in
 * between may take effect in any order. A get or an atomic operation follows all of them. Between different ranks, only
 * fences, atomic operations and collectives order operations. If the owner loads or stores bytes through {@link #local}
 * while another rank puts them, any mixture of old and new bytes may result.
 *
 * <p><b>Failure.</b> If a rank of the job has failed, calls throw {@link RankFailedException}; blocked calls throw it
 * within the time in which failures are detected. Calls on other nodes also throw {@link DeadlineExceededException}, if
 * the memory was allocated through a view with a deadline, and {@link CallInterruptedException}. It is then unknown
 * whether the put or the atomic operation has changed the target. Invalid arguments are detected before anything is
 * changed.
 *
 * <p><b>Requests.</b> {@link RemotePart#nonBlocking} has the same calls with a request for each, and {@link #aggregate}
 * collects calls that are awaited together.
 *
 * <p><b>Threads.</b> Any number of threads of a rank may use this object, its parts, aggregates and requests at the
 * same time. The exceptions are the collective calls {@link #barrier}, {@link #allocateMutexes} and {@link #close}: one
 * thread makes them, while no other thread is in a collective call of the communicator. A fence is for the whole rank:
 * it covers each put of any thread that the program orders before the fence. Calls of different threads have no other
 * order. The other threads must have ended their calls before {@code close}, because a put or a get on this node that
 * is still in progress could access the memory of a later allocation. Blocking calls allocate nothing while at most 16
 * threads of a rank are in calls at the same time. If a thread closes the job while another thread is in a call, that
 * call completes or throws; later calls throw {@link IllegalStateException}.
 */
public abstract class RemoteMemory implements AutoCloseable {
    /** The greatest number of bytes of a rank's part. */
    public static final long BYTES_MAX = 1L << 40;

    /** The number of notification words of a part, unless the allocation chooses another one. */
    public static final int NOTIFICATIONS = 16;

    /** The greatest number of notification words of a rank's part. */
    public static final int NOTIFICATIONS_MAX = 1 << 16;

    /**
     * Constructor for Tutti's own implementation only.
     */
    protected RemoteMemory() {}

    /**
     * Returns the part of this rank, for loads and stores. It must not be used after {@link #close}, because its memory
     * may then belong to a later allocation.
     *
     * @return the memory, with as many bytes as this rank has allocated
     * @throws IllegalStateException if the memory is closed
     */
    public abstract MemorySegment local();

    /**
     * Returns the size of a rank's part.
     *
     * @param rank a rank of the communicator
     * @return the number of bytes, 0 or more
     * @throws IllegalArgumentException if there is no such rank
     */
    public abstract long size(int rank);

    /**
     * Returns the part of a rank, which may be this one.
     *
     * @param rank a rank of the communicator
     * @return the part, the same object in every call
     * @throws IllegalArgumentException if there is no such rank
     */
    public abstract RemotePart at(int rank);

    /**
     * Waits until everything that this rank has put into the part of a rank is visible there to all ranks.
     *
     * @param rank a rank of the communicator
     * @throws IllegalArgumentException if there is no such rank
     * @throws IllegalStateException if the memory is closed
     */
    public abstract void fence(int rank);

    /**
     * Waits until everything that this rank has put into any part is visible there to all ranks. The call asks only the
     * ranks that were written to since the last fence, all of them in parallel.
     *
     * @throws IllegalStateException if the memory is closed
     */
    public abstract void fenceAll();

    /**
     * Makes a {@link #fenceAll} and then a barrier of the communicator. This is a collective call. Afterwards every
     * rank sees everything that any rank has put before.
     *
     * @throws IllegalStateException if the memory is closed
     */
    public abstract void barrier();

    /**
     * {@return a new group of calls that are awaited together}
     */
    public abstract Aggregate aggregate();

    /**
     * Returns the number of notifications that a notification word of this rank has counted ({@link
     * RemotePart#putNotify}). After the call, this rank sees the bytes of the puts that have notified, and everything
     * that the same ranks have put before them into this part. The call lets other threads run now and then, so that
     * ranks that are virtual threads may call it in a loop.
     *
     * @param notification the number of the word, from 0
     * @return the number of notifications since the allocation
     * @throws IndexOutOfBoundsException if there is no such word
     * @throws IllegalStateException if the memory is closed
     */
    public abstract long notifications(int notification);

    /**
     * Waits until a notification word of this rank has counted a number of notifications since the allocation.
     *
     * @param notification the number of the word, from 0
     * @param count the number of notifications since the allocation
     * @throws IndexOutOfBoundsException if there is no such word
     * @throws IllegalStateException if the memory is closed
     * @throws RankFailedException if a rank has failed, or all other ranks have left the job
     */
    public abstract void awaitNotifications(int notification, long count);

    /**
     * Waits until a notification word of this rank has counted a number of notifications more than this rank has waited
     * for there so far, in any of its calls that wait. Each notification thus ends one wait, whichever thread waits:
     * {@code awaitMore(word, 1)} waits for the next one.
     *
     * @param notification the number of the word, from 0
     * @param count the number of further notifications, 0 to {@link Integer#MAX_VALUE}
     * @throws IndexOutOfBoundsException if there is no such word
     * @throws IllegalArgumentException if count is out of range
     * @throws IllegalStateException if the memory is closed
     * @throws RankFailedException if a rank has failed, or all other ranks have left the job
     */
    public abstract void awaitMore(int notification, long count);

    /**
     * Waits until any of several notification words of this rank has counted one notification more than this rank has
     * waited for there so far. If several words have counted one more, repeated calls return them in turn.
     *
     * @param notifications the numbers of the words, from 0; one or more
     * @return the word with the notification, which now counts as waited for
     * @throws IndexOutOfBoundsException if there is no such word
     * @throws IllegalArgumentException if there are no words
     * @throws IllegalStateException if the memory is closed
     * @throws RankFailedException if a rank has failed, or all other ranks have left the job
     */
    public abstract int awaitAny(int... notifications);

    /**
     * Makes mutexes at every rank. This is a collective call. The mutexes belong to this memory: everything that a rank
     * has put into this memory before it unlocks a mutex is visible to the next holder. If a holder fails, calls throw
     * ({@link Mutexes.HolderFailure#THROW}).
     *
     * @param count the number of mutexes at this rank, 0 to {@link Mutexes#COUNT_MAX}; each rank chooses its own number
     * @return the mutexes, to be closed before the memory
     * @throws IllegalArgumentException if count is out of range
     * @throws IllegalStateException if the memory is closed
     * @throws NodeMemoryException at every rank, if a node has too little memory
     */
    public Mutexes allocateMutexes(int count) {
        return allocateMutexes(count, Mutexes.HolderFailure.THROW);
    }

    /**
     * Makes mutexes at every rank, as {@link #allocateMutexes(int)} does, with a given effect of a holder's failure.
     *
     * @param count the number of mutexes at this rank, 0 to {@link Mutexes#COUNT_MAX}; each rank chooses its own number
     * @param holderFailure the effect, the same at all ranks
     * @return the mutexes, to be closed before the memory
     * @throws IllegalArgumentException if count is out of range
     * @throws IllegalStateException if the memory is closed
     * @throws NodeMemoryException at every rank, if a node has too little memory
     */
    public abstract Mutexes allocateMutexes(int count, Mutexes.HolderFailure holderFailure);

    /**
     * Closes the memory once all ranks have called this method and everything that they have put is visible. This is a
     * collective call. Puts that arrive later are refused. A later allocation of this rank may use the memory again.
     * Closing again has no effect.
     */
    @Override
    public abstract void close();
}
