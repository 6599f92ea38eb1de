/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;

/**
 * Mutexes at the ranks of a communicator, made by {@link RemoteMemory#allocateMutexes(int)}. Each rank chooses its
 * number of mutexes, and any rank may lock any of them. The rank where a mutex lies takes no part in the calls of
 * others.
 *
 * <p><b>Order.</b> Waiting ranks get a mutex in the order in which their calls reach the rank where it lies. A rank
 * that gives up, because of a timeout, a deadline or an interrupt, keeps its place in the queue for its next call,
 * until its turn has passed.
 *
 * <p><b>Memory ordering.</b> Actions of a holder before {@link #unlock} are visible to the next holder: loads and
 * stores in memory of the node, and everything put into the {@link RemoteMemory} that the mutexes belong to, because
 * {@code unlock} first makes a {@link RemoteMemory#fenceAll}. The fence costs nothing if nothing was put to other nodes
 * since the last one. Bytes put into another remote memory need a fence of that memory.
 *
 * <p><b>Failure.</b> {@link HolderFailure} selects the effect of a holder's failure. If the rank where a mutex lies
 * fails, calls on the mutex throw {@link RankFailedException}. Deadlines of the memory and interrupts end a call that
 * waits for its turn, and the thread then does not hold the mutex. They do not end the short exchange with another node
 * that takes or gives up a place in the queue.
 *
 * <p><b>Threads.</b> Any number of threads of a rank may use mutexes at the same time. A thread holds a mutex, and the
 * same thread must unlock it. Threads of a rank that wait for the same mutex get it in any order among themselves.
 * Mutexes are not reentrant. One thread closes them, when no other thread uses them. Calls allocate nothing, except the
 * first call on the mutexes of a rank.
 */
public abstract class Mutexes implements AutoCloseable {
    /** The greatest number of mutexes of a rank. */
    public static final int COUNT_MAX = 1 << 16;

    /** The effect of a holder that fails, or that leaves the job without having closed the mutexes. */
    public enum HolderFailure {
        /** Calls throw {@link RankFailedException}, as all other calls do when a rank has failed. */
        THROW,
        /**
         * The next rank in the queue gets the mutex, and should call {@link #failedHolder}, because the data that the
         * mutex guards may be half changed. Locking a mutex of another node waits for one more answer from there. If a
         * rank fails while it locks or unlocks the mutex, the waiting ranks get {@link RankFailedException} a second
         * later.
         */
        PASS_ON
    }

    /**
     * Constructor for Tutti's own implementation only.
     */
    protected Mutexes() {}

    /**
     * Returns the number of mutexes at a rank.
     *
     * @param rank a rank of the communicator
     * @return the number, 0 or more
     * @throws IllegalArgumentException if there is no such rank
     */
    public abstract int count(int rank);

    /**
     * Locks a mutex, and waits until this thread holds it.
     *
     * @param index the index of the mutex at the rank, 0 to {@link #count} − 1
     * @param rank the rank where the mutex lies
     * @throws IllegalArgumentException if there is no such rank
     * @throws IndexOutOfBoundsException if the rank has no such mutex
     * @throws IllegalStateException if this thread holds the mutex already, or the mutexes are closed
     * @throws RankFailedException if a rank has failed, or has left without having closed the mutexes
     * @throws DeadlineExceededException at the deadline of the memory
     * @throws CallInterruptedException if this thread is interrupted while it waits for its turn
     */
    public abstract void lock(int index, int rank);

    /**
     * Locks a mutex if it is free. If it is not, the call lets other threads run now and then, so that ranks that are
     * virtual threads may call it in a loop.
     *
     * @param index the index of the mutex at the rank
     * @param rank the rank where the mutex lies
     * @return whether this thread holds the mutex
     * @throws IllegalStateException if this thread holds the mutex already, or the mutexes are closed
     */
    public abstract boolean tryLock(int index, int rank);

    /**
     * Locks a mutex, and waits until this thread holds it or a timeout has passed.
     *
     * @param index the index of the mutex at the rank
     * @param rank the rank where the mutex lies
     * @param timeout the longest time to wait; the call does not wait if it is zero or less
     * @return whether this thread holds the mutex
     * @throws IllegalStateException if this thread holds the mutex already, or the mutexes are closed
     */
    public abstract boolean tryLock(int index, int rank, Duration timeout);

    /**
     * Unlocks a mutex, which goes to the next rank in its queue. If the mutex lies at another node, the call sends one
     * message and waits for no answer. If the fence before it throws, this thread still holds the mutex.
     *
     * @param index the index of the mutex at the rank
     * @param rank the rank where the mutex lies
     * @throws IllegalStateException if this thread does not hold the mutex, or the mutexes are closed
     */
    public abstract void unlock(int index, int rank);

    /**
     * Returns the first rank that has failed while it held a mutex ({@link HolderFailure#PASS_ON}). The present holder
     * of the mutex calls this.
     *
     * @param index the index of the mutex at the rank
     * @param rank the rank where the mutex lies
     * @return the rank that has failed, or −1 if none has
     */
    public abstract int failedHolder(int index, int rank);

    /**
     * Closes the mutexes once all ranks have called this method. This is a collective call. A rank that still holds
     * mutexes first unlocks them, so that no other rank waits forever, and gets an {@link IllegalStateException} in the
     * end. Closing again has no effect. The mutexes must be closed before their memory.
     */
    @Override
    public abstract void close();
}
