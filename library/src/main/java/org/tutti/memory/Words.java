/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Reads and writes words. A word is a number of 64 bits in shared memory that only grows. A word has either one writer,
 * which stores with release order, or many writers, which add. A third kind of word is set once, by the first rank that
 * does so with {@link #compareAndSet}. The word that breaks a communicator is an example. A rank always waits for
 * {@code word >= value}. Therefore no word is ever reset, and none can be reset too early.
 *
 * <p>Memory ordering: writes before {@link #store} (or {@link #add}) are visible to a thread that reads the stored or a
 * later value with {@link #load}. The methods with plain in their names order nothing. They are for bytes that become
 * visible to other threads by a later store of a word.
 */
public final class Words {
    /** The number of bytes of a cache line. Words of different writers lie on different lines. */
    public static final int LINE_BYTES = 64;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    static {
        // The JVM links this call site at its first call, for which it needs room in the heap. A rank breaks its
        // communicator by this call, also when the heap is full.
        compareAndExchange(Arena.ofAuto().allocate(Long.BYTES, Long.BYTES), 0, 0, 0);
    }

    private Words() {}

    /**
     * Reads a word of shared memory with acquire order. Everything that its writer wrote before the value that is read
     * is then visible to this thread.
     *
     * @param memory the memory that contains the word
     * @param offset the offset of the word in bytes, a multiple of 8
     * @return the value of the word
     */
    public static long load(MemorySegment memory, long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    /**
     * Writes a word of shared memory with release order. A thread that reads the new value sees everything that this
     * thread wrote before.
     *
     * @param memory the memory that contains the word
     * @param offset the offset of the word in bytes, a multiple of 8
     * @param value the new value of the word, not below the old one
     */
    public static void store(MemorySegment memory, long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    /**
     * Atomically adds to a word that has many writers, with the memory ordering of a volatile variable.
     *
     * @param memory the memory that contains the word
     * @param offset the offset of the word in bytes, a multiple of 8
     * @param increment the number to add
     * @return the previous value of the word
     */
    public static long add(MemorySegment memory, long offset, long increment) {
        return (long) LONG.getAndAdd(memory, offset, increment);
    }

    /**
     * Atomically sets a word if it has an expected value, with the memory ordering of a volatile variable. It is for
     * words that are set only once. Several threads may try to set one.
     *
     * @param memory the memory that contains the word
     * @param offset the offset of the word in bytes, a multiple of 8
     * @param expected the value that the word must have
     * @param value the new value of the word
     * @return whether this call has set the word
     */
    public static boolean compareAndSet(MemorySegment memory, long offset, long expected, long value) {
        return LONG.compareAndSet(memory, offset, expected, value);
    }

    /**
     * Atomically sets a number of 64 bits and returns its previous value, with the memory ordering of a volatile
     * variable. The new value may be less than the previous one.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 8
     * @param value the new value of the number
     * @return the previous value
     */
    public static long swap(MemorySegment memory, long offset, long value) {
        return (long) LONG.getAndSet(memory, offset, value);
    }

    /**
     * Atomically sets a number of 64 bits if it has an expected value, with the memory ordering of a volatile variable.
     * The new value may be less than the previous one.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 8
     * @param expected the value that the number must have
     * @param value the new value of the number
     * @return the previous value
     */
    public static long compareAndExchange(MemorySegment memory, long offset, long expected, long value) {
        return (long) LONG.compareAndExchange(memory, offset, expected, value);
    }

    /**
     * Atomically adds to a number of 32 bits, with the memory ordering of a volatile variable.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 4
     * @param increment the number to add
     * @return the previous value
     */
    public static int addInt(MemorySegment memory, long offset, int increment) {
        return (int) INT.getAndAdd(memory, offset, increment);
    }

    /**
     * Atomically sets a number of 32 bits and returns its previous value, with the memory ordering of a volatile
     * variable.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 4
     * @param value the new value of the number
     * @return the previous value
     */
    public static int swapInt(MemorySegment memory, long offset, int value) {
        return (int) INT.getAndSet(memory, offset, value);
    }

    /**
     * Atomically sets a number of 32 bits if it has an expected value, with the memory ordering of a volatile variable.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 4
     * @param expected the value that the number must have
     * @param value the new value of the number
     * @return the previous value
     */
    public static int compareAndExchangeInt(MemorySegment memory, long offset, int expected, int value) {
        return (int) INT.compareAndExchange(memory, offset, expected, value);
    }

    /**
     * Reads a number of 64 bits with the memory ordering of a volatile variable.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 8
     * @return the value of the number
     */
    public static long loadVolatile(MemorySegment memory, long offset) {
        return (long) LONG.getVolatile(memory, offset);
    }

    /**
     * Reads a number of 32 bits with the memory ordering of a volatile variable.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 4
     * @return the value of the number
     */
    public static int loadIntVolatile(MemorySegment memory, long offset) {
        return (int) INT.getVolatile(memory, offset);
    }

    /**
     * Reads a number of 64 bits without any memory ordering. An earlier {@link #load} must have made the number
     * visible.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 8
     * @return the value of the number
     */
    public static long loadPlain(MemorySegment memory, long offset) {
        return (long) LONG.get(memory, offset);
    }

    /**
     * Writes a number of 64 bits without any memory ordering. A later {@link #store} makes it visible to other threads.
     *
     * @param memory the memory that contains the number
     * @param offset the offset of the number in bytes, a multiple of 8
     * @param value the new value of the number
     */
    public static void storePlain(MemorySegment memory, long offset, long value) {
        LONG.set(memory, offset, value);
    }
}
