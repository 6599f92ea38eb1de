/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.memory.Memory;

/**
 * A window: memory in which a rank shows data to the other ranks of its node during an operation, or into which it
 * invites other nodes to put. It is a block of the node's memory, or a part of a {@link WindowRing}. For a ring there
 * is one object, which stands for the part that the last operation has taken.
 */
public final class Window {
    private final long address;
    private final MemorySegment segment;
    private final boolean inRing;
    private long start;
    private long handle;
    private boolean registered;

    /**
     * The operations of the communicator for which the window was taken last; null if no other rank of the node may
     * still read the window.
     */
    private OperationSequence operations;

    /** The number of the operation that had the window last. */
    private long operation;

    Window(Memory memory, long bytes, boolean inRing) {
        this.address = memory.claim(bytes, "a rank's contributions");
        this.segment = memory.block(address, bytes);
        this.inRing = inRing;
    }

    /** Returns the block that holds the window from offset {@link #start} on. */
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

    /**
     * Returns the handle by which other nodes address the block of this window. Registers the block for other nodes if
     * it is not registered.
     */
    public long handle(Machine machine) {
        if (!registered) {
            handle = machine.register(segment);
            assert handle != 0 : "a window has no handle";
            registered = true;
        }
        return handle;
    }

    /**
     * Revokes the handle of the window's block, so that other nodes can no longer put into the block. The next call of
     * {@link #handle} returns another handle.
     */
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

    /**
     * Returns whether the window can be used again, because all ranks of the node have left the operation that had it
     * last, or because no other rank reads it.
     */
    boolean isFree(Machine machine) {
        return operations == null || operations.behind(machine, operation) == OperationSequence.NOBODY;
    }
}
