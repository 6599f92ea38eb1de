/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * Sends the sections that go from this node to one other node in a {@link BlockExchange}. A section has the data of one
 * source, a rank of this node, for the ranks of the other node. The first section of each source goes to memory that is
 * reserved for it. The further sections go to the inbox, a block of memory, of the other node's master, once that
 * master has invited this node. This node's master sends the sections straight from the sources' windows. The other
 * ranks only count them.
 */
final class DepartingSections {
    private final Team team;
    private final BlockRoles roles;
    private final Sections sections;
    private final ShownSections shown;

    /** The number of rounds that follow the first section, by the index of the source. */
    private final long[] rounds;

    private Outflow out;
    private int to;
    private int readers;
    private int sources;
    private long roundsMost;

    DepartingSections(Team team, BlockRoles roles, Sections sections, ShownSections shown) {
        this.team = team;
        this.roles = roles;
        this.sections = sections;
        this.shown = shown;
        this.rounds = new long[roles.sourcesMax()];
    }

    /** Prepares this object for the sections that go to another node. */
    void begin(int node) {
        to = node;
        readers = roles.readers(node);
        sources = readers == 0 ? 0 : roles.sources(team.node());
        roundsMost = 0;
        if (sources > 0 && team.isMaster()) {
            out = team.outflow(team.pair(node));
        }
    }

    /** {@return the number of sources that have data for the node} */
    int sources() {
        return sources;
    }

    // ---- at the master

    /** Opens the flow of first sections to the other node, if it has readers and this node has sources. */
    void openFirst() {
        if (sources > 0) {
            out.open(to, team.pair(team.node()), sections.firstPlaceBytes(readers), sections.firstPlaces(sources));
            out.withRests(sections.firstRestBytes(readers));
        }
    }

    /** Sends the first section of a source, once the source shows it. */
    void sendFirst(int index) {
        Area section = shown.findFirst(roles.sourceLocalRank(index), to);
        out.send(section, 0, sections.bytes(section, readers, 0));
    }

    /** Returns whether this rank, as the master, sends a section of a source in a further round. */
    boolean has(int index, long round) {
        return round <= roundsMost && index < sources && round <= rounds[index] && team.isMaster();
    }

    /** Sends the next section of a source for a further round, once the source shows it. */
    void send(int index, long round) {
        Area section = shown.findNext(roles.sourceLocalRank(index));
        out.send(section, 0, sections.bytes(section, readers, round));
    }

    // ---- at all ranks

    /**
     * Opens the flow of further sections to the other node if this rank is the master. At every rank the method returns
     * the number of rounds in which these sections are sent.
     */
    long openFurther() {
        long longest = 0;
        for (int k = 0; shown.haveFurther() && k < sources; k++) {
            Area first = shown.findFirst(roles.sourceLocalRank(k), to);
            rounds[k] = sections.rounds(first, readers);
            roundsMost = Math.max(roundsMost, rounds[k]);
            longest = Math.max(longest, sections.furtherBytes(first, readers));
        }
        if (roundsMost > 0 && team.isMaster()) {
            out.openInvited(to, longest, sources);
        }
        return roundsMost;
    }
}
