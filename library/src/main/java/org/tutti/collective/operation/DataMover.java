/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;

/**
 * Copies and combines bytes of areas on this rank's node. Each method first sends the frames that puts to other nodes
 * have gathered, so that other nodes do not wait for the copy. A team has one such object.
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
     * Combines bytes of two areas, {@code target = left op right}. The number of bytes is a multiple of the operator's
     * unit. The target may be the left or the right area.
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
