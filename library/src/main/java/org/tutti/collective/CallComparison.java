/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import org.tutti.CollectiveMismatchException;

/**
 * Tells whether another rank has called the same as this one, by their descriptors, and names both calls when not.
 */
final class CallComparison {
    private final Placement place;
    private final Waiting waiting;
    private final Machine machine;
    private final MemorySegment ring;
    private final RingLayout layout;

    CallComparison(Placement place, Waiting waiting) {
        this.place = place;
        this.waiting = waiting;
        this.machine = place.machine;
        this.ring = place.ring;
        this.layout = place.layout;
    }

    private long descriptor(long operation, int local) {
        return RingLayout.cell(layout.slot(layout.slotIndex(operation)), local) + RingLayout.DESCRIPTOR;
    }

    /** Who still waits for its slot has not described its call, so its history cannot be compared yet. */
    boolean isDescribed(long operation) {
        return machine.loadPlain(ring, descriptor(operation, place.localRank)) == operation + 1;
    }

    boolean differsHere(long operation, int local, long history) {
        return differs(ring, descriptor(operation, local), operation, history);
    }

    boolean differsElsewhere(long operation, int other, long history) {
        return waiting.fetchCell(operation, other) && differs(place.fetched, RingLayout.DESCRIPTOR, operation, history);
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
     */
    CollectiveMismatchException mismatch(long sequence, int other) {
        int local = place.localRankOf(other);
        for (long operation = Math.max(0, sequence - layout.slots() + 1); operation <= sequence; operation++) {
            if (local < 0 && !waiting.fetchCell(operation, other)) {
                break;
            }
            MemorySegment cells = local < 0 ? place.fetched : ring;
            long mine = descriptor(operation, place.localRank);
            long theirs = local < 0 ? RingLayout.DESCRIPTOR : descriptor(operation, local);
            if (isDescribed(operation) && machine.load(cells, theirs) == operation + 1
                    && machine.loadPlain(ring, mine + RingLayout.DESCRIPTOR_CALL) != machine.loadPlain(cells,
                            theirs + RingLayout.DESCRIPTOR_CALL)) {
                String called = Descriptor.text(machine, cells, theirs);
                VarHandle.loadLoadFence();
                if (machine.load(cells, theirs) == operation + 1) {
                    return new CollectiveMismatchException(place.describe() + " called "
                            + Descriptor.text(machine, ring, mine)
                            + " as call number " + (operation + 1) + " on its communicator, but "
                            + place.members.describe(other) + " called " + called
                            + "; all ranks must call the same collectives in the same order, with the same arguments",
                            true);
                }
            }
        }
        return new CollectiveMismatchException(place.describe() + " and " + place.members.describe(other)
                + " called different collectives, or disagreed on an argument, some calls ago"
                + "; all ranks must call the same collectives in the same order, with the same arguments", true);
    }
}
