/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;

import org.tutti.collective.kernel.Kernel;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;

/**
 * The primitive operations on memory from which all of Tutti's collectives are built. They read, write and await words,
 * copy and combine bytes, put to and get from other processes, and use locks. A word is a value of 64 bits in shared
 * memory that only grows. {@link LiveMachine} performs the operations on real memory. The simulator's machine computes
 * how long they take and checks their memory ordering.
 */
public interface Machine {
    /**
     * The greatest length of a packet, in bytes, if there is no fabric, the transport to other nodes. Algorithms also
     * use it to compute an upper bound of the memory that they need.
     */
    int PACKET_BYTES = 60 << 10;

    /**
     * {@return the length of the longest piece of a message, in bytes, that the fabric sends as one packet. It is the
     * same at all ranks of a communicator.}
     */
    default int packetBytes() {
        return PACKET_BYTES;
    }

    /**
     * Reads a word with acquire order.
     *
     * @param memory the memory that holds the word
     * @param offset the word's offset in {@code memory}, in bytes
     * @return the word's value
     */
    long load(MemorySegment memory, long offset);

    /**
     * Writes a word with release order.
     *
     * @param memory the memory that holds the word
     * @param offset the word's offset in {@code memory}, in bytes
     * @param value the word's new value, not less than its value before
     */
    void store(MemorySegment memory, long offset, long value);

    /**
     * Writes 64 bits with release order. The new value may be less than the value before, unlike that of a word.
     *
     * @param memory the memory that holds the 64 bits
     * @param offset the offset of the 64 bits in {@code memory}, in bytes
     * @param value the new value
     */
    void publish(MemorySegment memory, long offset, long value);

    /**
     * Reads 64 bits without memory ordering. An earlier {@link #load} or {@link #await} must have made them visible to
     * this thread.
     *
     * @param memory the memory that holds the 64 bits
     * @param offset the offset of the 64 bits in {@code memory}, in bytes
     * @return the value
     */
    long loadPlain(MemorySegment memory, long offset);

    /**
     * Writes 64 bits without memory ordering. A later {@link #store} makes them visible to a thread that loads the
     * stored word.
     *
     * @param memory the memory that holds the 64 bits
     * @param offset the offset of the 64 bits in {@code memory}, in bytes
     * @param value the new value
     */
    void storePlain(MemorySegment memory, long offset, long value);

    /**
     * Reads the tag of a word after the word has been awaited. The tag is the eight bytes after the word. This method
     * returns the tag that the writer set before it stored the awaited value, or a later tag.
     *
     * @param memory the memory that holds the word
     * @param word the word's offset in {@code memory}, in bytes
     * @return the tag
     */
    long loadTag(MemorySegment memory, long word);

    /**
     * Writes the tag of a word, the eight bytes after it. A later {@link #store} to the word publishes the tag. While a
     * reader may still read the tag of an earlier value, the only change that the writer may make is to clear the
     * lowest bit of that tag.
     *
     * @param memory the memory that holds the word
     * @param word the word's offset in {@code memory}, in bytes
     * @param tag the word's new tag
     */
    void storeTag(MemorySegment memory, long word, long tag);

    /**
     * Adds atomically to a word that several ranks change. The memory ordering is that of {@link
     * java.lang.invoke.VarHandle#getAndAdd}, which is an acquire and a release on the word.
     *
     * @param memory the memory that holds the word
     * @param offset the word's offset in {@code memory}, in bytes
     * @param increment the number to add; the sum wraps around on overflow
     * @return the word's value before the addition
     */
    long add(MemorySegment memory, long offset, long increment);

    /**
     * Writes a word that several ranks change, if the word has the expected value. The comparison and the write are one
     * atomic step. The memory ordering is that of {@link java.lang.invoke.VarHandle#compareAndExchange}. That is an
     * acquire and a release on the word, or only an acquire if the word does not have the expected value.
     *
     * @param memory the memory that holds the word
     * @param offset the word's offset in {@code memory}, in bytes
     * @param expected the value that the word must have
     * @param value the word's new value
     * @return the value that the word had before this call
     */
    long compareAndExchange(MemorySegment memory, long offset, long expected, long value);

    /**
     * Writes a word that several ranks change, if the word has the expected value, and returns whether it did. The
     * comparison and the write are one atomic step, with the memory ordering of {@link #compareAndExchange}.
     *
     * @param memory the memory that holds the word
     * @param offset the word's offset in {@code memory}, in bytes
     * @param expected the value that the word must have
     * @param value the word's new value
     * @return true if this call has written the word
     */
    default boolean compareAndSet(MemorySegment memory, long offset, long expected, long value) {
        return compareAndExchange(memory, offset, expected, value) == expected;
    }

