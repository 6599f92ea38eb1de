/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Words;

/**
 * An atomic operation on 64 or 32 bits of memory, in this process or in another one. A request to another process
 * carries the ordinal of the operation, so all processes of a job must declare these constants in the same order.
 */
public enum AtomicOperation {
    /** Adds the operand to 64 bits. */
    FETCH_ADD("fetch-add", Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.add(memory, offset, operand);
        }
    },
    /** Stores the operand in 64 bits. */
    SWAP("swap", Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.swap(memory, offset, operand);
        }
    },
    /** Stores the operand in 64 bits if their value is the expected one. */
    COMPARE_AND_SWAP("compare-and-swap", Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.compareAndExchange(memory, offset, expected, operand);
        }
    },
    /** Adds the operand to 32 bits. */
    FETCH_ADD_INT("fetch-add", Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.addInt(memory, offset, (int) operand);
        }
    },
    /** Stores the operand in 32 bits. */
    SWAP_INT("swap", Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.swapInt(memory, offset, (int) operand);
        }
    },
    /** Stores the operand in 32 bits if their value is the expected one. */
    COMPARE_AND_SWAP_INT("compare-and-swap", Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.compareAndExchangeInt(memory, offset, (int) expected, (int) operand);
        }
    },
    /** Reads 64 bits and changes nothing. */
    FETCH("fetch", Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.loadVolatile(memory, offset);
        }
    },
    /** Reads 32 bits and changes nothing. */
    FETCH_INT("fetch", Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.loadIntVolatile(memory, offset);
        }
    };

    private final String label;
    private final int bytes;

    AtomicOperation(String label, int bytes) {
        this.label = label;
        this.bytes = bytes;
    }

    /** {@return the name of the operation as events have it, the same for 64 and for 32 bits} */
    public String label() {
        return label;
    }

    /**
     * {@return the number of bytes that the operation reads or changes, 4 or 8; their offset is a multiple of this
     * number}
     */
    public int bytes() {
        return bytes;
    }

    /**
     * Applies the operation atomically to memory of this process. An operation on 32 bits uses the lower 32 bits of the
     * operand and of the expected value.
     *
     * @param memory the memory that contains the bits
     * @param offset the offset of the bits in bytes, a multiple of {@link #bytes}
     * @param operand the number to add or to store; fetches do not use it
     * @param expected the value that a compare-and-swap expects; other operations do not use it
     * @return the value of the bits before the operation; a value of 32 bits is sign-extended
     */
    public abstract long apply(MemorySegment memory, long offset, long operand, long expected);
}
