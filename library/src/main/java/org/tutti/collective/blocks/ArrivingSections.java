/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;

/**
 * The sections that come to this node from another node in a {@link BlockExchange}: the first section of each source
 * there, to a place that is promised, and then the further sections, to a share of the inbox, to which the master
 * invites the other node's master. All readers of this node read them where they have arrived.
 */
final class ArrivingSections {
    private final Team team;
    private final BlockRoles roles;
    private final Sections sections;
    private final CallersBlocks blocks;

    /** The number of rounds that follow the first section, by the index of a source. */
    private final long[] rounds;

    private Inflow in;
    private int from;
    private int sources;
    private boolean hasTakenFirst;
    private long roundsMost;
    private long further;
    private long longest;

    ArrivingSections(Team team, BlockRoles roles, Sections sections, CallersBlocks blocks) {
        this.team = team;
        this.roles = roles;
        this.sections = sections;
        this.blocks = blocks;
        this.rounds = new long[roles.sourcesMax()];
    }

    /** {@return the number of sources from which this rank takes sections} */
    int sources() {
        return sources;
    }

    // ---- first sections

    /** Opens the flow of first sections from another node; nothing comes from this node itself. */
    void openFirst(int node) {
        from = node;
        sources = roles.takesFrom(node) ? roles.sources(node) : 0;
        hasTakenFirst = false;
        roundsMost = 0;
        further = 0;
        longest = 0;
        if (sources > 0) {
            in = team.inflow(team.pair(node));
            in.open(node, team.pair(team.node()), sections.firstBytes(roles.readersHere()),
                    sections.firstPlaces(sources), sources);
            roles.read(in);
        }
    }

    /** Tells whether {@link #takeFirst()} has something to take, and need not wait for it. */
    boolean canTakeFirst() {
        return sources > 0 && !hasTakenFirst && in.hasAll();
    }

    boolean hasTakenFirst() {
        return hasTakenFirst;
    }

    /** Takes all first sections, each from a place of its own. */
    void takeFirst() {
        for (int k = 0; k < sources; k++) {
            takeFirst(k);
        }
        hasTakenFirst = true;
    }

    /** Takes the first section of a source, and counts the sections that follow. */
    void takeFirst(int index) {
        Area section = in.await();
        int readers = roles.readersHere();
        rounds[index] = sections.rounds(section, readers);
        roundsMost = Math.max(roundsMost, rounds[index]);
        further += rounds[index];
        longest = Math.max(longest, sections.furtherBytes(section, readers));
        read(section, index, 0);
    }

    // ---- further sections

    /** {@return the number of sections that follow the first ones} */
    long further() {
        return further;
    }

    /** {@return the number of rounds in which they come} */
    long rounds() {
        return roundsMost;
    }

    /** Opens the flow of further sections, to a share of the inbox; the master invites the other node. */
    void openFurther(int share, int shares) {
        in.openInbox(from, longest, further, sources, share, sections.inboxBytes / shares);
        roles.read(in);
    }

    /** Tells whether a source has a section for a further round. */
    boolean has(int index, long round) {
        return round <= roundsMost && index < sources && round <= rounds[index];
    }

    /** Takes the next section, which a source has for a round. */
    void take(int index, long round) {
        read(in.await(), index, round);
    }

    private void read(Area section, int index, long round) {
        int source = roles.source(from, index);
        if (blocks.expects(source, round)) {
            blocks.read(section, source, round);
        }
    }

    /**
     * Gives back the place of the section that was taken last, when all readers have read it.
     *
     * @param before the number of sections from other nodes that were taken before, where places are used again
     */
    void release(long before) {
        in.release(before);
    }
}
