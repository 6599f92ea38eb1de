/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;

/**
 * Mutexes that lie at the ranks of a communicator, made by {@link RemoteMemory#allocateMutexes(int)}: each rank has as
 * many as it asked for, and any rank may lock any of them. The owner of a mutex takes no part in that.
 *
 * <p><b>Order.</b> Who waits gets the mutex in the order of the calls, as they reach the rank where the mutex lies. Who
 * gives up (a timeout, a deadline, an interrupt) keeps his place for his next call, until his turn has passed.
 *
 * <p><b>Memory ordering.</b> What a holder did before {@link #unlock} is visible to the next holder: loads and stores
 * in memory of the node, and everything put into the {@link RemoteMemory} that the mutexes belong to, since
 * {@code unlock} waits for a {@link RemoteMemory#fenceAll} first. That costs nothing when nothing was put to other
 * nodes since the last fence. What was put into other remote memory needs a fence of its own.
 *
 * <p><b>Failure.</b> {@link HolderFailure} says what becomes of a mutex whose holder fails. When the rank fails where
 * a mutex lies, calls for it throw {@link RankFailedException}. Deadlines of the memory and interrupts end a call that
 * waits for its turn, and it does not hold the mutex then; they do not end the short talk with another node in which
 * a place in the queue is taken or given up.
 *
 * <p><b>Threads.</b> Any number of threads of a rank may use mutexes at the same time. A mutex is held by a thread, and
 * unlocked by the same one; threads of a rank that want the same mutex get it in any order among themselves. Mutexes
 * are not reentrant. One thread closes them, when no other one uses them. Calls allocate nothing, except the first call
 * for the mutexes of a rank.
 */
public abstract class Mutexes implements AutoCloseable {
    /** The most mutexes that a rank may ask for. */
    public static final int COUNT_MAX = 1 << 16;

    /** What becomes of a mutex whose holder fails, or leaves the job without having closed the mutexes. */
    public enum HolderFailure {
        /** Calls throw {@link RankFailedException}, as those of all else do when a rank has failed. */
        THROW,
        /**
         * The next one in the queue gets the mutex, and should ask {@link #failedHolder}: what the mutex guards may be
         * half changed. Locking the mutex of a rank of another node takes one more answer from there, and if a rank
         * fails in the very moment of locking or unlocking, those who wait get {@link RankFailedException} a
         * second later.
         */
        PASS_ON
    }

    /**
     * For Tutti's own implementation only.
     */
    protected Mutexes() {}

    /**
     * How many mutexes a rank has.
     *
     * @param rank a rank of the communicator
     * @return 0 or more
     * @throws IllegalArgumentException when there is no such rank
     */
    public abstract int count(int rank);

    /**
     * Waits until this thread holds a mutex.
     *
     * @param index which mutex of the rank, 0 to its count − 1
     * @param rank where the mutex lies
     * @throws IllegalArgumentException when there is no such rank
     * @throws IndexOutOfBoundsException when the rank has no such mutex
     * @throws IllegalStateException when this thread holds the mutex already, or the mutexes are closed
     * @throws RankFailedException when a rank has failed, or has left without having closed the mutexes
     * @throws DeadlineExceededException at the deadline of the memory
     * @throws CallInterruptedException when this thread is interrupted while it waits for its turn
     */
    public abstract void lock(int index, int rank);

    /**
     * Takes a mutex if it is free. Lets other threads run now and then if it is not, so that ranks that are virtual
     * threads may ask in a loop.
     *
     * @param index which mutex of the rank
     * @param rank where the mutex lies
     * @return whether this thread holds it now
     * @throws IllegalStateException when this thread holds the mutex already, or the mutexes are closed
     */
    public abstract boolean tryLock(int index, int rank);

    /**
     * Waits until this thread holds a mutex, but not much longer than a given time.
     *
     * @param index which mutex of the rank
     * @param rank where the mutex lies
     * @param timeout how long; zero or less does not wait
     * @return whether this thread holds it now
     * @throws IllegalStateException when this thread holds the mutex already, or the mutexes are closed
     */
    public abstract boolean tryLock(int index, int rank, Duration timeout);

    /**
     * Gives a mutex to the next one in its queue. To another node this is one message whose answer is not awaited. When
     * the fence before it ends with an exception, this rank still holds the mutex.
     *
     * @param index which mutex of the rank
     * @param rank where the mutex lies
     * @throws IllegalStateException when this thread does not hold the mutex, or the mutexes are closed
     */
    public abstract void unlock(int index, int rank);

    /**
     * The rank that has failed while it held a mutex ({@link HolderFailure#PASS_ON}), or the first of them. Asked by
     * who holds the mutex now.
     *
     * @param index which mutex of the rank
     * @param rank where the mutex lies
     * @return the rank, or −1 when none has
     */
    public abstract int failedHolder(int index, int rank);

    /**
     * Collective: ends the mutexes when all ranks have come here. A rank that still holds some gives them back first,
     * so that nobody waits for ever, and gets an {@link IllegalStateException} in the end. Closing again does nothing.
     * The mutexes are closed before their memory is.
     */
    @Override
    public abstract void close();
}
