/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.SectionPieces;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The mutexes that lie at one rank, as another one uses them: on its node directly, else by atomic operations, and by
 * frames whose answer nobody awaits. It also remembers what this rank has of each.
 */
final class MutexHome {
    /** This rank has no ticket. */
    static final byte FREE = 0;

    /** It has given up, and its ticket may still wait in the queue. */
    static final byte LEFT = 1;

    /** It holds the mutex. */
    static final byte HELD = 2;

    /** A frame has some bytes, which say nothing; of the heap, as the fabric copies those at once. */
    private static final MemorySegment MESSAGE = MemorySegment.ofArray(new long[1]);

    final int rank;
    final int[] tickets;
    final byte[] states;
    private final MemorySegment near;
    private final MutexKeeper keeper;
    private final Fabric fabric;
    private final int process;
    private final long region;
    private final Waiter.Check check;
    private final long[] result = new long[1];
    private final SectionPieces pieces = new SectionPieces();
    private boolean sent;

    private MutexHome(int rank, int count, MemorySegment near, MutexKeeper keeper, Fabric fabric, int process,
            long region, Waiter.Check check) {
        this.rank = rank;
        this.tickets = new int[count];
        this.states = new byte[count];
        this.near = near;
        this.keeper = keeper;
        this.fabric = fabric;
        this.process = process;
        this.region = region;
        this.check = check;
    }

    /** Mutexes on this node. */
    static MutexHome near(int rank, int count, MemorySegment data, MutexKeeper keeper) {
        return new MutexHome(rank, count, data, keeper, null, -1, 0, null);
    }

    /** Mutexes on another node; the check ends calls when nobody is there any more. */
    static MutexHome far(int rank, int count, Fabric fabric, int process, long region, Waiter.Check check) {
        return new MutexHome(rank, count, null, null, fabric, process, region, check);
    }

    boolean isNear() {
        return near != null;
    }

    /** The queue of a mutex on this node. */
    long nearQueue(long mutex) {
        return Words.load(near, mutex);
    }

    /** Does it there, and waits until {@link #found} knows the old value; returns false when nobody is there. */
    boolean atomic(AtomicOperation operation, long offset, long operand, long expected) {
        if (near != null) {
            result[0] = operation.apply(near, offset, operand, expected);
            return true;
        }
        return fabric.atomic(process, region, offset, operation, operand, expected, result, check);
    }

    /** What the latest atomic operation has found. */
    long found() {
        return result[0];
    }

    /** Does what a {@link MutexKeeper} does; returns false when nobody is there. */
    boolean tell(int operation, long mutex, int ticket, int of) {
        long message = MutexKeeper.message(ticket, of);
        if (near != null) {
            keeper.accumulate(operation, message, 0, mutex, MESSAGE, 0, Long.BYTES);
            return true;
        }
        sent = true;
        pieces.begin(mutex, MESSAGE, 0, Long.BYTES);
        boolean there = fabric.send(process, region, pieces, operation, message, 0, check);
        fabric.flush();
        return there;
    }

    /** Waits until all that was told has been done. */
    void settle() {
        if (sent) {
            fabric.fence(process, check);
        }
    }
}
