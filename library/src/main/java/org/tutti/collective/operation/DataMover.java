/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;

/**
 * Copies and combines bytes of areas in the memory of this rank's node. Before each copy it sends the puts to other
 * nodes that still wait in send buffers, so that other nodes do not wait until the copy has ended. A team has one such
 * object for the operations that it runs.
 */
public final class DataMover {
    private final Machine machine;
    private final OperationWait waiting;

    /** Creates the mover of a team. */
    public DataMover(Machine machine, OperationWait waiting) {
        this.machine = machine;
        this.waiting = waiting;
    }

    /** Copies bytes, 0 or more, from an offset in one area to an offset in another. */
    public void copy(Area source, long sourceOffset, Area target, long targetOffset, long bytes) {
        waiting.flush();
        assert bytes >= 0 : bytes + " bytes";
        if (bytes > 0) { // an empty block may begin anywhere
            assert source.holds(sourceOffset, bytes)
                    : bytes + " bytes are copied from " + sourceOffset + " of " + source;
            assert target.holds(targetOffset, bytes) : bytes + " bytes are copied to " + targetOffset + " of " + target;
            machine.copy(source.segment(), source.start() + sourceOffset, target.segment(),
                    target.start() + targetOffset, bytes);
        }
    }

    /**
     * Combines bytes of two areas with an operator, {@code target = left op right}. The number of bytes must be a
     * multiple of the operator's unit, the elements that it combines as one value. The target may be the left or the
     * right area.
     */
    public void combine(Kernel kernel, Area left, long leftOffset, Area right, long rightOffset, Area target,
            long targetOffset, long bytes) {
        waiting.flush();
        assert bytes >= 0 && kernel.wholeUnits(bytes) == bytes : bytes + " bytes are combined";
        if (bytes > 0) {
            assert left.holds(leftOffset, bytes) : bytes + " bytes are combined from " + leftOffset + " of " + left;
            assert right.holds(rightOffset, bytes) : bytes + " bytes are combined from " + rightOffset + " of " + right;
            assert target.holds(targetOffset, bytes)
                    : bytes + " bytes are combined to " + targetOffset + " of " + target;
            machine.combine(kernel, left.segment(), left.start() + leftOffset, right.segment(),
                    right.start() + rightOffset, target.segment(), target.start() + targetOffset, bytes);
        }
    }
}
