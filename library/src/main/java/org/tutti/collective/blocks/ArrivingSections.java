/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;

/**
 * What comes to this node from another one in a {@link BlockExchange}: of each source there the first section, to a
 * place that is promised, and then those that follow, to a share of the inbox, to which the master invites the other
 * node's. All readers of this node find them where they have arrived.
 */
final class ArrivingSections {
    private final Team team;
    private final BlockRoles roles;
    private final Sections sections;
    private final CallersBlocks blocks;

    /** By the index of a source: how many rounds follow its first section. */
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

    /** {@return how many sources have something that this rank takes} */
    int sources() {
        return sources;
    }

    // ---- first sections

    /** Opens the flow of first sections from another node; from this one itself nothing comes. */
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

    /** Whether {@link #takeFirst()} takes something, and does not wait for it. */
    boolean canTakeFirst() {
        return sources > 0 && !hasTakenFirst && in.hasAll();
    }

    boolean hasTakenFirst() {
        return hasTakenFirst;
    }

    /** Takes all first sections, each of which has a place of its own. */
    void takeFirst() {
        for (int k = 0; k < sources; k++) {
            takeFirst(k);
        }
        hasTakenFirst = true;
    }

    /** Takes the first section of a source, and counts what follows. */
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

    /** {@return how many sections follow the first ones} */
    long further() {
        return further;
    }

    /** {@return in how many rounds} */
    long rounds() {
        return roundsMost;
    }

    /** Opens the flow of what follows, to a share of the inbox; the master invites the other node. */
    void openFurther(int share, int shares) {
        in.openInbox(from, longest, further, sources, share, sections.inboxBytes / shares);
        roles.read(in);
    }

    /** Whether a source has something for a further round. */
    boolean has(int index, long round) {
        return round <= roundsMost && index < sources && round <= rounds[index];
    }

    /** Takes the next section, which is that of a source for a round. */
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
     * Gives the place of what was taken last to the next section, when all readers have read it.
     *
     * @param before how many sections from other nodes have been taken before, where places are used again
     */
    void release(long before) {
        in.release(before);
    }
}
