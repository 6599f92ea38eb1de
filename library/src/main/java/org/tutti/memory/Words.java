/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Words: 64 bits in shared memory that only ever grow. A word has either one writer, who stores with release order, or
 * many, who add; never both. (A few words that are set once, such as the one that breaks a communicator, are set by
 * whoever comes first, with {@link #compareAndSet}.) Waiting is always for {@code word >= value}, so nothing is ever
 * reset, and nothing can be reset too early.
 *
 * <p>Ordering: what a writer did before {@link #store} (or {@link #add}) is visible to whoever reads the stored or a
 * later value with {@link #load}. The methods named plain order nothing: they are for bytes that a word publishes.
 */
public final class Words {
    /** The bytes that travel together between cores; words of different writers lie on different lines. */
    public static final int LINE_BYTES = 64;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private Words() {}

    /**
     * Reads a word with acquire order.
     *
     * @param memory where it lies
     * @param offset at which byte, a multiple of 8
     * @return its value
     */
    public static long load(MemorySegment memory, long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    /**
     * Writes a word with release order.
     *
     * @param memory where it lies
     * @param offset at which byte, a multiple of 8
     * @param value its new value, not below the old one
     */
    public static void store(MemorySegment memory, long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    /**
     * Adds to a word that has many writers.
     *
     * @param memory where it lies
     * @param offset at which byte, a multiple of 8
     * @param increment what is added
     * @return the value before
     */
    public static long add(MemorySegment memory, long offset, long increment) {
        return (long) LONG.getAndAdd(memory, offset, increment);
    }

    /**
     * Sets a word that several may want to set, once.
     *
     * @param memory where it lies
     * @param offset at which byte, a multiple of 8
     * @param expected the value that it must have
     * @param value its new value
     * @return whether this call set it
     */
    public static boolean compareAndSet(MemorySegment memory, long offset, long expected, long value) {
        return LONG.compareAndSet(memory, offset, expected, value);
    }

    /**
     * Sets 64 bits that are no word, as they may shrink, and returns their old value.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 8
     * @param value their new value
     * @return the value before
     */
    public static long swap(MemorySegment memory, long offset, long value) {
        return (long) LONG.getAndSet(memory, offset, value);
    }

    /**
     * Sets 64 bits that are no word, as they may shrink, if they are as expected.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 8
     * @param expected the value that they must have
     * @param value their new value
     * @return the value before
     */
    public static long compareAndExchange(MemorySegment memory, long offset, long expected, long value) {
        return (long) LONG.compareAndExchange(memory, offset, expected, value);
    }

    /**
     * Adds to 32 bits, which are no word.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 4
     * @param increment what is added
     * @return the value before
     */
    public static int addInt(MemorySegment memory, long offset, int increment) {
        return (int) INT.getAndAdd(memory, offset, increment);
    }

    /**
     * Sets 32 bits, which are no word, and returns their old value.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 4
     * @param value their new value
     * @return the value before
     */
    public static int swapInt(MemorySegment memory, long offset, int value) {
        return (int) INT.getAndSet(memory, offset, value);
    }

    /**
     * Sets 32 bits, which are no word, if they are as expected.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 4
     * @param expected the value that they must have
     * @param value their new value
     * @return the value before
     */
    public static int compareAndExchangeInt(MemorySegment memory, long offset, int expected, int value) {
        return (int) INT.compareAndExchange(memory, offset, expected, value);
    }

    /**
     * Reads 64 bits, which need not be a word, with the order of a volatile variable.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 8
     * @return their value
     */
    public static long loadVolatile(MemorySegment memory, long offset) {
        return (long) LONG.getVolatile(memory, offset);
    }

    /**
     * Reads 32 bits, which are no word, with the order of a volatile variable.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 4
     * @return their value
     */
    public static int loadIntVolatile(MemorySegment memory, long offset) {
        return (int) INT.getVolatile(memory, offset);
    }

    /**
     * Reads 64 bits that an earlier {@link #load} made visible.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 8
     * @return their value
     */
    public static long loadPlain(MemorySegment memory, long offset) {
        return (long) LONG.get(memory, offset);
    }

    /**
     * Writes 64 bits that a later {@link #store} publishes.
     *
     * @param memory where they lie
     * @param offset at which byte, a multiple of 8
     * @param value their new value
     */
    public static void storePlain(MemorySegment memory, long offset, long value) {
        LONG.set(memory, offset, value);
    }
}
