/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Waiter;

/**
 * Moves bytes between processes that share no memory. A process is named by its first rank. Memory that others may
 * address is a region, found by its handle, which its owner has told them; every access is checked against the region's
 * bounds where the region is.
 *
 * <p><b>Ordering.</b> The puts and other operations of this process on one other process take effect in the order in
 * which they were called: when a put's word is raised, its bytes and those of all earlier puts to that process are
 * visible to a thread that reads the word with acquire order; requests are answered in their turn. The bytes themselves
 * arrive when they arrive: of puts to the same bytes without a {@link #fence} in between, any may be the last where
 * there are several rails, and a get may see the bytes of a later put. Between different processes nothing is ordered
 * without fences.
 *
 * <p>A message whose {@link RegionHandler} cannot handle it yet waits, and so do later messages, words and requests of
 * the same process for that region. What is for other regions goes on. A fence waits for such messages.
 *
 * <p><b>Checks.</b> Calls that may wait take a check that ends them by throwing. It must not call the fabric.
 *
 * <p><b>Completion.</b> When a call returns, its source may be used again. A put is under way at the latest when
 * {@link #flush} has been called, or some time after {@link #flushSoon}; what a call waits for
 * has left before.
 *
 * <p><b>Progress.</b> A thread that waits polls; when no thread does, a thread of the fabric serves this process.
 *
 * <p>Calls return false when the other process is gone: it has left, or cannot be reached; a fence only if it has not
 * said before that it had all. Safe for use by any number of threads.
 */
public interface Transport extends Waiter.Progress {
    /**
     * Tells how long the longest piece of a message is that is best sent by itself. All processes of a job are told the
     * same, because it belongs to the protocol of the fabric, and processes with different protocols do not connect.
     *
     * @return the bytes, a multiple of 64
     */
    int packetBytes();

    /**
     * Lets other processes address memory.
     *
     * @param memory native memory, or part of the node's memory
     * @return the region's handle, hard to guess
     */
    long register(MemorySegment memory);

    /**
     * Lets other processes address memory, and send active messages to it.
     *
     * @param memory native memory, or part of the node's memory
     * @param handler handles their messages
     * @return the region's handle, hard to guess
     */
    long register(MemorySegment memory, RegionHandler handler);

    /**
     * Lets other processes address memory by a handle that they know without being told.
     *
     * @param memory native memory, or part of the node's memory
     * @param handle the region's handle, which nobody but the job's processes can compute; no region may have had it
     *            before
     * @throws IllegalStateException when this process has a region with this handle
     */
    void registerKnown(MemorySegment memory, long handle);

    /**
     * Ends that: what arrives for the region from now on is dropped and counted.
     *
     * @param handle the region's handle
     */
    void revoke(long handle);

    /**
     * Copies bytes into a region of another process, and then changes a word of the region. Where the region, or the
     * range, or the word is not allowed, the put is dropped there, and counted: the caller is not told. A put
     * that changes no word may stay here until the next one, or {@link #flush}.
     *
     * @param target where the bytes go, and which word is changed; it is the caller's again when this returns
     * @param source where the bytes are
     * @param sourceOffset at which byte
     * @param bytes how many, 0 or more
     * @param check is asked now and then, should the call have to wait for room; throws to end it
     * @return whether the process was there
     */
    boolean put(PutTarget target, MemorySegment source, long sourceOffset, long bytes, Waiter.Check check);

    /**
     * Copies bytes from a region of another process, and waits until they are here.
     *
     * @param process the other process
     * @param region the region's handle
     * @param offset at which byte of the region
     * @param target where the bytes go
     * @param targetOffset at which byte
     * @param bytes how many, 1 or more
     * @param check is asked now and then; throws to end the wait
     * @return whether the process was there
     * @throws IndexOutOfBoundsException when the other process refuses: no such region, or out of its bounds
     */
    boolean get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check);

    /**
     * Changes 64 bits of a region of another process at once, or 32, and waits for their old value.
     *
     * @param process the other process
     * @param region the region's handle
     * @param offset at which byte of the region, a multiple of the operation's {@link AtomicOperation#bytes}
     * @param operation what to do
     * @param operand with which value
     * @param expected what a compare-and-swap expects
     * @param result receives the old value, in the first element
     * @param check is asked now and then; throws to end the wait
     * @return whether the process was there
     * @throws IndexOutOfBoundsException when the other process refuses: no such region, or out of its bounds
     */
    boolean atomic(int process, long region, long offset, AtomicOperation operation, long operand, long expected,
            long[] result, Waiter.Check check);

    /**
     * Waits until everything that this process has put into another one is visible there.
     *
     * @param process the other process
     * @param check is asked now and then; throws to end the wait
     * @return whether it is; the process may have gone since
     */
    default boolean fence(int process, Waiter.Check check) {
        return awaitFence(process, beginFence(process, check), check);
    }

    /**
     * Asks another process to say when everything that this process has put into it is visible there. So several can be
     * asked before the first answer is awaited.
     *
     * @param process the other process
     * @param check is asked now and then; throws to end the call
     * @return what {@link #awaitFence} has to be told
     */
    long beginFence(int process, Waiter.Check check);

    /**
     * Waits for the answer.
     *
     * @param process the other process
     * @param all what {@link #beginFence} has returned
     * @param check is asked now and then; throws to end the wait
     * @return whether all of it is visible there; the process may have gone since
     */
    boolean awaitFence(int process, long all, Waiter.Check check);

    /**
     * Waits until everything that this process has put into any other one is visible there, or that one is gone.
     *
     * @param timeoutMillis how long to wait at most, besides the time that a process may stand still
     * @return whether it is, everywhere
     */
    boolean fenceAll(long timeoutMillis);

    /**
     * Sends what calls have gathered; never waits.
     */
    void flush();

    /**
     * Has what calls have gathered sent before long: with the next call of this process that waits, polls or flushes,
     * or after about a millisecond, whatever its threads do meanwhile. So puts that follow each other may share a
     * system call.
     */
    void flushSoon();
}
