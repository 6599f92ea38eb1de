/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.memory.Memory;

/**
 * Memory that a rank shows to the others of its node, or invites other nodes to, while an operation lasts: a block of
 * the node's memory, or a part of the one that a {@link WindowRing} moves its window in.
 */
public final class Window {
    private final long address;
    private final MemorySegment segment;
    private final boolean inRing;
    private long start;
    private long handle;
    private boolean registered;

    /** Who had it last, and may still read it; nobody's when its operation sequence is null. */
    private OperationSequence operations;
    private long operation;

    Window(Memory memory, long bytes, boolean inRing) {
        this.address = memory.claim(bytes, "a rank's contributions");
        this.segment = memory.block(address, bytes);
        this.inRing = inRing;
    }

    /** The block, in which the window begins at {@link #start}. */
    MemorySegment segment() {
        return segment;
    }

    long start() {
        return start;
    }

    /** Where the window begins, for the other ranks of the node. */
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

    /** The handle by which other nodes name the segment. */
    public long handle(Machine machine) {
        if (!registered) {
            handle = machine.register(segment);
            assert handle != 0 : "a window has no handle";
            registered = true;
        }
        return handle;
    }

    /** Takes the handle back: it will have another one. */
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

    /** Looks whether all have left the operation that had it last. */
    boolean isFree(Machine machine) {
        return operations == null || operations.behind(machine, operation) == OperationSequence.NOBODY;
    }
}
