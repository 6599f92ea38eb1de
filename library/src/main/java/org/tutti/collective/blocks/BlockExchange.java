/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.util.Arrays;
import java.util.List;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.TeamLocal;
import org.tutti.collective.flow.RendezvousSchedule;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.WindowPool;

/**
 * The exchange of blocks of any length, of which only the two ranks know how long it is that send and receive it:
 * everything of a gather, scatter, allgather or all-to-all with blocks, which is one operation. Sources are the ranks
 * that have something for others, and readers those that get something: {@link BlockRoles} knows them.
 *
 * <p><b>Sections.</b> What a source has for the readers of a node is a section: for each reader how many bytes are left
 * for it, and then a chunk for each of them, the next of those bytes, one after the other. Readers find theirs by what
 * is left for the readers before them, and compare what is left for them with what they expect. In an allgather all
 * readers get the same, so there is one section for all of them, as for one reader.
 *
 * <pre>
 *  | left for reader 0 | left for reader 1 | … | chunk for reader 0 | chunk for reader 1 | …
 * </pre>
 *
 * <p>{@link Sections} has the arithmetic: how long chunks and sections are, and how many rounds there will be. {@link
 * CallersBlocks} cuts blocks into sections and puts them together again, {@link ShownSections} are those that sources
 * show on their node, {@link DepartingSections} and {@link ArrivingSections} go to another node and come from one. Here
 * is in which order all that happens.
 *
 * <p><b>First round.</b> Each source shows a section for each node, with its first, short chunks: one after the other
 * behind a directory of where they begin. Readers of its node read there; its master puts the section for each other
 * node to the pair's eager buffer there, a piece for each source, which that node's readers read where it is. With
 * short blocks, that is all.
 *
 * <p><b>Further rounds</b>, for what is left, go node by node, so that long chunks have room: first in the node itself,
 * then to and from its partners in a {@link Tournament}, one after the other. A source fills places of its window in
 * turn, behind the first sections, and says READY for each. Masters put sections to the inbox of the other node's
 * master, which invites them: rendezvous, as the first round has told the receiver what will come. All readers of its
 * node read them there. The inbox has two halves in turn: so one sender is invited, and the next one while that sends,
 * and never more, as {@link RendezvousSchedule} have it where lengths are known.
 *
 * <p><b>Words.</b> READY counts what a source has shown: 1 for the first round, and one more for each time it has
 * filled a place. DONE of a reader counts the rounds in its node, up to that which is the last one of all pairs there,
 * and then the pieces that it has read from other nodes where places are used again. DONE of a master counts those
 * rounds, and then the rounds that it has sent. Each rank knows these numbers by what is left for whom.
 *
 * <p><b>Why nothing is overwritten.</b> The first sections stay until all ranks have left the operation. A source fills
 * a place again when DONE says that the round that was there has been read, by the readers of the node, or by the
 * master that has put it to another one. Places in eager buffers and the inbox are given back by credits, which the
 * master gives when all readers have said DONE; a half of the inbox is another sender's when all have read what the one
 * before the last has sent.
 *
 * <p><b>Calls in place.</b> In an all-to-all whose source is its target, a block that comes from a rank lies where the
 * one for it lay. The two are equally long and go in the same rounds, as two nodes are partners of each other at the
 * same time; and a rank shows its chunk of a round before it reads that of the other.
 *
 * <p><b>Why it ends.</b> Masters go through the games of the tournament, rounds and sources in the same order, and at
 * each send before they take; what one sends needs at most that its receiver has taken what was sent before. So of all
 * masters that wait, the one that is least far waits for nobody. The next sender is invited only if what it began with
 * is there already.
 */
public final class BlockExchange {
    private static final List<TeamLocal<BlockExchange>> LOCALS = Arrays.stream(Collective.values())
            .map(collective -> new TeamLocal<>(team -> new BlockExchange(team, collective))).toList();

    private final Team team;
    private final Collective collective;
    private final BlockRoles roles;
    private final Sections sections;
    private final CallersBlocks blocks;
    private final ShownSections shown;
    private final DepartingSections departing;
    private final ArrivingSections[] arriving;
    private final int[] partners;

    private long taken;
    private long sent;
    private long invited; // how many nodes have been, or will have been when this rank's master is as far

