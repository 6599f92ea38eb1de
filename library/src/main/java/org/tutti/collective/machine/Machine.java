/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;

import org.tutti.collective.kernel.Kernel;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;

/**
 * The primitives of which all of Tutti's collectives are made: words, waiting, copying and combining, puts and gets,
 * locks. {@link LiveMachine} performs them; a simulated machine gives them time and checks their order.
 */
public interface Machine {
    /**
     * The length of a packet if there is no fabric, in bytes; algorithms also use it to bound the memory that they
     * need.
     */
    int PACKET_BYTES = 60 << 10;

    /**
     * {@return the longest piece of a message that the fabric sends as one packet, in bytes; the same at all ranks of a
     * communicator}
     */
    default int packetBytes() {
        return PACKET_BYTES;
    }

    /**
     * Reads a word with acquire order.
     *
     * @param memory the memory that holds it
     * @param offset its offset in that memory
     * @return its value
     */
    long load(MemorySegment memory, long offset);

    /**
     * Writes a word with release order.
     *
     * @param memory the memory that holds it
     * @param offset its offset in that memory
     * @param value its new value
     */
    void store(MemorySegment memory, long offset, long value);

    /**
     * Writes 64 bits with release order. They are no word, because they may shrink.
     *
     * @param memory the memory that holds them
     * @param offset their offset in that memory
     * @param value their new value
     */
    void publish(MemorySegment memory, long offset, long value);

    /**
     * Reads 64 bits that an earlier {@link #load} or {@link #await} made visible.
     *
     * @param memory the memory that holds them
     * @param offset their offset in that memory
     * @return their value
     */
    long loadPlain(MemorySegment memory, long offset);

    /**
     * Writes 64 bits that a later {@link #store} publishes.
     *
     * @param memory the memory that holds them
     * @param offset their offset in that memory
     * @param value their new value
     */
    void storePlain(MemorySegment memory, long offset, long value);

    /**
     * Reads the tag of a word, the eight bytes after it, when the word was awaited. The tag is the one that the writer
     * set before it stored the awaited value, or a later one.
     *
     * @param memory the memory that holds the word
     * @param word its offset in that memory
     * @return the tag
     */
    long loadTag(MemorySegment memory, long word);

    /**
     * Writes the tag of a word, which a later {@link #store} to the word publishes. While a reader may still read the
     * tag of an earlier value, the writer may change nothing in it but clear its lowest bit.
     *
     * @param memory the memory that holds the word
     * @param word its offset in that memory
     * @param tag its new tag
     */
    void storeTag(MemorySegment memory, long word, long tag);

    /**
     * Adds atomically to a word that several ranks change. The order is that of a volatile access, as by {@link
     * java.lang.invoke.VarHandle#getAndAdd}: an acquire and a release on the word.
     *
     * @param memory the memory that holds it
     * @param offset its offset in that memory
     * @param increment the number to add; the sum wraps
     * @return the value before
     */
    long add(MemorySegment memory, long offset, long increment);

    /**
     * Writes atomically a word that several ranks change, if it has the expected value. The order is that of a volatile
     * access, as by {@link java.lang.invoke.VarHandle#compareAndExchange}: an acquire and a release on the word, or
     * only an acquire when the word does not have the expected value.
     *
     * @param memory the memory that holds it
     * @param offset its offset in that memory
     * @param expected the value that it must have
     * @param value its new value
     * @return the value before
     */
    long compareAndExchange(MemorySegment memory, long offset, long expected, long value);

    /**
     * Does the same as {@link #compareAndExchange}, in the same order.
     *
     * @param memory the memory that holds the word
     * @param offset its offset in that memory
     * @param expected the value that it must have
     * @param value its new value
     * @return whether this call has written it
     */
    default boolean compareAndSet(MemorySegment memory, long offset, long expected, long value) {
        return compareAndExchange(memory, offset, expected, value) == expected;
    }

    /**
     * Sets a word from 0, once, where several ranks may try to.
     *
     * @param memory the memory that holds it
     * @param offset its offset in that memory
     * @param value its new value; without effect if the word is not 0
     */
    default void setOnce(MemorySegment memory, long offset, long value) {
        compareAndSet(memory, offset, 0, value);
    }

    /**
     * Waits until a word has reached a value. The earlier writes of the word's writer are visible then.
     *
     * @param memory the memory that holds it
     * @param offset its offset in that memory
     * @param atLeast the value
     * @param check may end the wait by throwing
     */
    void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check);

    /**
     * Copies bytes.
     *
     * @param source the memory to copy from
     * @param sourceOffset the offset in that memory
     * @param target the memory to copy to
     * @param targetOffset the offset in that memory
     * @param bytes how many, 0 or more
     */
    void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes);

    /**
     * Combines two ranges: {@code target = left op right}. The target may be left or right.
     *
     * @param kernel the operator for the type
     * @param left elements of lower ranks
     * @param leftOffset the offset in that memory
     * @param right elements of higher ranks
     * @param rightOffset the offset in that memory
     * @param target the memory for the result
     * @param targetOffset the offset in that memory
     * @param bytes the length of each range
     */
    void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes);

    /** The answer of a process to a get. */
    enum Reply {
        /** The bytes are here. */
        GIVEN,
        /** The process has no such region, or not yet, or not any more. */
        REFUSED,
        /** The process is gone. */
        GONE
    }

    /**
     * Copies bytes into a region of another process, and then raises a word of the region, if the target names one.
     * Puts of this process into another one take effect in their order. They are sent at {@link #flush} at the latest;
     * source and target may be used again when this returns.
     *
     * @param target where the bytes go, and which word is raised, with its {@linkplain #storeTag tag}
     * @param source the memory to copy from
     * @param sourceOffset the offset in that memory
     * @param bytes how many, 0 or more
     * @param check may end a wait for room by throwing
     * @return false when the process is gone
     */
    boolean put(PutTarget target, MemorySegment source, long sourceOffset, long bytes, Waiter.Check check);

    /**
     * Copies bytes from a region of another process, and waits until they are here.
     *
     * @param process the other process
     * @param region the region's handle
     * @param offset the offset of the bytes in it
     * @param target the memory to copy to
     * @param targetOffset the offset in that memory
     * @param bytes how many, 1 or more
     * @param check may end the wait by throwing
     * @return whether the bytes are here
     */
    Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check);

    /**
     * Lets other processes put into memory of this one, and get from it.
     *
     * @param memory native memory
     * @return the handle by which other processes name it
     */
    long register(MemorySegment memory);

    /**
     * Ends the right of other processes to memory: a put that arrives from now on changes nothing.
     *
     * @param region the region's handle
     */
    void revoke(long region);

    /**
     * Sends the frames that puts have gathered.
     */
    void flush();

    /**
     * {@return whether waits may occupy the core: false in the background of a rank that computes}
     */
    default boolean isHurried() {
        return true;
    }

    /**
     * Lets a little time pass between two looks at something that no word tells.
     *
     * @param turn the number of earlier looks
     */
    void pause(int turn);

    /**
     * Takes a lock that the threads of one rank share. Waits until no other thread has it, and sees what the others did
     * before they gave it back.
     *
     * @param lock the lock, which this thread does not have
     */
    void lock(Lock lock);

    /**
     * Gives a lock back.
     *
     * @param lock the lock, which this thread has
     */
    void unlock(Lock lock);
}
