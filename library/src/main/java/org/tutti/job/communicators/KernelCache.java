/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;

/**
 * Caches kernels, which combine elements, for the operators that a communicator has used last. Therefore calls with few
 * different operators allocate nothing. The newest kernel comes first. Only one thread at a time may use the cache.
 */
final class KernelCache {
    private static final int KERNELS_KEPT = 8;

    private final Kernel[] kernels = new Kernel[KERNELS_KEPT];

    /** Returns the kernel of an operator for elements of a type. */
    Kernel of(Reduction reduction, DataType type) {
        for (Kernel kernel : kernels) {
            if (kernel != null && kernel.isOf(reduction, type)) {
                return kernel;
            }
        }
        Kernel kernel = Kernels.of(reduction, type);
        System.arraycopy(kernels, 0, kernels, 1, kernels.length - 1);
        kernels[0] = kernel;
        return kernel;
    }
}
