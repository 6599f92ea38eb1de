/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * What goes from this node to another one in a {@link BlockExchange}: of each source the first section, to a place that
 * is promised, and then those that follow, to the inbox of the other node's master, when that invites. The master sends
 * them from where they are shown; other ranks only count them.
 */
final class DepartingSections {
    private final Team team;
    private final BlockRoles roles;
    private final Sections sections;
    private final ShownSections shown;

    /** By the index of a source: how many rounds follow its first section. */
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

    /** Begins with another node. */
    void begin(int node) {
        to = node;
        readers = roles.readers(node);
        sources = readers == 0 ? 0 : roles.sources(team.node());
        roundsMost = 0;
        if (sources > 0 && team.isMaster()) {
            out = team.outflow(team.pair(node));
        }
    }

    /** {@return how many sources have something for the node} */
    int sources() {
        return sources;
    }

    // ---- at the master

    void openFirst() {
        if (sources > 0) {
            out.open(to, team.pair(team.node()), sections.firstBytes(readers), sections.firstPlaces(sources));
        }
    }

    void sendFirst(int index) {
        Area section = shown.findFirst(roles.sourceLocalRank(index), to);
        out.send(section, 0, sections.bytes(section, readers, 0));
    }

    /** Whether a source has something for a further round, and this rank sends it. */
    boolean has(int index, long round) {
        return round <= roundsMost && index < sources && round <= rounds[index] && team.isMaster();
    }

    void send(int index, long round) {
        Area section = shown.findNext(roles.sourceLocalRank(index));
        out.send(section, 0, sections.bytes(section, readers, round));
    }

    // ---- at all ranks

    /** Opens the flow of what follows the first sections, at the master; and returns for how many rounds, to all. */
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
