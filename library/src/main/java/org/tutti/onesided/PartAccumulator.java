/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

import org.tutti.DataType;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.members.Members;
import org.tutti.fabric.RegionHandler;
import org.tutti.memory.Words;

/**
 * Combines elements into remote memory that lies on this node, for example by adding to them. Ranks of the node call it
 * directly. The process of the rank to which the memory belongs calls it when accumulates of other nodes arrive.
 *
 * <p><b>One mechanism for each type.</b> Elements of type int and long are changed one by one by atomic instructions,
 * which {@code fetchAddLong} and similar calls also use. Therefore a program may mix both. Float and double have no
 * such instructions. They are changed while the thread holds the lock of their stripe, a short range of bytes with one
 * lock. A thread holds one of these locks at a time, in the order of addresses. A complex number is a pair that begins
 * at a multiple of its size, so it never lies in two stripes.
 *
 * <p><b>Locks.</b> A thread holds a lock for a microsecond at most, and waits for nothing meanwhile. Therefore a thread
 * that finds a lock held spins, and yields its core periodically. If the process of a holder is stopped, the lock stays
 * held for longer. Therefore the wait ends after {@value #TURNS_MAX} turns, and the caller decides what to do before it
 * tries the rest again. A calling rank has nothing else to do, and tries again. A thread that receives messages has
 * other work. The lock word names the rank of a holder that was killed. In that case there is no other try, and the job
 * makes no more use of the memory, because the stripe is half changed.
 *
 * <p><b>Memory ordering.</b> A lock is acquired by a compare-and-exchange and released by a store with release order.
 * Therefore a thread that acquires the lock sees everything that earlier holders wrote before they released it.
 */
final class PartAccumulator implements RegionHandler {
    private static final int TURNS_PER_PARK = 64;
    private static final int TURNS_MAX = 4 * TURNS_PER_PARK;
    private static final int KERNEL_BYTES_MIN = 1 << 10;

    private final MemorySegment block;
    private final MemorySegment data;
    private final Members members;
    private final long owner;
    private final BorrowedKernels kernels = new BorrowedKernels();

    /**
     * Creates the accumulator of a part, the memory that one rank contributes to remote memory.
     *
     * @param block the memory of the part, its locks and its notification words, laid out as in {@link PartLayout}
     * @param dataBytes the size of the part, in bytes
     * @param members the states of the communicator's ranks: joined, left or failed
     * @param rank the rank whose number is stored in the locks that this object holds
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
        int elementBytes = Accumulation.ofCode(operation).elementBytes(Accumulation.typeOfCode(operation));
        return offset % elementBytes == 0 && bytes % elementBytes == 0 && offset <= data.byteSize() - bytes;
    }

    @Override
    public long handle(int process, int operation, long scale, long imaginary, long offset, MemorySegment source,
            long sourceOffset, long bytes) {
        return accumulate(operation, scale, imaginary, offset, source, sourceOffset, bytes);
    }

    /** Combines elements, for a rank of this node or for a message. Returns the number of bytes done. */
    long accumulate(int operation, long scale, long imaginary, long offset, MemorySegment source, long sourceOffset,
            long bytes) {
        Accumulation how = Accumulation.ofCode(operation);
        DataType type = Accumulation.typeOfCode(operation);
        switch (type) {
            case INT -> AtomicElements.ints(how, (int) scale, data, offset, source, sourceOffset, bytes);
            case LONG -> AtomicElements.longs(how, scale, data, offset, source, sourceOffset, bytes);
            default -> {
                return accumulateLocked(how, type, Double.longBitsToDouble(scale), Double.longBitsToDouble(imaginary),
                        offset, source, sourceOffset, bytes);
            }
        }
        return bytes;
    }

    private long accumulateLocked(Accumulation how, DataType type, double scale, double imaginary, long offset,
            MemorySegment source, long sourceOffset, long bytes) {
        int slot = bytes >= KERNEL_BYTES_MIN ? BorrowedKernels.slot(how, type, scale) : -1;
        Kernel kernel = slot < 0 ? null : kernels.take(slot);
        try {
            return accumulateLocked(kernel, how, type, scale, imaginary, offset, source, sourceOffset, bytes);
        } finally {
            if (kernel != null) {
                kernels.putBack(slot, kernel);
            }
        }
    }

    private long accumulateLocked(Kernel kernel, Accumulation how, DataType type, double scale, double imaginary,
            long offset, MemorySegment source, long sourceOffset, long bytes) {
        long length;
        for (long at = 0; at < bytes; at += length) {
            length = Math.min(bytes - at, PartLayout.STRIPE_BYTES - (offset + at) % PartLayout.STRIPE_BYTES);
            long lock = PartLayout.lock(data.byteSize(), offset + at);
            long holder = lock(lock);
            if (holder != 0) {
                return members.failure((int) holder - 1) == null ? at : REFUSED;
            }
            try {
                if (kernel != null) {
                    kernel.combine(data, offset + at, source, sourceOffset + at, data, offset + at, length);
                } else if (type == DataType.DOUBLE) {
                    LockedElements.doubles(how, scale, imaginary, data, offset + at, source, sourceOffset + at,
                            (int) length);
                } else {
                    LockedElements.floats(how, (float) scale, (float) imaginary, data, offset + at, source,
                            sourceOffset + at, (int) length);
                }
            } finally {
                Words.store(block, lock, 0);
            }
        }
        return bytes;
    }

    /** Acquires a lock and returns 0. If the lock stays held for too long, returns its word, which names the holder. */
    private long lock(long lock) {
        long holder = Words.compareAndExchange(block, lock, 0, owner);
        for (int turn = 1; holder != 0 && turn <= TURNS_MAX; turn++) {
            if (turn % TURNS_PER_PARK == 0) {
                LockSupport.parkNanos(1);
            }
            Thread.onSpinWait();
            holder = Words.compareAndExchange(block, lock, 0, owner);
        }
        return holder;
    }
}
