/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;

import org.tutti.collective.kernel.Kernel;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;

/**
 * The few things that everything above is made of. {@link LiveMachine} does them; a simulated machine gives them time
 * and checks their order.
 */
public interface Machine {
    /** A packet where there is no fabric; algorithms also say by it how much memory they need. */
    int PACKET_BYTES = 60 << 10;

    /**
     * {@return the longest piece of a message that is best sent by itself; the same at all ranks of a communicator}
     */
    default int packetBytes() {
        return PACKET_BYTES;
    }

    /**
     * Reads a word with acquire order.
     *
     * @param memory where it lies
     * @param offset at which byte
     * @return its value
     */
    long load(MemorySegment memory, long offset);

    /**
     * Writes a word with release order.
     *
     * @param memory where it lies
     * @param offset at which byte
     * @param value its new value
     */
    void store(MemorySegment memory, long offset, long value);

    /**
     * Writes 64 bits with release order that are no word, as they may shrink.
     *
     * @param memory where they lie
     * @param offset at which byte
     * @param value their new value
     */
    void publish(MemorySegment memory, long offset, long value);

    /**
     * Reads 64 bits that an earlier {@link #load} or {@link #await} made visible.
     *
     * @param memory where they lie
     * @param offset at which byte
     * @return their value
     */
    long loadPlain(MemorySegment memory, long offset);

    /**
     * Writes 64 bits that a later {@link #store} publishes.
     *
     * @param memory where they lie
     * @param offset at which byte
     * @param value their new value
     */
    void storePlain(MemorySegment memory, long offset, long value);

    /**
     * Reads the tag of a word, the eight bytes after it, when the word was awaited. The tag is what its writer has set
     * before the awaited value, or since.
     *
     * @param memory where the word lies
     * @param word at which byte
     * @return the tag
     */
    long loadTag(MemorySegment memory, long word);

    /**
     * Writes the tag of a word, which a later {@link #store} to the word publishes. Others may be reading what it was
     * for an earlier value: as long as they may, the tag stays the same, but for its lowest bit, which may be cleared.
     *
     * @param memory where the word lies
     * @param word at which byte
     * @param tag its new tag
     */
    void storeTag(MemorySegment memory, long word, long tag);

    /**
     * Adds to a word that several ranks change, at once. The order is that of a volatile access, as by
     * {@link java.lang.invoke.VarHandle#getAndAdd}: an acquire and a release on the word.
     *
     * @param memory where it lies
     * @param offset at which byte
     * @param increment what is added; the sum wraps
     * @return the value before
     */
    long add(MemorySegment memory, long offset, long increment);

    /**
     * Writes a word that several ranks change if it is as expected, at once. The order is that of a volatile access, as
     * by {@link java.lang.invoke.VarHandle#compareAndExchange}: an acquire and a release on the word, or an acquire
     * only when the word is not as expected.
     *
     * @param memory where it lies
     * @param offset at which byte
     * @param expected the value that it must have
     * @param value its new value
     * @return the value before
     */
    long compareAndExchange(MemorySegment memory, long offset, long expected, long value);

    /**
     * Does what {@link #compareAndExchange} does, in the same order.
     *
     * @param memory where the word lies
     * @param offset at which byte
     * @param expected the value that it must have
     * @param value its new value
     * @return whether this call has written it
     */
    default boolean compareAndSet(MemorySegment memory, long offset, long expected, long value) {
        return compareAndExchange(memory, offset, expected, value) == expected;
    }

    /**
     * Sets a word that several may want to set, once: from 0.
     *
     * @param memory where it lies
     * @param offset at which byte
     * @param value its new value; without effect when it has one
     */
    default void setOnce(MemorySegment memory, long offset, long value) {
        compareAndSet(memory, offset, 0, value);
    }

    /**
     * Waits until a word has reached a value; what its writer did before is visible then.
     *
     * @param memory where it lies
     * @param offset at which byte
     * @param atLeast the value
     * @param check what may end the wait, by throwing
     */
    void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check);

    /**
     * Copies bytes.
     *
     * @param source where they are
     * @param sourceOffset at which byte
     * @param target where they go
     * @param targetOffset at which byte
     * @param bytes how many, 0 or more
     */
    void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes);

    /**
     * Combines two ranges: {@code target = left op right}. The target may be left or right.
     *
     * @param kernel the operator for the type
     * @param left elements of lower ranks
     * @param leftOffset at which byte
     * @param right elements of higher ranks
     * @param rightOffset at which byte
     * @param target where the result goes
     * @param targetOffset at which byte
     * @param bytes the length of each range
     */
    void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes);

    /** What a process says to who wants to get something from it. */
    enum Reply {
        /** The bytes are here. */
        GIVEN,
        /** It has no such region, or not yet, or not any more. */
        REFUSED,
        /** It is gone. */
        GONE
    }

    /**
     * Copies bytes into a region of another process, and then raises a word of the region, if the target names one.
     * Puts of this process into another one take effect in their order. They are on their way at the latest after
     * {@link #flush}; source and target may be used again at once.
     *
     * @param target where they go, and which word is raised, with its {@linkplain #storeTag tag}
     * @param source where they are
     * @param sourceOffset at which byte
     * @param bytes how many, 0 or more
     * @param check what may end waiting for room, by throwing
     * @return false when the process is gone
     */
    boolean put(PutTarget target, MemorySegment source, long sourceOffset, long bytes, Waiter.Check check);

    /**
     * Copies bytes from a region of another process, and waits until they are here.
     *
     * @param process the other process
     * @param region the region's handle
     * @param offset at which byte of the region
     * @param target where they go
     * @param targetOffset at which byte
     * @param bytes how many, 1 or more
     * @param check what may end the wait, by throwing
     * @return whether they are here
     */
    Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check);

    /**
     * Lets other processes put into memory of this one, and get from it.
     *
     * @param memory native memory
     * @return the handle by which they name it
     */
    long register(MemorySegment memory);

    /**
     * Ends that: what arrives for the region from now on changes nothing.
     *
     * @param region the region's handle
     */
    void revoke(long region);

    /**
     * Sends what puts have gathered.
     */
    void flush();

    /**
     * {@return whether waits may take the core: false in the background of a rank that computes}
     */
    default boolean isHurried() {
        return true;
    }

    /**
     * Lets a little time pass between two looks at something that no word tells.
     *
     * @param turn how many times that was done before
     */
    void pause(int turn);

    /**
     * Takes a lock that the threads of one rank share: waits until no other has it, and sees what they did before they
     * gave it back.
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
