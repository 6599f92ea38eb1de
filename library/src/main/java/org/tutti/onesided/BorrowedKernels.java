/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;

/**
 * The kernels of collectives for long accumulates of a part. A kernel is for one thread at a time: who needs one takes
 * it out and puts it back, and whoever finds none does without, as that is only slower.
 *
 * <p><b>Memory ordering.</b> Taking out and putting back are atomic operations on the kernel's place, so who takes a
 * kernel sees what the one before has done with it.
 */
final class BorrowedKernels {
    private static final int TYPES = 2;
    private static final Reduction[] REDUCTIONS = {Reduction.SUM, Reduction.MIN, Reduction.MAX};

    private AtomicReferenceArray<Kernel> slots; // made when it is needed first

    /** The number of what is wanted, or −1 when there is no kernel for it. */
    static int slot(Accumulation how, DataType type, double scale) {
        int reduction = switch (how) {
            case SUM -> scale == 1 ? 0 : -1;
            case MIN -> 1;
            case MAX -> 2;
            default -> -1;
        };
        return reduction < 0 ? -1 : TYPES * reduction + (type == DataType.DOUBLE ? 1 : 0);
    }

    /** Takes a kernel out, if it is there. */
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
