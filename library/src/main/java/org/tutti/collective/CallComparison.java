/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import org.tutti.CollectiveMismatchException;
import org.tutti.memory.CallSite;
import org.tutti.memory.Waiter;

/**
 * Tells whether another rank has called the same as this one, by their descriptors, and names both calls when not.
 */
final class CallComparison {
    private final Placement place;
    private final Waiter.Check check;
    private final Machine machine;
    private final MemorySegment ring;
    private final boolean looksBack;

    /**
     * @param place the rank's
     * @param check what may end its looking at another node
     * @param looksBack whether the rank has returned from all its calls, so that it is in the line of none of them
     */
    CallComparison(Placement place, Waiter.Check check, boolean looksBack) {
        this.place = place;
        this.check = check;
        this.looksBack = looksBack;
        this.machine = place.machine;
        this.ring = place.ring;
    }

    private long descriptor(long operation, int local) {
        return RingLayout.cell(place.layout.slot(place.layout.slotIndex(operation)), local) + RingLayout.DESCRIPTOR;
    }

    /** Who still waits for its slot has not described its call, so its history cannot be compared yet. */
    boolean isDescribed(long operation) {
        return machine.loadPlain(ring, descriptor(operation, place.localRank)) == operation + 1;
    }

    /** Whether the present call of another rank of this node in the operation's slot is of that operation. */
    boolean isDescribedBy(int other, long operation) {
        return machine.load(ring, descriptor(operation, place.localRankOf(other))) == operation + 1;
    }

    /** Whether another rank has described an operation with another history. */
    boolean differs(long operation, int other, long history) {
        int local = place.localRankOf(other);
        return local >= 0 ? differs(ring, descriptor(operation, local), operation, history)
                : fetch(operation, other) && differs(place.fetched, RingLayout.DESCRIPTOR, operation, history);
    }

    /** Gets the cell of a rank on another node; returns whether it could be had. */
    private boolean fetch(long operation, int other) {
        RingLayout theirs = place.layoutAt(other);
        long slot = theirs.slot(theirs.slotIndex(operation));
        return place.get(other, RingLayout.cell(slot, place.topology.placeOf(other)), RingLayout.CELL_BYTES,
                check) == Machine.Reply.GIVEN;
    }

    private boolean differs(MemorySegment cells, long descriptor, long operation, long history) {
        return machine.load(cells, descriptor) == operation + 1
                && machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_FINGERPRINT) != history;
    }

    /**
     * Histories differ: names the oldest call that does, if it is found.
     *
     * @param sequence the operation in which that was seen
     * @param other the other rank
     */
    CollectiveMismatchException mismatch(long sequence, int other) {
        CollectiveMismatchException named = find(sequence, other);
        return named != null ? named
                : new CollectiveMismatchException(place.describe() + " and " + place.members.describe(other)
                        + " called different collectives, or disagreed on an argument, some calls ago"
                        + seen() + "; all ranks must call the same collectives in the same order, with the same"
                        + " arguments", true);
    }

    /**
     * Finds the oldest call that differs, as far back as the ring remembers. The other rank may be ahead and write over
     * its old descriptors meanwhile; what was read of one counts only if it is still there afterwards.
     *
     * @param sequence the last operation to look at
     * @param other the other rank
     * @return what names both calls, or null if none is found
     */
    CollectiveMismatchException find(long sequence, int other) {
        int local = place.localRankOf(other);
        for (long operation = Math.max(0, sequence - place.layout.slots() + 1); operation <= sequence; operation++) {
            if (local < 0 && !fetch(operation, other)) {
                break;
            }
            MemorySegment cells = local < 0 ? place.fetched : ring;
            long mine = descriptor(operation, place.localRank);
            long theirs = local < 0 ? RingLayout.DESCRIPTOR : descriptor(operation, local);
            if (isDescribed(operation) && machine.load(cells, theirs) == operation + 1
                    && machine.loadPlain(ring, mine + RingLayout.DESCRIPTOR_CALL) != machine.loadPlain(cells,
                            theirs + RingLayout.DESCRIPTOR_CALL)) {
                String called = Descriptor.text(machine, cells, theirs);
                boolean isHere = operation == sequence && !looksBack;
                VarHandle.loadLoadFence();
                if (machine.load(cells, theirs) == operation + 1) {
                    return new CollectiveMismatchException(place.describe() + " called "
                            + Descriptor.text(machine, ring, mine)
                            + (isHere ? CallSite.here() : "")
                            + " as call number " + (operation + 1) + " on its communicator, but "
                            + place.members.describe(other) + " called " + called
                            + (isHere ? "" : seen())
                            + "; all ranks must call the same collectives in the same order, with the same arguments",
                            true);
                }
            }
        }
        return null;
    }

    private static String seen() {
        String site = CallSite.here();
        return site.isEmpty() ? "" : ", as was seen" + site;
    }
}
