/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;

/**
 * The callers' memory that ranks of one node lend each other in the operations in flight: for each slot and rank a
 * source and a target. What lies in the node's memory is lent by its address, to all ranks of the node; anything else
 * by reference, to ranks of the same process. {@link Team} orders what is done to a loan.
 */
final class Loans {
    /** How memory is lent: not at all. */
    static final int NONE = 0;

    /** How memory is lent: others of the process find its segment here. */
    static final int BY_REFERENCE = 1;

    /** How memory is lent: it has an address in the node's memory. */
    static final int BY_ADDRESS = 2;

    private static final int PER_RANK = 2;

    /** Owns no memory: what it can access, every thread can. */
    private static final Thread STRANGER = Thread.ofPlatform().unstarted(() -> {});

    private final Memory memory;
    private final MemorySegment[] places;
    private final RingLayout layout;
    private final int localSize;
    private final Areas borrowed = new Areas();
    private boolean refers;

    /**
     * @param memory the node's
     * @param ringAddress whose loans
     * @param layout of their communicator's slots
     * @param localSize how many ranks the node has
     */
    Loans(Memory memory, long ringAddress, RingLayout layout, int localSize) {
        this.memory = memory;
        this.layout = layout;
        this.places = memory.loans(ringAddress, layout.slots() * localSize * PER_RANK);
        this.localSize = localSize;
    }

    /** Whether every thread may use a segment; those of a confined arena only their owner may. */
    static boolean isOpenToAll(MemorySegment segment) {
        return segment.isAccessibleBy(STRANGER);
    }

    /** How memory can be lent. */
    int way(Area area) {
        if (memory.addressOf(area.segment()) != 0) {
            return BY_ADDRESS;
        }
        return places != null && isOpenToAll(area.segment()) ? BY_REFERENCE : NONE;
    }

    /** Lends memory; returns where it begins, for {@link #lent}. */
    long lend(long operation, int localRank, int loan, int way, Area area) {
        if (way == BY_ADDRESS) {
            return memory.addressOf(area.segment()) + area.start();
        }
        places[place(operation, localRank, loan)] = area.segment();
        refers = true;
        return area.start();
    }

    /** What a rank has lent in some way; null when it has taken it back. */
    Area lent(long operation, int localRank, int loan, int way, long start) {
        if (way == BY_ADDRESS) {
            return borrowed.next(memory.around(start), memory.offset(start));
        }
        MemorySegment segment = places[place(operation, localRank, loan)];
        return segment == null ? null : borrowed.next(segment, start);
    }

    /** Forgets what was borrowed, so that its owner's arrays are not kept alive here. */
    void forgetBorrowed() {
        borrowed.clear();
    }

    void takeBack(long operation, int localRank) {
        if (refers) { // others write to places nearby: a store would not be free
            for (int loan = 0; loan < PER_RANK; loan++) {
                places[place(operation, localRank, loan)] = null;
            }
            refers = false;
        }
    }

    private int place(long operation, int localRank, int loan) {
        return ((int) layout.slotIndex(operation) * localSize + localRank) * PER_RANK + loan;
    }
}
