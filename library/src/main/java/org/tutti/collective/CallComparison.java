/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import org.tutti.CollectiveMismatchException;

/**
 * Tells whether another rank has called the same as this one, by their descriptors, and names both calls when not.
 */
final class CallComparison {
    /** Copies the cell of a rank on another node here. */
    @FunctionalInterface
    interface Fetch {
        /** Returns whether it could be had. */
        boolean fetch(long operation, int other);
    }

    private final Machine machine;
    private final Members members;
    private final MemorySegment ring;
    private final RingLayout layout;
    private final int rank;
    private final int localRank;
    private final MemorySegment fetched;
    private final Fetch fetch;

    CallComparison(Machine machine, Members members, MemorySegment ring, RingLayout layout, int rank, int localRank,
            MemorySegment fetched, Fetch fetch) {
        this.machine = machine;
        this.members = members;
        this.ring = ring;
        this.layout = layout;
        this.rank = rank;
        this.localRank = localRank;
        this.fetched = fetched;
        this.fetch = fetch;
    }

    long descriptor(long operation, int local) {
        return RingLayout.cell(layout.slot(layout.slotIndex(operation)), local) + RingLayout.DESCRIPTOR;
    }

    /** Who still waits for its slot has not described its call, so its history cannot be compared yet. */
    boolean isDescribed(long operation) {
        return machine.loadPlain(ring, descriptor(operation, localRank)) == operation + 1;
    }

    boolean differsHere(long operation, int local, long history) {
        return differs(ring, descriptor(operation, local), operation, history);
    }

    boolean differsElsewhere(long operation, int other, long history) {
        return fetch.fetch(operation, other) && differs(fetched, RingLayout.DESCRIPTOR, operation, history);
    }

    private boolean differs(MemorySegment cells, long descriptor, long operation, long history) {
        return machine.load(cells, descriptor) == operation + 1
                && machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_FINGERPRINT) != history;
    }

    /**
     * Histories differ: finds the oldest call that does, as far back as the ring remembers. The other rank may be ahead
     * and write over its old descriptors meanwhile; what was read of one counts only if it is still there afterwards.
     *
     * @param sequence the operation in which that was seen
     * @param other the other rank
     * @param local its place on this node, or −1
     */
    CollectiveMismatchException mismatch(long sequence, int other, int local) {
        for (long operation = Math.max(0, sequence - layout.slots() + 1); operation <= sequence; operation++) {
            if (local < 0 && !fetch.fetch(operation, other)) {
                break;
            }
            MemorySegment cells = local < 0 ? fetched : ring;
            long mine = descriptor(operation, localRank);
            long theirs = local < 0 ? RingLayout.DESCRIPTOR : descriptor(operation, local);
            if (isDescribed(operation) && machine.load(cells, theirs) == operation + 1
                    && machine.loadPlain(ring, mine + RingLayout.DESCRIPTOR_CALL) != machine.loadPlain(cells,
                            theirs + RingLayout.DESCRIPTOR_CALL)) {
                String called = Descriptor.text(machine, cells, theirs);
                VarHandle.loadLoadFence();
                if (machine.load(cells, theirs) == operation + 1) {
                    return new CollectiveMismatchException(members.describe(rank) + " called "
                            + Descriptor.text(machine, ring, mine)
                            + " as call number " + (operation + 1) + " on its communicator, but "
                            + members.describe(other) + " called " + called
                            + "; all ranks must call the same collectives in the same order, with the same arguments",
                            true);
                }
            }
        }
        return new CollectiveMismatchException(members.describe(rank) + " and " + members.describe(other)
                + " called different collectives, or disagreed on an argument, some calls ago"
                + "; all ranks must call the same collectives in the same order, with the same arguments", true);
    }
}