    /**
     * Writes a word if its value is 0. If several ranks call this method for one word, only the first call has an
     * effect.
     *
     * @param memory the memory that holds the word
     * @param offset the word's offset in {@code memory}, in bytes
     * @param value the word's new value, not 0
     */
    default void setOnce(MemorySegment memory, long offset, long value) {
        compareAndSet(memory, offset, 0, value);
    }

    /**
     * Waits until a word has reached a value. Afterwards the calling thread sees everything that the word's writer
     * wrote before it stored that value.
     *
     * @param memory the memory that holds the word
     * @param offset the word's offset in {@code memory}, in bytes
     * @param atLeast the least value that ends the wait
     * @param check a check, called from time to time, that may end the wait by throwing
     */
    void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check);

    /**
     * Copies bytes between memory of this node.
     *
     * @param source the memory to copy from
     * @param sourceOffset the offset of the first byte in {@code source}
     * @param target the memory to copy to
     * @param targetOffset the offset of the first byte in {@code target}
     * @param bytes the number of bytes, 0 or more
     */
    void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes);

    /**
     * Combines the elements of two ranges of memory one by one: {@code target = left op right}. The target may be the
     * left or the right range.
     *
     * @param kernel the operator for the elements' type
     * @param left the memory that holds the elements of lower ranks
     * @param leftOffset the offset of the first element in {@code left}, in bytes
     * @param right the memory that holds the elements of higher ranks
     * @param rightOffset the offset of the first element in {@code right}, in bytes
     * @param target the memory for the result
     * @param targetOffset the offset of the result in {@code target}, in bytes
     * @param bytes the length of each range in bytes
     */
    void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes);

    /** The outcome of a get from another process. */
    enum Reply {
        /** The bytes have been copied to the target. */
        GIVEN,
        /**
         * The process does not have the region; it may not have registered the region yet, or it may have revoked it.
         */
        REFUSED,
        /** The process has failed or left the job. */
        GONE
    }

    /**
     * Copies bytes into a region of another process. If the target names a word of the region, then raises that word to
     * a greater value. Puts of this process into another process take effect in the order of their calls. They are sent
     * at the next {@link #flush} at the latest. Once this method has returned, the caller may change the bytes, the
     * {@code PutTarget} and the {@code PutSource}.
     *
     * @param target the location to copy to, the word to raise, if any, and the word's {@linkplain #storeTag tag}
     * @param source the bytes, in one or several runs of memory
     * @param check a check that may end a wait for space in the send buffers by throwing
     * @return false if the process has failed or left the job
     */
    boolean put(PutTarget target, PutSource source, Waiter.Check check);

    /**
     * Copies bytes from a region of another process, and waits until they have arrived.
     *
     * @param process the other process, named by its first rank in the job
     * @param region the region's handle
     * @param offset the offset of the first byte in the region
     * @param target the memory to copy to
     * @param targetOffset the offset of the first byte in {@code target}
     * @param bytes the number of bytes, 1 or more
     * @param check a check, called from time to time, that may end the wait by throwing
     * @return the outcome; the bytes have arrived only if it is {@link Reply#GIVEN}
     */
    Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check);

    /**
     * Registers memory of this process as a region that other processes can put into and get from.
     *
     * @param memory the memory; an array of the Java heap takes the bytes of puts, but has no words
     * @return the region's handle, by which other processes address it
     */
    long register(MemorySegment memory);

    /**
     * Revokes the right of other processes to access a region. A put that arrives after this call changes nothing.
     *
     * @param region the region's handle
     */
    void revoke(long region);

    /**
     * Sends the puts that are still in send buffers.
     */
    void flush();

    /** {@return whether a wait may occupy the core. It may not in a background operation while the rank computes.} */
    default boolean isHurried() {
        return true;
    }

    /**
     * Pauses the calling thread for a short time. A wait for a condition that is not a word calls this method between
     * two checks of the condition.
     *
     * @param turn the number of earlier checks; the pause grows with it
     */
    void pause(int turn);

    /**
     * Acquires a lock that the threads of one rank share. Waits until no other thread holds the lock. This thread then
     * sees everything that earlier holders wrote before they released the lock.
     *
     * @param lock the lock, which this thread does not hold
     */
    void lock(Lock lock);

    /**
     * Releases a lock.
     *
     * @param lock the lock, which this thread holds
     */
    void unlock(Lock lock);
}
