/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Waiter;

/**
 * Moves bytes between processes that share no memory. A process is identified by its first rank. A region is memory of
 * a process that other processes may address. They name a region by its handle, a number that its owner has sent them
 * or that they can compute. The process that owns a region checks every access against the region's bounds.
 *
 * <p><b>Ordering.</b> The operations of this process on one other process take effect in the order of the calls. When
 * the word of a put is raised, the bytes of this put and of all earlier puts to that process are visible to a thread
 * that reads the word with acquire order. Requests are answered in the same order. The bytes of different puts are not
 * ordered. With several rails (parallel connections between two processes), any of several puts to the same bytes may
 * be the last to arrive, unless a {@link #fence} is between them. A get may read the bytes of a later put. Only fences
 * order operations on different processes.
 *
 * <p>If a {@link RegionHandler} cannot handle a message yet, the message waits. Later messages, words and requests of
 * the same process for that region wait with it, while operations on other regions go on. A fence waits for such
 * messages.
 *
 * <p><b>Checks.</b> A call that may wait takes a check, which ends the call by throwing. A check must not call the
 * fabric.
 *
 * <p><b>Completion.</b> When a call returns, the caller may reuse its source. A put is under way when {@link #flush}
 * has returned, or some time after {@link #flushSoon}. A call that waits for an answer sends its request before it
 * waits.
 *
 * <p><b>Progress.</b> A waiting thread polls. While no thread polls, a thread of the fabric serves this process.
 *
 * <p>Calls return false if the other process is gone, because it has left or cannot be reached. A fence then returns
 * false only if the process had not confirmed all puts before. Safe for use by any number of threads.
 */
public interface Transport extends Waiter.Progress {
    /**
     * Returns the most bytes of a message that travel as one packet, together with the header of their frame. All
     * processes of a job have the same value, because it belongs to the protocol of the fabric, and processes with
     * different protocols do not connect.
     *
     * @return the length in bytes, a multiple of 64
     */
    int packetBytes();

    /**
     * Registers memory as a region that other processes may address.
     *
     * @param memory the memory of the region. An array of the Java heap takes the bytes of puts, but has no words
     * @return the region's handle, a random number that is hard to guess
     */
    long register(MemorySegment memory);

    /**
     * Registers memory as a region that other processes may address, and to which they may send active messages, bytes
     * that a handler of this process interprets.
     *
     * @param memory the memory of the region, which is native memory or a part of the node's shared memory
     * @param handler handles the messages of other processes
     * @return the region's handle, a random number that is hard to guess
     */
    long register(MemorySegment memory, RegionHandler handler);

    /**
     * Registers memory as a region that other processes may address, with a handle that they can compute.
     *
     * @param memory the memory of the region, which is native memory or a part of the node's shared memory
     * @param handle the region's handle, which only the processes of the job can compute; no earlier region may have
     *            had it
     * @throws IllegalStateException if this process has a region with this handle
     */
    void registerKnown(MemorySegment memory, long handle);

    /**
     * Registers memory as a region to which other processes may send active messages, with a handle that they can
     * compute.
     *
     * @param memory the memory of the region, which is native memory or a part of the node's shared memory
     * @param handle the region's handle, which only the processes of the job can compute; no earlier region may have
     *            had it
     * @param handler handles the messages of other processes
     * @throws IllegalStateException if this process has a region with this handle
     */
    void registerKnown(MemorySegment memory, long handle, RegionHandler handler);

    /**
     * Revokes a region, so that other processes can no longer address it. Their later accesses are dropped and counted.
     * When this method returns, no thread of the fabric uses the region's memory for an access of another process. This
     * method does not wait for calls of this process whose source or target lies in the same memory. It returns soon,
     * even if such a call waits for a process that stands still.
     *
     * @param handle the region's handle
     */
    void revoke(long handle);

    /**
     * Copies bytes into a region of another process, and then changes a word of the region. If the region, the range or
     * the word is not allowed, the target drops the put and counts it, and the caller gets no error. A put that changes
     * no word may stay in a buffer of this process until the next put, or until {@link #flush}.
     *
     * @param target the process, the region and the offset of the bytes, and the word to change; the caller may reuse
     *            the object when this method returns
     * @param source the bytes, in one or several runs of memory; the caller may reuse the object when this method
     *            returns
     * @param check called at intervals while the call waits for room; ends the call by throwing an exception
     * @return true, or false if the other process is gone
     */
    boolean put(PutTarget target, PutSource source, Waiter.Check check);

