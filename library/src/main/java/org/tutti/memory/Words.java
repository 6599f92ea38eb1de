/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Reads and writes words. A word is a number of 64 bits in shared memory that only grows. A word has either one writer,
 * which stores with release order, or many writers, which add; never both. A word that is set once is set by the first
 * rank to arrive, with {@link #compareAndSet}. (The word that breaks a communicator is an example.) A rank always waits
 * for {@code word >= value}, so no word is ever reset, and none can be reset too early.
 *
 * <p>Memory ordering: writes before {@link #store} (or {@link #add}) are visible to a thread that reads the stored or a
 * later value with {@link #load}. The methods with plain in their names order nothing. They are for bytes that a word
 * publishes.
 */
public final class Words {
    /** The number of bytes of a cache line. Words of different writers lie on different lines. */
    public static final int LINE_BYTES = 64;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private Words() {}

    /**
     * Reads a word with acquire order.
     *
     * @param memory the memory of the word
     * @param offset the offset in bytes, a multiple of 8
     * @return its value
     */
    public static long load(MemorySegment memory, long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    /**
     * Writes a word with release order.
     *
     * @param memory the memory of the word
     * @param offset the offset in bytes, a multiple of 8
     * @param value its new value, not below the old one
     */
    public static void store(MemorySegment memory, long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    /**
     * Adds to a word that has many writers, with the order of a volatile variable.
     *
     * @param memory the memory of the word
     * @param offset the offset in bytes, a multiple of 8
     * @param increment the number to add
     * @return the value before
     */
    public static long add(MemorySegment memory, long offset, long increment) {
        return (long) LONG.getAndAdd(memory, offset, increment);
    }

    /**
     * Sets a word that is set only once, with the order of a volatile variable. Several threads may try to set it.
     *
     * @param memory the memory of the word
     * @param offset the offset in bytes, a multiple of 8
     * @param expected the value that the word must have
     * @param value its new value
     * @return whether this call set it
     */
    public static boolean compareAndSet(MemorySegment memory, long offset, long expected, long value) {
        return LONG.compareAndSet(memory, offset, expected, value);
    }

    /**
     * Sets 64 bits and returns their old value, with the order of a volatile variable. The bits are not a word, because
     * their value may shrink.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 8
     * @param value their new value
     * @return the value before
     */
    public static long swap(MemorySegment memory, long offset, long value) {
        return (long) LONG.getAndSet(memory, offset, value);
    }

    /**
     * Sets 64 bits if they have an expected value, with the order of a volatile variable. The bits are not a word,
     * because their value may shrink.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 8
     * @param expected the value that they must have
     * @param value their new value
     * @return the value before
     */
    public static long compareAndExchange(MemorySegment memory, long offset, long expected, long value) {
        return (long) LONG.compareAndExchange(memory, offset, expected, value);
    }

    /**
     * Adds to 32 bits that are not a word, with the order of a volatile variable.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 4
     * @param increment the number to add
     * @return the value before
     */
    public static int addInt(MemorySegment memory, long offset, int increment) {
        return (int) INT.getAndAdd(memory, offset, increment);
    }

    /**
     * Sets 32 bits that are not a word and returns their old value, with the order of a volatile variable.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 4
     * @param value their new value
     * @return the value before
     */
    public static int swapInt(MemorySegment memory, long offset, int value) {
        return (int) INT.getAndSet(memory, offset, value);
    }

    /**
     * Sets 32 bits that are not a word if they have an expected value, with the order of a volatile variable.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 4
     * @param expected the value that they must have
     * @param value their new value
     * @return the value before
     */
    public static int compareAndExchangeInt(MemorySegment memory, long offset, int expected, int value) {
        return (int) INT.compareAndExchange(memory, offset, expected, value);
    }

    /**
     * Reads 64 bits, which may be a word, with the order of a volatile variable.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 8
     * @return their value
     */
    public static long loadVolatile(MemorySegment memory, long offset) {
        return (long) LONG.getVolatile(memory, offset);
    }

    /**
     * Reads 32 bits that are not a word, with the order of a volatile variable.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 4
     * @return their value
     */
    public static int loadIntVolatile(MemorySegment memory, long offset) {
        return (int) INT.getVolatile(memory, offset);
    }

    /**
     * Reads 64 bits that an earlier {@link #load} made visible.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 8
     * @return their value
     */
    public static long loadPlain(MemorySegment memory, long offset) {
        return (long) LONG.get(memory, offset);
    }

    /**
     * Writes 64 bits that a later {@link #store} publishes.
     *
     * @param memory the memory of the bits
     * @param offset the offset in bytes, a multiple of 8
     * @param value their new value
     */
    public static void storePlain(MemorySegment memory, long offset, long value) {
        LONG.set(memory, offset, value);
    }
}
