/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Words;

/**
 * An atomic operation on 64 or 32 bits, in this process or in another one. Frames carry its ordinal.
 */
public enum AtomicOperation {
    /** Adds the operand to 64 bits. */
    FETCH_ADD(Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.add(memory, offset, operand);
        }
    },
    /** Stores the operand in 64 bits. */
    SWAP(Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.swap(memory, offset, operand);
        }
    },
    /** Stores the operand in 64 bits if they are as expected. */
    COMPARE_AND_SWAP(Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.compareAndExchange(memory, offset, expected, operand);
        }
    },
    /** Adds the operand to 32 bits. */
    FETCH_ADD_INT(Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.addInt(memory, offset, (int) operand);
        }
    },
    /** Stores the operand in 32 bits. */
    SWAP_INT(Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.swapInt(memory, offset, (int) operand);
        }
    },
    /** Stores the operand in 32 bits if they are as expected. */
    COMPARE_AND_SWAP_INT(Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.compareAndExchangeInt(memory, offset, (int) expected, (int) operand);
        }
    },
    /** Reads 64 bits, and changes nothing. */
    FETCH(Long.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.loadVolatile(memory, offset);
        }
    },
    /** Reads 32 bits, and changes nothing. */
    FETCH_INT(Integer.BYTES) {
        @Override
        public long apply(MemorySegment memory, long offset, long operand, long expected) {
            return Words.loadIntVolatile(memory, offset);
        }
    };

    private final int bytes;

    AtomicOperation(int bytes) {
        this.bytes = bytes;
    }

    /** {@return the number of bytes that it reads or changes; their offset is a multiple of that number} */
    public int bytes() {
        return bytes;
    }

    /**
     * Applies the operation to memory of this process. Operations on 32 bits use the low halves of the operand and of
     * the expected value.
     *
     * @param memory the memory of the bits
     * @param offset their offset in bytes, a multiple of {@link #bytes}
     * @param operand the operand; fetches do not use it
     * @param expected the value that a compare-and-swap expects; other operations do not use it
     * @return the old value
     */
    public abstract long apply(MemorySegment memory, long offset, long operand, long expected);
}
