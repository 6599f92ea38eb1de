/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.util.Arrays;

import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;

/**
 * Shows this rank's sections in a {@link BlockExchange}, and finds the sections that other ranks of this node show. A
 * section has the data of one source, a rank that sends, for the ranks of one node. Each source shows its sections in a
 * window. The first sections stay there until all ranks have left the operation. With the sections of further rounds a
 * source fills the places of its window in turn. If there are several nodes, a directory is in front of the sections:
 *
 * <pre>
 *  | where the section for node 0 begins | … | where the last one ends | rounds | first sections | place 0 | place 1 |
 * </pre>
 *
 * <p>If an algorithm for equal blocks has carried the first round, the first sections have no chunks, and the lengths
 * that the rank expects from all sources are at the end of the directory.
 *
 * <p>A source fills a place again when DONE shows that the section there is no longer needed. All readers of this node
 * have then read it, or the node's master has sent it to another node.
 */
final class ShownSections {
    private static final long FIRST = 1;

    private final Team team;
    private final BlockRoles roles;
    private final Sections sections;
    private final CallersBlocks blocks;
    private final Area own = new Area();
    private final Area section = new Area();

    /**
     * The offset of each source's places, and the number of times that the source has filled a place, by its local
     * rank.
     */
    private final long[] placesAt;
    private final long[] filled;

    /**
     * For each place of this rank, the value of DONE at which the place is free, and whether the master's DONE counts
     * or the DONE of all readers.
     */
    private final long[] freeAt = new long[Sections.PLACES];
    private final boolean[] isMasters = new boolean[Sections.PLACES];

    private long roundsMost;

    ShownSections(Team team, BlockRoles roles, Sections sections, CallersBlocks blocks) {
        this.team = team;
        this.roles = roles;
        this.sections = sections;
        this.blocks = blocks;
        this.placesAt = new long[team.localSize()];
        this.filled = new long[team.localSize()];
    }

    void begin() {
        roundsMost = 0;
        Arrays.fill(filled, 0);
    }

    /**
     * Returns whether a source of this node has further rounds for any node. Only the sources for which {@link
     * #findFirst} was called count.
     */
    boolean haveFurther() {
        return roundsMost > 0;
    }

    // ---- sections of this source

    /** Shows this rank's first sections for all nodes, if it is a source, and the lengths that it expects. */
    void showFirst() {
        int nodes = team.nodes();
        int different = !roles.isSource ? 0 : roles.sameForAll ? 1 : nodes;
        long first = sections.directoryBytes();
        long most = 0;
        for (int node = 0; node < nodes; node++) {
            first += node < different ? blocks.firstBytes(node) : 0;
            most = Math.max(most, blocks.rounds(node));
        }
        Area window = team.showVarying(most == 0 ? first : first + sections.places * sections.placeBytes);
        own.set(window.segment(), window.start());
        long at = sections.directoryBytes();
        for (int node = 0; node < nodes; node++) {
            direct(node, roles.sameForAll ? sections.directoryBytes() : at);
            at = node < different ? blocks.write(node, 0, own, at) : at;
        }
        direct(nodes, at);
        direct(nodes + 1, most);
        showLengths();
        placesAt[team.localRank()] = first;
        team.post(Team.READY, FIRST);
    }

    private void direct(int index, long value) {
        if (team.nodes() > 1) {
            team.write(own, index * Sections.LEFT_BYTES, value);
        }
    }

    private void showLengths() {
        if (showsLengths()) {
            for (int node = 0; node < team.nodes(); node++) {
                for (int k = 0; k < roles.sources(node); k++) {
                    int source = roles.source(node, k);
                    team.write(own, sections.lengthAt(roles.lengthIndex(source)), blocks.lengthFrom(source));
                }
            }
        }
    }

    private boolean showsLengths() {
        return sections.areCarried && roles.isReader && !roles.sameForAll && team.nodes() > 1;
    }

    /** Returns whether this rank has anything to show before the further rounds. */
    boolean hasFirst() {
        return roles.isSource || showsLengths();
    }

    /**
     * Fills this source's next place with a section for the readers of this node. A reader posts the number of the
     * round with {@link Team#DONE} when it has read the section.
     */
    void fillForReaders(long round) {
        fill(team.node(), round, round, false);
    }

    /**
     * Fills this source's next place with a section for another node. The master of this node will send the section.
     *
     * @param node the other node
     * @param round the number of the round
     * @param done the value that the master's {@link Team#DONE} has once the master has sent the section
     */
    void fillForMaster(int node, long round, long done) {
        fill(node, round, done, true);
    }

    private void fill(int node, long round, long done, boolean byMaster) {
        int here = team.localRank();
        int place = (int) (filled[here] % sections.places);
        if (filled[here] >= sections.places) {
            awaitFree(place);
        }
        isMasters[place] = byMaster;
        freeAt[place] = done;
        blocks.write(node, round, own, placesAt[here] + place * sections.placeBytes);
        filled[here]++;
        team.post(Team.READY, FIRST + filled[here]);
    }

    private void awaitFree(int place) {
        if (!isMasters[place]) {
            roles.awaitReaders(freeAt[place]);
        } else if (!team.isMaster()) {
            team.await(Team.MASTER, Team.DONE, freeAt[place]);
        }
    }

    // ---- sections of all sources of this node

    /** Waits until a source of this node shows its first sections, and returns its first section for a given node. */
    Area findFirst(int source, int node) {
        boolean isOwn = source == team.localRank();
        Area shown = isOwn ? own : await(source, FIRST);
        long at = 0;
        if (team.nodes() > 1) {
            at = team.read(shown, node * Sections.LEFT_BYTES);
            placesAt[source] = team.read(shown, team.nodes() * Sections.LEFT_BYTES);
            roundsMost = Math.max(roundsMost, team.read(shown, (team.nodes() + 1) * Sections.LEFT_BYTES));
        }
        section.set(shown.segment(), shown.start() + at);
        if (team.nodes() == 1 && !isOwn) {
            placesAt[source] = Sections.aligned(sections.bytes(section, roles.readers(node), 0));
        }
        return section;
    }

    /**
     * Waits until a reader of this node shows its lengths, and returns the number of bytes that it expects from a
     * source.
     */
    long findLength(int reader, int source) {
        Area shown = reader == team.localRank() ? own : await(reader, FIRST);
        return team.read(shown, sections.lengthAt(roles.lengthIndex(source)));
    }

    /**
     * Waits until another rank of this node has posted a step with READY, and returns the memory in which that rank
     * shows its sections.
     */
    private Area await(int other, long step) {
        team.await(other, Team.READY, step);
        return team.shownVarying(other);
    }

    /**
     * Waits until a source of this node has filled its places {@code number} times in all, and returns the section that
     * it filled in last.
     */
    Area find(int source, long number) {
        Area shown = source == team.localRank() ? own : await(source, FIRST + number);
        section.set(shown.segment(),
                shown.start() + placesAt[source] + (number - 1) % sections.places * sections.placeBytes);
        return section;
    }

    /** Records how many times another source fills a place for the readers of this node. */
    void noteFilled(int source, long times) {
        if (source != team.localRank()) { // this rank counts its own as it fills them
            filled[source] = times;
        }
    }

    /**
     * Waits until a source has filled its next place, and returns the section there. If the source is this rank, the
     * method returns the section that the rank filled in last, without a wait.
     */
    Area findNext(int source) {
        if (source != team.localRank()) {
            filled[source]++;
        }
        return find(source, filled[source]);
    }
}
