/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;

/**
 * The first round of a {@link BlockExchange}. It brings the first bytes of all blocks to their readers, and lets each
 * node know how many bytes the sources, the ranks that send, still have for its readers, the ranks that receive. For
 * this it provides a section for each source of another node: for each reader the length of its block, and perhaps a
 * chunk of the block. All rounds that follow depend only on these lengths.
 */
sealed interface FirstRound {
    /**
     * Looks at the first sections of this node's sources, and sends them to all other nodes if necessary. Only masters,
     * the ranks that talk to other nodes, call this method.
     */
    void send(int[] partners, DepartingSections departing);

    /** Prepares for the sections of another node's sources, with the flow that comes from that node. */
    void open(Inflow in, int node, int sources);

    /** Returns whether {@link #await} waits for no other node. */
    boolean hasCome(Inflow in);

    /** Waits for the section of another node's source, and returns it. The sources come in the order of the index. */
    Area await(Inflow in, int node, int index);

    /**
     * The first round by eager sections. Each master sends the section of each source as one piece over the pair, the
     * edge between every two nodes. The piece arrives in the pair's eager buffer, memory that needs no invitation, and
     * the rest of a long one in the pair's long buffer.
     */
    record Eager(Team team, BlockRoles roles, Sections sections) implements FirstRound {
        @Override
        public void send(int[] partners, DepartingSections departing) {
            for (int partner : partners) {
                departing.begin(partner);
                departing.openFirst();
                for (int k = 0; k < departing.sources(); k++) {
                    departing.sendFirst(k);
                }
            }
        }

        @Override
        public void open(Inflow in, int node, int sources) {
            int readers = roles.readersHere();
            in.open(node, team.pair(team.node()), sections.firstPlaceBytes(readers), sections.firstPlaces(sources),
                    sources);
            in.withRests(sections.firstRestBytes(readers));
            roles.read(in);
        }

        @Override
        public boolean hasCome(Inflow in) {
            return in.hasAll();
        }

        @Override
        public Area await(Inflow in, int node, int index) {
            return in.await();
        }
    }

    /**
     * The first round by an algorithm for equal blocks, which has carried it in earlier operations ({@link
     * BlockRecords}). Each reader has compared the length of each block with its own. Therefore the readers of this
     * node know the lengths of the sources' blocks, and no section comes from another node. This class writes the
     * section that would have come, without chunks.
     */
    record Carried(Team team, BlockRoles roles, ShownSections shown, CallersBlocks blocks, Area header)
            implements
                FirstRound {
        Carried(Team team, BlockRoles roles, ShownSections shown, CallersBlocks blocks) {
            this(team, roles, shown, blocks, new Area());
            header.set(MemorySegment.ofArray(new long[roles.readersMax()]), 0);
        }

        @Override
        public void send(int[] partners, DepartingSections departing) {
            int sources = partners.length == 0 ? 0 : roles.sources(team.node());
            for (int k = 0; k < sources; k++) { // of each, the number of further rounds is needed
                shown.findFirst(roles.sourceLocalRank(k), team.node());
            }
        }

        @Override
        public void open(Inflow in, int node, int sources) {
            // no first section comes
        }

        @Override
        public boolean hasCome(Inflow in) {
            return true;
        }

        @Override
        public Area await(Inflow in, int node, int index) {
            int source = roles.source(node, index);
            for (int k = 0; k < roles.readersHere(); k++) {
                team.write(header, k * Sections.LEFT_BYTES, roles.sameForAll ? blocks.lengthFrom(source)
                        : shown.findLength(roles.readerLocalRank(k), source));
            }
            return header;
        }
    }
}
