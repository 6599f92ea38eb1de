/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * Memory that is spread over the ranks of a communicator. Each rank can read and write all of it, and the rank where
 * the bytes lie takes no part in the call. {@link Communicator#allocate} allocates it, one part at every rank. Calls
 * access the parts of ranks on the same node directly. They access parts on other nodes over the network, and a service
 * thread there answers for a rank that computes.
 *
 * <p><b>Offsets</b> count bytes from the start of a part, or elements in the view {@link RemotePart#elements}. Every
 * part begins at a multiple of 64 bytes, and is initially filled with zeros.
 *
 * <p><b>Memory ordering.</b> A get, and an operation that returns a previous value, is complete when it returns. When a
 * put returns, its source may be used again. The bytes are visible at the target only after a {@link #fence}, or after
 * the {@link #barrier} of this object. Operations of this rank on one other rank begin there in the order of their
 * calls. There is an exception if the job uses several rails, which are parallel connections between two processes. In
 * that case puts and accumulates to the same bytes may take effect in any order, unless a fence is between them. A get
 * or an atomic operation follows all of them. Between different ranks, only fences, atomic operations and collectives
 * order operations. If the owner loads or stores bytes through {@link #local} while another rank puts them, any mixture
 * of old and new bytes may result.
 *
 * <p><b>Failure.</b> If a rank of the communicator has failed, calls throw {@link RankFailedException}. Calls that are
 * blocked throw it as soon as the failure is detected. Calls on other nodes also throw {@link
 * CallInterruptedException}. If the memory was allocated through a view with a deadline, they may throw {@link
 * DeadlineExceededException}, too. After such an exception it is unknown whether a put or an atomic operation has
 * changed the target. Invalid arguments are detected before anything is changed.
 *
 * <p><b>Requests.</b> {@link RemotePart#nonBlocking} has the same calls in a form that returns a {@link Request}, and
 * {@link #aggregate} collects calls that are awaited together. Fences and {@link #close} also wait for puts whose
 * request is not done.
 *
 * <p><b>Threads.</b> Any number of threads of a rank may use this object, its parts, aggregates and requests at the
 * same time. The exceptions are the collective calls {@link #barrier}, {@link #allocateMutexes} and {@link #close}. One
 * thread makes them, while no other thread is in a collective call of the communicator. A fence covers the puts of all
 * threads of the rank, if the program orders them before the fence. Calls of different threads have no other order. The
 * other threads must have ended their calls before {@code close}, because a put or a get on this node that is still in
 * progress could access the memory of a later allocation. Blocking calls allocate nothing while at most 16 threads of a
 * rank are in calls at the same time. If a thread closes the job while another thread is in a call, that call completes
 * or throws; later calls throw {@link IllegalStateException}.
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
     * Returns the memory of this rank's own part, which the program may load from and store to directly. It must not be
     * used after {@link #close}, because its memory may then belong to a later allocation.
     *
     * @return the memory, with as many bytes as this rank has allocated
     * @throws IllegalStateException if the memory is closed
     */
    public abstract MemorySegment local();

    /**
     * Returns the number of bytes that a rank has allocated in this memory.
     *
     * @param rank a rank of the communicator
     * @return the size of the rank's part in bytes, 0 or more
     * @throws IllegalArgumentException if there is no such rank
     */
    public abstract long size(int rank);

    /**
     * Returns the object that puts to and gets from the memory of a rank, which may be this rank.
     *
     * @param rank a rank of the communicator
     * @return the part of the memory that belongs to the rank, the same object in every call
     * @throws IllegalArgumentException if there is no such rank
     */
    public abstract RemotePart at(int rank);

    /**
     * Waits until everything that this rank has put into the memory of a given rank is visible there to all ranks.
     *
     * @param rank a rank of the communicator
     * @throws IllegalArgumentException if there is no such rank
     * @throws IllegalStateException if the memory is closed
     */
    public abstract void fence(int rank);

    /**
     * Waits until everything that this rank has put into the memory of any rank is visible there to all ranks. The call
     * asks only the ranks to which this rank has written since its last fence, all of them in parallel. {@link
     * Job#fenceAll} does so for all memories of the rank.
     *
     * @throws IllegalStateException if the memory is closed
     */
    public abstract void fenceAll();

    /**
     * Waits until all ranks have called this method and all their puts are visible. This is a collective call, a
     * {@link #fenceAll} followed by a barrier of the communicator. Afterwards every rank sees everything that any rank
     * has put before.
     *
     * @throws IllegalStateException if the memory is closed
     */
    public abstract void barrier();

    /**
     * {@return a new group of calls that are awaited together}
     */
    public abstract Aggregate aggregate();

    /**
     * Returns the number of notifications that have arrived at a notification word of this rank. A put with a
     * notification ({@link RemotePart#putNotify}) adds one to such a word. After the call, this rank sees the bytes of
     * these puts, and everything that the same ranks have put into this rank's part before them. The call sometimes
     * lets other threads run, so that ranks that are virtual threads may call it in a loop.
     *
     * @param notification the number of the word, from 0
     * @return the number of notifications that the word has counted since the memory was allocated
     * @throws IndexOutOfBoundsException if there is no such word
     * @throws IllegalStateException if the memory is closed
     */
    public abstract long notifications(int notification);

    /**
     * Waits until a notification word of this rank has counted at least a given number of notifications since the
     * memory was allocated. Puts with a notification by any rank add to the word.
     *
     * @param notification the number of the word, from 0
     * @param count the number of notifications to wait for, counted from the allocation
     * @throws IndexOutOfBoundsException if there is no such word
     * @throws IllegalStateException if the memory is closed
     * @throws RankFailedException if a rank has failed, or all other ranks have left the job
     */
    public abstract void awaitNotifications(int notification, long count);

    /**
     * Waits until further notifications have arrived at a notification word of this rank. These are notifications for
     * which this rank has not yet waited, in any of its calls that wait for this word. For example,
     * {@code awaitMore(word, 1)} waits for the next one. Each notification ends one wait, whichever thread waits.
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
     * Waits until a further notification has arrived at any of several notification words of this rank. It is a
     * notification for which this rank has not yet waited. If several words have one, repeated calls return these words
     * in turn.
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
     * Allocates mutexes at every rank, which all ranks may lock. This is a collective call. The mutexes belong to this
     * memory. Everything that a rank has put into this memory before it unlocks a mutex is visible to the next holder.
     * If a rank fails while it holds a mutex, calls throw an exception ({@link Mutexes.HolderFailure#THROW}).
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
     * Allocates mutexes at every rank in the same way as {@link #allocateMutexes(int)}. A further argument selects what
     * happens if a rank fails while it holds a mutex.
     *
     * @param count the number of mutexes at this rank, 0 to {@link Mutexes#COUNT_MAX}; each rank chooses its own number
     * @param holderFailure the effect of such a failure, the same at all ranks
     * @return the mutexes, to be closed before the memory
     * @throws IllegalArgumentException if count is out of range
     * @throws IllegalStateException if the memory is closed
     * @throws NodeMemoryException at every rank, if a node has too little memory
     */
    public abstract Mutexes allocateMutexes(int count, Mutexes.HolderFailure holderFailure);

    /**
     * Closes this remote memory once all ranks have called this method and everything that they have put is visible.
     * This is a collective call. Puts that arrive later are refused. A later allocation of this rank may use the bytes
     * again. Closing again has no effect.
     */
    @Override
    public abstract void close();
}