    private BlockExchange(Team team, Collective collective) {
        this.team = team;
        this.collective = collective;
        this.roles = new BlockRoles(team, collective);
        this.sections = new Sections(team, roles);
        this.blocks = new CallersBlocks(team, roles, sections);
        this.shown = new ShownSections(team, roles, sections, blocks);
        this.departing = new DepartingSections(team, roles, sections, shown);
        this.arriving = new ArrivingSections[]{new ArrivingSections(team, roles, sections, blocks),
                new ArrivingSections(team, roles, sections, blocks)};
        this.partners = Tournament.partners(team.nodes(), team.node());
    }

    /**
     * Finds the exchange of a team.
     *
     * @param team the team
     * @param collective a gather, a scatter, an allgather or an all-to-all
     * @return its exchange, the same object each time
     */
    public static BlockExchange of(Team team, Collective collective) {
        return LOCALS.get(collective.ordinal()).of(team);
    }

    /**
     * {@return the longest block that an operation can have, in bytes}
     *
     * @throws IllegalArgumentException when there are more ranks than it has room for
     */
    public long blockBytesMax() {
        if (sections.blockBytesMax() == 0) {
            throw new IllegalArgumentException(team.describe() + " called " + collective.label() + " with blocks of "
                    + team.size() + " ranks, " + team.ranksMax() + " on a node, for so many of which neither a window "
                    + "nor an eager buffer has room; use groups of fewer ranks");
        }
        return sections.blockBytesMax();
    }

    /**
     * Bounds the memory of a node that a call uses.
     *
     * @param nodes how many nodes there are
     * @param localRanks how many ranks the node has that has most
     * @return bytes of windows and of the inbox
     */
    public static long usedBytesMax(int nodes, int localRanks) {
        long window = WindowSizes.WINDOW_BYTES_MAX;
        return nodes == 1 ? localRanks * window : localRanks * Sections.shownBytesMax(window, localRanks)
                + Sections.inboxBytesMax(window, localRanks);
    }

    /**
     * Bounds the memory of a node that is claimed for windows longer than those of a ring, and for the inbox.
     *
     * @param windowBytesMax the greatest window of a ring
     * @param localRanks how many ranks the node has that has most
     * @return bytes, of several nodes
     */
    public static long claimedBytesMax(long windowBytesMax, int localRanks) {
        long shown = Sections.shownBytesMax(windowBytesMax, localRanks);
        long windows = shown <= windowBytesMax ? 0 : localRanks * WindowPool.longBytes(shown, windowBytesMax);
        return WindowPool.LONG_AT_ONCE_MAX * (windows + Sections.inboxBytesMax(windowBytesMax, localRanks));
    }

    /**
     * Exchanges the blocks of a call.
     *
     * @param call the call
     */
    public void run(Call call) {
        roles.begin(call.root());
        blocks.begin(call);
        shown.begin();
        if (roles.isSource) {
            shown.showFirst();
        }
        if (team.isMaster() && sections.isRoomy) {
            sendFirst();
        }
        if (roles.isSource && roles.isReader) {
            blocks.copyOwn();
        }
        long rounds = readFirst();
        exchangeInNode(rounds);
        exchangeBetweenNodes(rounds);
        blocks.end();
    }

    // ---- in the node

    /** Reads the first sections for this node, and returns how many rounds follow. */
    private long readFirst() {
        int node = team.node();
        int readers = roles.readersHere();
        boolean counts = roles.isReader || team.isMaster() && team.nodes() > 1 && readers > 0; // for what DONE says
        int sources = counts ? roles.sources(node) : 0;
        long most = 0;
        for (int k = 0; k < sources; k++) {
            int index = (team.localRank() + k) % sources;
            int source = roles.source(node, index);
            int localRank = roles.sourceLocalRank(index);
            Area section = shown.findFirst(localRank, node);
            long rounds = blocks.isForItselfOnly(node) ? 0 : sections.rounds(section, readers);
            most = Math.max(most, rounds);
            shown.noteFilled(localRank, rounds);
            if (roles.isReader && source != team.rank()) {
                blocks.read(section, source, 0);
            }
        }
        return most;
    }

