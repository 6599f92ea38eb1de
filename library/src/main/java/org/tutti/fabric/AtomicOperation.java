/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Words;

/**
 * What is done to 64 bits, or 32, at once: in this process, or in another one. The ordinal is what frames carry.
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

    /** {@return how many bytes it works on: where they lie is a multiple of that} */
    public int bytes() {
        return bytes;
    }

    /**
     * Does it, here. Of what is expected and of the operand, operations on 32 bits use the low half.
     *
     * @param memory where the bits lie
     * @param offset at which byte, a multiple of {@link #bytes}
     * @param operand with which value
     * @param expected what the bits must be for a compare-and-swap; else not used
     * @return the value before
     */
    public abstract long apply(MemorySegment memory, long offset, long operand, long expected);
}
