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
 * Accumulates into a part of this node: for ranks of the node, and for the part's own process when others ask for it.
 *
 * <p><b>One mechanism for each type.</b> Elements of type int and long are changed by atomic instructions, one by one,
 * as {@code fetchAddLong} and the like do it: so both may be mixed. Float and double have no such instructions: they
 * are changed under the locks of their stripes, of which a thread holds one at a time, in the order of addresses.
 * Pairs of them that are a complex number begin at multiples of their size, so none lies in two stripes.
 *
 * <p><b>Locks</b> are held for a microsecond at most by threads that wait for nothing meanwhile, so whoever finds
 * one taken spins, and now and then gives its core away. A holder whose process has been stopped keeps it for longer:
 * therefore the wait ends after {@value #TURNS_MAX} turns, and whoever has called decides what to do until the rest is
 * tried again. A rank has nothing else to do; the thread that takes in what arrives has. A holder that was killed is
 * known by its rank in the lock word: then there is no other try, and no more use of this memory by the job,
 * half-changed as the stripe is.
 *
 * <p><b>Memory ordering.</b> A lock is taken by a compare-and-exchange and given back by a store with release order, so
 * who takes it sees all that was done under it before.
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
        int elementBytes = Accumulation.ofCode(operation).elementBytes(Accumulation.typeOfCode(operation));
        return offset % elementBytes == 0 && bytes % elementBytes == 0 && offset <= data.byteSize() - bytes;
    }

    @Override
    public long handle(int operation, long scale, long imaginary, long offset, MemorySegment source,
            long sourceOffset, long bytes) {
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

    /** Takes a lock, and returns 0; or what is in its word after a while. */
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
