/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;

/**
 * Carries the first round of a {@link BlockExchange} by an algorithm for equal blocks. Each rank writes a record for
 * each of its blocks: the length of the block, and its first bytes. All records have {@link Sections#RECORD_BYTES}
 * bytes, so they are equal blocks, and the algorithm moves them like any other call's. Then each rank compares the
 * length in each record that it has received with the length that it expects, and copies the bytes to its target.
 */
final class BlockRecords {
    private final Team team;
    private final BlockRoles roles;
    private final CallersBlocks blocks;
    private final Call records = new Call();
    private final Area sent = new Area();
    private final Area received = new Area();

    BlockRecords(Team team, BlockRoles roles, CallersBlocks blocks) {
        this.team = team;
        this.roles = roles;
        this.blocks = blocks;
    }

    /**
     * Runs one of the operations that carry the records of a call.
     *
     * @param call the call
     * @param carrier the algorithm for equal blocks
     * @param isFirst whether this is the first operation of the call
     */
    void run(Call call, Algorithm carrier, boolean isFirst) {
        roles.begin(call.root());
        blocks.begin(call);
        if (isFirst) {
            write(call, carrier);
        }
        carrier.run(team, records);
        if (!records.next() && roles.isReader) {
            read(call);
        }
        blocks.end();
    }

    private void write(Call call, Algorithm carrier) {
        boolean toAll = call.collective().sourceHasBlocks(team.rank(), call.root());
        boolean fromAll = call.collective().targetHasBlocks(team.rank(), call.root());
        MemorySegment from = room(sent, toAll);
        MemorySegment to = room(received, fromAll);
        for (int reader = 0; roles.isSource && reader < (toAll ? team.size() : 1); reader++) {
            blocks.writeRecord(reader, sent, reader * Sections.RECORD_BYTES);
        }
        records.set(carrier, call.root(), Long.MAX_VALUE);
        records.setElements(from, to, DataType.BYTE, Sections.RECORD_BYTES, null);
        records.setBlocks(team.rank(), null, null, false);
        records.cutWithin(team);
    }

    /** Returns memory for the record of each rank, or for one record. It is kept for later calls. */
    private MemorySegment room(Area area, boolean ofAll) {
        long bytes = (ofAll ? team.size() : 1) * Sections.RECORD_BYTES;
        if (area.segment().byteSize() < bytes) {
            area.set(MemorySegment.ofArray(new long[Math.toIntExact(bytes / Long.BYTES)]), 0);
        }
        return area.segment();
    }

    private void read(Call call) {
        boolean fromAll = call.collective().targetHasBlocks(team.rank(), call.root());
        for (int source = 0; source < team.size(); source++) {
            if (source == team.rank() && roles.isSource) {
                blocks.copyOwn();
            } else if (fromAll || source == call.root()) {
                blocks.readRecord(received, fromAll ? source * Sections.RECORD_BYTES : 0, source);
            }
        }
    }
}