    /**
     * Copies bytes that lie in one run of memory into a region of another process, as {@link #put(PutTarget, PutSource,
     * Waiter.Check)} does.
     *
     * @param target the process, the region and the offset of the bytes, and the word to change; the caller may reuse
     *            the object when this method returns
     * @param source the memory of the bytes
     * @param sourceOffset the offset of the bytes in the source
     * @param bytes the number of bytes, 0 or more
     * @param check called at intervals while the call waits for room; ends the call by throwing an exception
     * @return true, or false if the other process is gone
     */
    default boolean put(PutTarget target, MemorySegment source, long sourceOffset, long bytes, Waiter.Check check) {
        return put(target, new PutSource().add(source, sourceOffset, bytes), check);
    }

    /**
     * Copies bytes from a region of another process to memory of this process, and waits until they have arrived.
     *
     * @param process the first rank of the other process
     * @param region the handle of the region in the other process
     * @param offset the offset of the bytes in the region
     * @param target the memory for the bytes
     * @param targetOffset the offset of the bytes in the target
     * @param bytes the number of bytes, 1 or more
     * @param check called at intervals; ends the wait by throwing an exception
     * @return true, or false if the other process is gone
     * @throws IndexOutOfBoundsException if the other process has no such region, or the region does not contain the
     *            range
     */
    boolean get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check);

    /**
     * Reads or changes 64 or 32 bits of a region of another process atomically, and waits for their old value.
     *
     * @param process the first rank of the other process
     * @param region the handle of the region in the other process
     * @param offset the offset of the bits in the region, a multiple of the operation's {@link AtomicOperation#bytes}
     * @param operation the operation
     * @param operand the number to add or to store
     * @param expected the value that a compare-and-swap expects
     * @param result an array that receives the old value of the bits in its first element
     * @param check called at intervals; ends the wait by throwing an exception
     * @return true, or false if the other process is gone
     * @throws IndexOutOfBoundsException if the other process has no such region, or the region does not contain the
     *            range
     */
    boolean atomic(int process, long region, long offset, AtomicOperation operation, long operand, long expected,
            long[] result, Waiter.Check check);

    /**
     * Waits until all puts of this process to another one are visible there.
     *
     * @param process the first rank of the other process
     * @param check called at intervals; ends the wait by throwing an exception
     * @return whether all puts are visible there; the process may have gone since it confirmed them
     */
    default boolean fence(int process, Waiter.Check check) {
        return awaitFence(process, beginFence(process, check), check);
    }

    /**
     * Asks another process to confirm that all puts of this process are visible there. Several processes can be asked
     * before the first answer is awaited.
     *
     * @param process the first rank of the other process
     * @param check called at intervals; ends the call by throwing an exception
     * @return a number that stands for the puts to be confirmed, which must be passed to {@link #awaitFence}
     */
    long beginFence(int process, Waiter.Check check);

    /**
     * Waits until another process has confirmed that the puts of this process are visible there, as {@link #beginFence}
     * has asked.
     *
     * @param process the first rank of the other process
     * @param all the result of {@link #beginFence}
     * @param check called at intervals; ends the wait by throwing an exception
     * @return whether all puts are visible there; the process may have gone since it confirmed them
     */
    boolean awaitFence(int process, long all, Waiter.Check check);

    /**
     * Waits until all puts of this process are visible at every other process that is not gone.
     *
     * @param timeoutMillis the longest wait in milliseconds, in addition to the time that a process may stand still
     * @return whether all puts are visible, at every process
     */
    boolean fenceAll(long timeoutMillis);

    /**
     * Sends the puts and messages that earlier calls have left in buffers, without waiting. If the network has no room
     * for all of them, a thread of the fabric sends the rest.
     */
    void flush();

    /**
     * Lets the puts and messages that earlier calls have left in buffers leave this process soon. They leave with the
     * next call that waits, polls or flushes, and at the latest after about a millisecond. Consecutive puts may
     * therefore share a system call.
     */
    void flushSoon();
}
