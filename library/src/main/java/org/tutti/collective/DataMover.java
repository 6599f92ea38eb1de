/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.kernel.Kernel;

/** Copies and combines bytes of areas on this rank's node, after it has sent what puts to other nodes have gathered. */
final class DataMover {
    private final Machine machine;
    private final Waiting waiting;

    DataMover(Machine machine, Waiting waiting) {
        this.machine = machine;
        this.waiting = waiting;
    }

    void copy(Area source, long sourceOffset, Area target, long targetOffset, long bytes) {
        waiting.flush();
        if (bytes > 0) { // an empty block may lie anywhere
            machine.copy(source.segment(), source.start() + sourceOffset, target.segment(),
                    target.start() + targetOffset, bytes);
        }
    }

    void combine(Kernel kernel, Area left, long leftOffset, Area right, long rightOffset, Area target,
            long targetOffset, long bytes) {
        waiting.flush();
        if (bytes > 0) {
            machine.combine(kernel, left.segment(), left.start() + leftOffset, right.segment(),
                    right.start() + rightOffset, target.segment(), target.start() + targetOffset, bytes);
        }
    }
}
