/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;

/**
 * Locks that the ranks of a communicator share, across nodes. {@link RemoteMemory#allocateMutexes(int)} creates them. A
 * mutex lies in the memory of one rank. Each rank chooses how many mutexes lie in its memory, and any rank may lock any
 * of them. The rank where a mutex lies takes no part in the calls of others.
 *
 * <p><b>Order.</b> Waiting ranks get a mutex in the order in which their calls reach the rank where it lies. A rank
 * that gives up, because of a timeout, a deadline or an interrupt, keeps its place in the queue for its next call,
 * until its turn has passed.
 *
 * <p><b>Memory ordering.</b> The next holder of a mutex sees what a holder did before {@link #unlock}. That includes
 * its loads and stores in memory of the node. It also includes everything that it has put into the {@link RemoteMemory}
 * to which the mutexes belong, because {@code unlock} first waits for these puts ({@link RemoteMemory#fenceAll}). The
 * wait costs nothing if nothing was put to other nodes since the last one. Bytes put into another remote memory need a
 * fence of that memory.
 *
 * <p><b>Failure.</b> {@link HolderFailure} selects what happens if a rank fails while it holds a mutex. If the rank
 * where a mutex lies fails, calls on the mutex throw {@link RankFailedException}. Deadlines of the memory and
 * interrupts end a call that waits for its turn, and the thread then does not hold the mutex. They do not end the short
 * exchange of messages by which a rank joins or leaves the queue of a mutex at another node.
 *
 * <p><b>Threads.</b> Any number of threads of a rank may use mutexes at the same time. The thread that has locked a
 * mutex must unlock it. Threads of a rank that wait for the same mutex get it in any order among themselves. Mutexes
 * are not reentrant. One thread closes them, when no other thread uses them. Calls allocate nothing, except the first
 * call on the mutexes of a rank.
 */
public abstract class Mutexes implements AutoCloseable {
    /** The greatest number of mutexes of a rank. */
    public static final int COUNT_MAX = 1 << 16;

    /** The effect of a holder that fails, or that leaves the job without having closed the mutexes. */
    public enum HolderFailure {
        /** Calls throw {@link RankFailedException}, as all other calls do when a rank has failed. */
        THROW,
        /**
         * If the rank that holds a mutex fails, the next rank in the queue gets the mutex. That rank should call
         * {@link #failedHolder}, because the data that the mutex guards may be half changed. With this policy, locking
         * a mutex of another node waits for one more answer from there. If a rank fails while it locks or unlocks the
         * mutex, the waiting ranks get {@link RankFailedException} a second later.
         */
        PASS_ON
    }

    /**
     * Constructor for Tutti's own implementation only.
     */
    protected Mutexes() {}

    /**
     * Returns the number of mutexes that lie in the memory of a rank.
     *
     * @param rank a rank of the communicator
     * @return the number of mutexes, 0 or more
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
     * @throws DeadlineExceededException if the deadline of the memory passes before this thread holds the mutex
     * @throws CallInterruptedException if this thread is interrupted while it waits for its turn
     */
    public abstract void lock(int index, int rank);

    /**
     * Locks a mutex if it is free, and returns without waiting. If it is not free, the call sometimes lets other
     * threads run, so that ranks that are virtual threads may call it in a loop.
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
     * Unlocks a mutex, and passes it to the next rank that waits for it. The call first waits until this rank's earlier
     * puts into the memory of the mutexes are visible. If that wait throws an exception, this thread still holds the
     * mutex. If the mutex lies at another node, the call sends one message and waits for no answer.
     *
     * @param index the index of the mutex at the rank
     * @param rank the rank where the mutex lies
     * @throws IllegalStateException if this thread does not hold the mutex, or the mutexes are closed
     */
    public abstract void unlock(int index, int rank);

    /**
     * Returns the first rank that has failed while it held a mutex. Only mutexes that are passed on after a failure
     * ({@link HolderFailure#PASS_ON}) record it. The present holder of the mutex calls this method, to learn whether
     * the guarded data may be half changed.
     *
     * @param index the index of the mutex at the rank
     * @param rank the rank where the mutex lies
     * @return the rank that has failed, or −1 if none has
     */
    public abstract int failedHolder(int index, int rank);

    /**
     * Closes the mutexes once all ranks have called this method. This is a collective call. If a rank still holds
     * mutexes, the call unlocks them, so that no other rank waits forever, and throws an {@link IllegalStateException}
     * in the end. Closing again has no effect. The mutexes must be closed before the remote memory to which they
     * belong.
     */
    @Override
    public abstract void close();
}
