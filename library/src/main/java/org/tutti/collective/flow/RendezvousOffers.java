/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.fabric.PutSource;
import org.tutti.memory.Words;

/**
 * Writes and reads the invitations of a rank. An invitation tells another node the process, region, offset and length
 * of memory into which that node may put. The object also records the caller's memory that this rank has registered for
 * other nodes, until the rank leaves the operation. A team, the object that runs a rank's operations, has one such
 * object.
 */
public final class RendezvousOffers {
    private static final long REGION = 8;
    private static final long OFFSET = 16;
    private static final long BYTES = 24;

    private final Machine machine;
    private final MemorySegment written;
    private final PutSource source = new PutSource();
    private long[] regions = new long[1];
    private int count;

    /**
     * Creates the invitations of a team.
     *
     * @param machine the machine of the threads that run the team
     * @param severalNodes whether there are other nodes; if not, no invitation is ever written
     */
    public RendezvousOffers(Machine machine, boolean severalNodes) {
        this.machine = machine;
        this.written = severalNodes ? Arena.ofAuto().allocate(RingLayout.INVITATION_BYTES, Words.LINE_BYTES) : null;
        if (severalNodes) {
            source.add(written, 0, RingLayout.INVITATION_BYTES);
        }
    }

    /**
     * Registers memory of the caller as a region, so that other nodes can put into it, and returns the region's handle.
     */
    long open(MemorySegment memory) {
        if (count == regions.length) {
            regions = Arrays.copyOf(regions, 2 * count);
        }
        regions[count] = machine.register(memory);
        assert regions[count] != 0 : "region " + count + " has no handle";
        return regions[count++];
    }

    /** Revokes all regions of the caller's memory that {@link #open} has registered. */
    public void revokeAll() {
        while (count > 0) {
            machine.revoke(regions[--count]);
        }
    }

    void write(int process, long region, long offset, long bytes) {
        assert region != 0 && offset >= 0 && bytes > 0 : "an invitation to " + bytes + " bytes at " + offset
                + " of region " + region;
        machine.storePlain(written, 0, process);
        machine.storePlain(written, REGION, region);
        machine.storePlain(written, OFFSET, offset);
        machine.storePlain(written, BYTES, bytes);
    }

    /** Returns the invitation that {@link #write} has written last. */
    PutSource written() {
        return source;
    }

    /**
     * Reads an invitation that has arrived.
     *
     * @param memory the memory that holds the invitation
     * @param at the offset of the invitation in that memory
     * @param target the object that is set to the memory to which this node is invited
     */
    void read(MemorySegment memory, long at, RendezvousTarget target) {
        target.process = (int) machine.loadPlain(memory, at);
        target.region = machine.loadPlain(memory, at + REGION);
        target.offset = machine.loadPlain(memory, at + OFFSET);
        target.bytes = machine.loadPlain(memory, at + BYTES);
    }
}
