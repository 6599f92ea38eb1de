/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;

/**
 * Lends kernels to accumulates of many elements. A kernel is an object with a compiled loop that combines two ranges of
 * elements, and only one thread at a time may use it. A thread takes a kernel from this pool and puts it back after the
 * accumulate. If the pool has none, the thread accumulates element by element, which is only slower.
 *
 * <p><b>Memory ordering.</b> Taking out and putting back are atomic operations on the same array element. Therefore a
 * thread that takes a kernel sees everything that the previous thread has done with it.
 */
final class BorrowedKernels {
    private static final int TYPES = 2;
    private static final Reduction[] REDUCTIONS = {Reduction.SUM, Reduction.MIN, Reduction.MAX};

    private AtomicReferenceArray<Kernel> slots; // made at first use

    /** Returns the index of the kernel for an operation, or −1 if there is none. */
    static int slot(Accumulation how, DataType type, double scale) {
        int reduction = switch (how) {
            case SUM -> scale == 1 ? 0 : -1;
            case MIN -> 1;
            case MAX -> 2;
            default -> -1;
        };
        return reduction < 0 ? -1 : TYPES * reduction + (type == DataType.DOUBLE ? 1 : 0);
    }

    /** Takes a kernel out. Returns null if another thread has it. */
    Kernel take(int slot) {
        return slots().getAndSet(slot, null);
    }

    /** Puts a kernel back. */
    void putBack(int slot, Kernel kernel) {
        slots().set(slot, kernel);
    }

    private synchronized AtomicReferenceArray<Kernel> slots() {
        if (slots == null) {
            slots = new AtomicReferenceArray<>(TYPES * REDUCTIONS.length);
            for (int slot = 0; slot < slots.length(); slot++) {
                slots.set(slot, Kernels.of(REDUCTIONS[slot / TYPES],
                        slot % TYPES == 0 ? DataType.FLOAT : DataType.DOUBLE));
            }
        }
        return slots;
    }
}
