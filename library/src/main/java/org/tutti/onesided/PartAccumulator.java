/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

import org.tutti.DataType;
import org.tutti.collective.Members;
import org.tutti.fabric.Accumulator;
import org.tutti.memory.Words;

/**
 * Accumulates into a part of this node: for ranks of the node, and for the part's own process when others ask for it.
 *
 * <p><b>One mechanism for each type.</b> Elements of type int and long are changed by atomic instructions, one by one,
 * as {@code fetchAddLong} and the like do it: so both may be mixed. Float and double have no such instructions: they
 * are changed under the locks of their stripes, of which a thread holds one at a time, in the order of addresses.
 *
 * <p><b>Locks</b> are held for some hundred nanoseconds by threads that wait for nothing meanwhile, so whoever finds
 * one taken spins, and now and then gives its core away. A holder that was killed is known by its rank in the lock
 * word: then the wait ends, and with it the job's use of this memory, half-changed as the stripe is.
 *
 * <p><b>Memory ordering.</b> A lock is taken by a compare-and-exchange and given back by a store with release order, so
 * who takes it sees all that was done under it before.
 */
final class PartAccumulator implements Accumulator {
    private static final int TURNS_PER_LOOK = 64;

    private final MemorySegment block;
    private final MemorySegment data;
    private final Members members;
    private final long owner;

    /**
     * @param block the part's block, as {@link PartLayout} has it
     * @param dataBytes the size of the part
     * @param members what is known of the ranks' lives
     * @param rank the rank that locks belong to while this holds them
     */
    PartAccumulator(MemorySegment block, long dataBytes, Members members, int rank) {
        this.block = block;
        this.data = PartLayout.data(block, dataBytes);
        this.members = members;
        this.owner = rank + 1L;
    }

    @Override
    public boolean accepts(int operation, long offset, long bytes) {
        if (!Accumulation.isCode(operation)) {
            return false;
        }
        int elementBytes = Accumulation.typeOfCode(operation).bytes();
        return offset % elementBytes == 0 && bytes % elementBytes == 0 && offset <= data.byteSize() - bytes;
    }

    @Override
    public boolean accumulate(int operation, long scale, long offset, MemorySegment source, long sourceOffset,
            long bytes) {
        Accumulation how = Accumulation.ofCode(operation);
        DataType type = Accumulation.typeOfCode(operation);
        switch (type) {
            case INT -> AtomicElements.ints(how, (int) scale, data, offset, source, sourceOffset, bytes);
            case LONG -> AtomicElements.longs(how, scale, data, offset, source, sourceOffset, bytes);
            default -> {
                return accumulateLocked(how, type, Double.longBitsToDouble(scale), offset, source, sourceOffset,
                        bytes);
            }
        }
        return true;
    }

    private boolean accumulateLocked(Accumulation how, DataType type, double scale, long offset, MemorySegment source,
            long sourceOffset, long bytes) {
        long length;
        for (long at = 0; at < bytes; at += length) {
            length = Math.min(bytes - at, PartLayout.STRIPE_BYTES - (offset + at) % PartLayout.STRIPE_BYTES);
            long lock = PartLayout.lock(data.byteSize(), offset + at);
            if (!lock(lock)) {
                return false;
            }
            try {
                if (type == DataType.DOUBLE) {
                    LockedElements.doubles(how, scale, data, offset + at, source, sourceOffset + at, (int) length);
                } else {
                    LockedElements.floats(how, (float) scale, data, offset + at, source, sourceOffset + at,
                            (int) length);
                }
            } finally {
                Words.store(block, lock, 0);
            }
        }
        return true;
    }

    private boolean lock(long lock) {
        long holder = Words.compareAndExchange(block, lock, 0, owner);
        for (int turn = 1; holder != 0; turn++) {
            if (turn % TURNS_PER_LOOK == 0) {
                if (members.failure((int) holder - 1) != null) {
                    return false;
                }
                LockSupport.parkNanos(1);
            }
            Thread.onSpinWait();
            holder = Words.compareAndExchange(block, lock, 0, owner);
        }
        return true;
    }
}
