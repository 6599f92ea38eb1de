/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;

/**
 * Takes the sections that come to this node from one other node in a {@link BlockExchange}. A section has the data of a
 * source, a rank of the other node, for the readers, the ranks of this node that get data. The {@link FirstRound} has
 * the first section of each source. The further sections arrive in a share of the inbox, a block of memory to which
 * this node's master invites the other node's master. All readers read the sections where they have arrived.
 */
final class ArrivingSections {
    private final Team team;
    private final BlockRoles roles;
    private final Sections sections;
    private final CallersBlocks blocks;
    private final FirstRound first;

    /** The number of rounds that follow the first section, by the index of the source. */
    private final long[] rounds;

    private Inflow in;
    private int from;
    private int sources;
    private boolean hasTakenFirst;
    private long roundsMost;
    private long further;
    private long longest;

    ArrivingSections(Team team, BlockRoles roles, Sections sections, CallersBlocks blocks, FirstRound first) {
        this.team = team;
        this.roles = roles;
        this.sections = sections;
        this.blocks = blocks;
        this.first = first;
        this.rounds = new long[roles.sourcesMax()];
    }

    /** {@return the number of sources from which this rank takes sections} */
    int sources() {
        return sources;
    }

    // ---- first sections

    /** Prepares for the first sections from a node. If the node is this node itself, there are none. */
    void openFirst(int node) {
        from = node;
        sources = roles.takesFrom(node) ? roles.sources(node) : 0;
        hasTakenFirst = false;
        roundsMost = 0;
        further = 0;
        longest = 0;
        if (sources > 0) {
            in = team.inflow(team.pair(node));
            first.open(in, node, sources);
        }
    }

    /** Returns whether {@link #takeFirst()} has sections to take, and all of them have arrived. */
    boolean canTakeFirst() {
        return sources > 0 && !hasTakenFirst && first.hasCome(in);
    }

    boolean hasTakenFirst() {
        return hasTakenFirst;
    }

    /** Takes the first sections of all sources. */
    void takeFirst() {
        for (int k = 0; k < sources; k++) {
            takeFirst(k);
        }
        hasTakenFirst = true;
    }

    /** Waits for the first section of a source, reads this rank's chunk of it, and counts the sections that follow. */
    void takeFirst(int index) {
        Area section = first.await(in, from, index);
        int readers = roles.readersHere();
        rounds[index] = sections.rounds(section, readers);
        roundsMost = Math.max(roundsMost, rounds[index]);
        further += rounds[index];
        longest = Math.max(longest, sections.furtherBytes(section, readers));
        int source = roles.source(from, index);
        if (blocks.expects(source, 0)) {
            boolean hasRest = sections.bytes(section, readers, 0) > sections.firstPlaceBytes(readers);
            blocks.readFirst(section, hasRest ? in.rest() : null, source);
        }
    }

    // ---- further sections

    /** {@return the number of further sections from all sources together} */
    long further() {
        return further;
    }

    /** {@return the number of rounds in which the further sections come} */
    long rounds() {
        return roundsMost;
    }

    /**
     * Opens the flow of further sections into a share of the inbox. At the master this method invites the other node.
     */
    void openFurther(int share, int shares) {
        in.openInbox(from, longest, further, sources, share, sections.inboxBytes / shares);
        roles.read(in);
    }

    /** Returns whether a source has a section for a further round. */
    boolean has(int index, long round) {
        return round <= roundsMost && index < sources && round <= rounds[index];
    }

    /** Waits for the section that a source has for a round, and reads this rank's chunk of it. */
    void take(int index, long round) {
        Area section = in.await();
        int source = roles.source(from, index);
        if (blocks.expects(source, round)) {
            blocks.read(section, source, round);
        }
    }

    /**
     * Releases the place of the section that was taken last, once all readers of this node have read the section.
     *
     * @param before the number of sections that this rank has taken from earlier partners through places that are used
     *            again
     */
    void release(long before) {
        in.release(before);
    }
}