    private void exchangeInNode(long rounds) {
        int node = team.node();
        long shows = blocks.rounds(node);
        for (long round = 1; round <= Math.max(shows, rounds); round++) {
            if (round <= shows) {
                shown.fillForReaders(round);
            }
            if (roles.isReader) {
                readInNode(round);
                team.post(Team.DONE, round);
            }
        }
    }

    private void readInNode(long round) {
        int node = team.node();
        for (int k = 0; k < roles.sources(node); k++) {
            int source = roles.source(node, k);
            if (source != team.rank() && blocks.expects(source, round)) {
                blocks.read(shown.find(roles.sourceLocalRank(k), round), source, round);
            }
        }
    }

    // ---- between nodes

    /** What comes from a partner; of the next one, too, while this one is taken. */
    private ArrivingSections arriving(int game) {
        return arriving[game % arriving.length];
    }

    /** From the next partner; after the last one it is this node itself, from which nothing comes. */
    private ArrivingSections openFirst(int game) {
        ArrivingSections from = arriving(game);
        from.openFirst(game < partners.length ? partners[game] : team.node());
        return from;
    }

    /** Sends all nodes the first sections, each to a place of its own. */
    private void sendFirst() {
        for (int partner : partners) {
            departing.begin(partner);
            departing.openFirst();
            for (int k = 0; k < departing.sources(); k++) {
                departing.sendFirst(k);
            }
        }
    }

    private void exchangeBetweenNodes(long roundsInNode) {
        taken = roundsInNode;
        sent = roundsInNode;
        invited = 0;
        openFirst(0);
        for (int game = 0; game < partners.length; game++) {
            exchange(game);
        }
    }

    /** Everything that goes to a partner, and comes from it. */
    private void exchange(int game) {
        ArrivingSections current = arriving(game);
        ArrivingSections next = openFirst(game + 1);
        int to = partners[game];
        departing.begin(to);
        if (!sections.isRoomy) {
            exchangeFirst(current);
            invite(current);
        } else if (!current.hasTakenFirst()) {
            takeFirst(current);
        }
        exchangeFurther(to, current, next);
    }

    /** Sends and takes first sections, where they go through a few places in turn. */
    private void exchangeFirst(ArrivingSections current) {
        int sends = team.isMaster() ? departing.sources() : 0;
        if (sends > 0) {
            departing.openFirst();
        }
        for (int k = 0; k < Math.max(sends, current.sources()); k++) {
            if (k < sends) {
                departing.sendFirst(k);
            }
            if (k < current.sources()) {
                current.takeFirst(k);
                current.release(taken);
            }
        }
        taken += current.sources();
    }

    /** Takes the first sections of a node, and invites it if its sources have more. */
    private void takeFirst(ArrivingSections from) {
        from.takeFirst();
        invite(from);
    }

    /** Invites a node, if its sources have more, to a share of the inbox when all before has been read there. */
    private void invite(ArrivingSections from) {
        if (from.further() > 0) {
            if (team.isMaster() && invited == 0) {
                team.tellInbox(sections.inboxBytes);
            } else if (team.isMaster()) {
                roles.awaitReaders(taken);
            }
            int shares = Math.min(Sections.PLACES, team.nodes() - 1);
            from.openFurther((int) (invited % shares), shares);
            invited++;
        }
    }

    private void exchangeFurther(int to, ArrivingSections current, ArrivingSections next) {
        long shows = blocks.rounds(to);
        long sends = roles.isReader || team.isMaster() ? departing.openFurther() : shows;
        for (long round = 1; round <= Math.max(sends, current.rounds()); round++) {
            if (round <= shows) {
                shown.fillForMaster(to, round, sent + round);
            }
            for (int k = 0; k < Math.max(departing.sources(), current.sources()); k++) {
                if (departing.has(k, round)) {
                    departing.send(k, round);
                }
                if (current.has(k, round)) {
                    lookAhead(next);
                    current.take(k, round);
                    current.release(taken);
                }
            }
            if (team.isMaster() && round <= sends) {
                team.post(Team.DONE, sent + round);
            }
        }
        sent += sends;
        taken += current.further();
    }

    /** Invites the next sender as well, at a master, if what it begins with has come. */
    private void lookAhead(ArrivingSections next) {
        if (team.isMaster() && sections.isRoomy && next.canTakeFirst()) {
            takeFirst(next);
        }
    }
}
