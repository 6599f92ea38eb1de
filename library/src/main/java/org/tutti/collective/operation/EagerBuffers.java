/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The eager buffers of a communicator, as one rank knows them. The eager buffers of a node are a block of memory. Other
 * nodes put messages there that do not fit into the payload of an edge, the 112 bytes beside its ARRIVED word. This
 * object finds the eager buffers of its node, and keeps the handles of those of other nodes. A rank has one such object
 * for each communicator, which all its threads use.
 *
 * <p><b>The claim.</b> The master, the first rank of a node, claims the block when it begins its first operation with
 * such a message, before it waits for any rank in that operation. A rank that needs the block therefore waits only
 * until the master has begun that operation too. The other ranks of the node await the EAGER_BUFFERS word of the
 * communicator's block. Other nodes get that word.
 *
 * <p><b>Memory ordering.</b> The first thread of the master that needs the block stores the EAGER_BUFFERS word, once,
 * under the lock and with release order. Before that the block is zeros and registered, and its address and handle are
 * written. Another rank of the node loads the word with acquire order before it reads the address. A rank on another
 * node gets word and handle in any order. It may therefore see the word and no handle yet, and then gets both again. A
 * rank that has both puts into a region that is there. The handle never changes, so it does not matter which thread of
 * a rank has got it.
 */
public final class EagerBuffers {
    private final Memory memory;
    private final MemorySegment ring;
    private final long bytes;
    private final int nodes;
    private final Lock lock = new ReentrantLock();
    private volatile AtomicLongArray elsewhere;
    private State state = State.NONE; // at the master; only assertions look

    private enum State {
        NONE, CLAIMED, REVOKED, RELEASED
    }

    /**
     * Creates a rank's view of the eager buffers of a communicator, when the rank's first team is made.
     *
     * @param memory the memory of the node
     * @param ring the communicator's block, which has the EAGER_BUFFERS word
     * @param layout the layout of the communicator's block and of the eager buffers
     * @param nodes the number of nodes of the communicator
     */
    EagerBuffers(Memory memory, MemorySegment ring, RingLayout layout, int nodes) {
        this.memory = memory;
        this.ring = ring;
        this.bytes = layout.eagerBuffersBytes();
        this.nodes = nodes;
    }

    /**
     * Claims the eager buffers of this node and registers them for other nodes, unless another thread has done so. Only
     * the master, the first rank of the node, calls this method.
     */
    public void claim(Machine machine) {
        machine.lock(lock);
        try {
            if (machine.load(ring, RingLayout.EAGER_BUFFERS) == 0) {
                long address = memory.claim(bytes, RingLayout.EAGER_BUFFERS_PURPOSE);
                assert moves(State.NONE, State.CLAIMED) : "eager buffers are claimed which were " + state;
                machine.storePlain(ring, RingLayout.EAGER_BUFFERS_ADDRESS, address);
                machine.storePlain(ring, RingLayout.EAGER_BUFFERS_HANDLE,
                        machine.register(memory.block(address, bytes)));
                machine.store(ring, RingLayout.EAGER_BUFFERS, 1);
            }
        } finally {
            machine.unlock(lock);
        }
    }

    /** Moves from one state to the next, and returns whether the state was the expected one; for assertions. */
    private boolean moves(State from, State to) {
        boolean follows = state == from;
        state = follows ? to : state;
        return follows;
    }

    /**
     * Ends the right of other nodes to put into the eager buffers of this node. The master calls this method after its
     * last operation.
     */
    public void revoke(Machine machine) {
        if (machine.load(ring, RingLayout.EAGER_BUFFERS) != 0) {
            assert moves(State.CLAIMED, State.REVOKED) : "eager buffers are revoked which were " + state;
            machine.revoke(handle(machine));
        }
    }

    /**
     * Releases the eager buffers of this node to the node's memory. The master calls this method when no rank uses the
     * communicator any longer.
     */
    public void release(Machine machine) {
        if (machine.load(ring, RingLayout.EAGER_BUFFERS) != 0) {
            assert moves(State.REVOKED, State.RELEASED) : "eager buffers are released which were " + state;
            memory.release(machine.loadPlain(ring, RingLayout.EAGER_BUFFERS_ADDRESS), bytes);
        }
    }

    /** Returns the eager buffers of this node. The caller must have awaited the EAGER_BUFFERS word. */
    public MemorySegment here(Machine machine) {
        long address = machine.loadPlain(ring, RingLayout.EAGER_BUFFERS_ADDRESS);
        assert address > 0 : "the eager buffers are said to be there, at address " + address;
        return memory.block(address, bytes);
    }

    /** Returns the handle by which other nodes address this node's eager buffers, which must have been claimed. */
    public long handle(Machine machine) {
        return machine.loadPlain(ring, RingLayout.EAGER_BUFFERS_HANDLE);
    }

    /**
     * Returns the handle of another node's eager buffers, or 0 if they have not been claimed.
     *
     * @param head the first line of the communicator's block on that node, which holds the handle
     * @param machine the machine of the calling thread
     */
    public static long handleIn(MemorySegment head, Machine machine) {
        return machine.loadPlain(head, RingLayout.EAGER_BUFFERS) == 0 ? 0
                : machine.loadPlain(head, RingLayout.EAGER_BUFFERS_HANDLE);
    }

    /** Returns the handle of another node's eager buffers, or 0 if this rank does not know it. */
    public long elsewhere(int node) {
        AtomicLongArray known = elsewhere;
        return known == null ? 0 : known.getAcquire(node);
    }

    /** Stores the handle of another node's eager buffers, which never changes. */
    public void setElsewhere(Machine machine, int node, long handle) {
        machine.lock(lock);
        try {
            if (elsewhere == null) { // most ranks put to no other node
                elsewhere = new AtomicLongArray(nodes);
            }
        } finally {
            machine.unlock(lock);
        }
        assert handle != 0 && (elsewhere.get(node) == 0 || elsewhere.get(node) == handle) : "the handle of node " + node
                + " becomes " + handle + " after " + elsewhere.get(node);
        elsewhere.setRelease(node, handle);
    }
}
