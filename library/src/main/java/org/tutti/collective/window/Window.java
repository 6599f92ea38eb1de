/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.memory.Memory;

/**
 * Memory that a rank shows to the others of its node, or invites other nodes to, during an operation: a block of the
 * node's memory, or a part of the block in which a {@link WindowRing} moves its window.
 */
public final class Window {
    private final long address;
    private final MemorySegment segment;
    private final boolean inRing;
    private long start;
    private long handle;
    private boolean registered;

    /** The operation that had the window last, in which other ranks may still read it; none if the sequence is null. */
    private OperationSequence operations;
    private long operation;

    Window(Memory memory, long bytes, boolean inRing) {
        this.address = memory.claim(bytes, "a rank's contributions");
        this.segment = memory.block(address, bytes);
        this.inRing = inRing;
    }

    /** Returns the block, in which the window begins at {@link #start}. */
    MemorySegment segment() {
        return segment;
    }

    long start() {
        return start;
    }

    /** Returns the address of the window in the node's memory, for the other ranks of the node. */
    long address() {
        return address + start;
    }

    boolean isInRing() {
        return inRing;
    }

    Window moveTo(long newStart) {
        assert inRing && newStart >= 0 && newStart < segment.byteSize() : "a window moves to " + newStart + " of "
                + segment.byteSize() + " bytes";
        start = newStart;
        return this;
    }

    /** Returns the handle by which other nodes name the segment. */
    public long handle(Machine machine) {
        if (!registered) {
            handle = machine.register(segment);
            assert handle != 0 : "a window has no handle";
            registered = true;
        }
        return handle;
    }

    /** Revokes the handle; the segment will have another one. */
    void revoke(Machine machine) {
        if (registered) {
            machine.revoke(handle);
            registered = false;
        }
    }

    void release(Machine machine, Memory memory) {
        revoke(machine);
        memory.release(address, segment.byteSize());
    }

    void setLast(OperationSequence newOperations, long newOperation) {
        assert !inRing : "a ring knows who has its windows";
        operations = newOperations;
        operation = newOperation;
    }

    /** Looks whether all ranks of the node have left the operation that had the window last. */
    boolean isFree(Machine machine) {
        return operations == null || operations.behind(machine, operation) == OperationSequence.NOBODY;
    }
}
