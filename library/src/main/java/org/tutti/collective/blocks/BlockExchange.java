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
 * The exchange of blocks of any length, where only the sender and the receiver of a block know its length: everything
 * of a gather, scatter, allgather or all-to-all with blocks, in one operation. Sources are the ranks that have
 * something for others, and readers are the ranks that get something ({@link BlockRoles}).
 *
 * <p><b>Sections.</b> The data of a source for the readers of a node are a section. It begins with the number of bytes
 * that are left for each reader. Then comes a chunk for each reader, which has the next of those bytes. A reader finds
 * its chunk by the bytes that are left for the readers before it, and compares the bytes that are left for it with what
 * it expects. In an allgather all readers get the same, so there is one section for all of them, as for one reader.
 *
 * <pre>
 *  | left for reader 0 | left for reader 1 | … | chunk for reader 0 | chunk for reader 1 | …
 * </pre>
 *
 * <p>{@link Sections} has the arithmetic: the lengths of chunks and sections, and the number of rounds. {@link
 * CallersBlocks} cuts blocks into sections and puts them together again. {@link ShownSections} are shown by sources on
 * their node, {@link DepartingSections} go to another node, and {@link ArrivingSections} come from one. This class has
 * the order in which all of this happens.
 *
 * <p><b>First round.</b> Each source shows a section for each node, with its first, short chunks. These sections lie
 * one after the other, behind a directory of where they begin. Readers of its node read them there. Its master puts the
 * section for each other node to the pair's eager buffer there, one piece for each source, and the readers of that node
 * read it where it arrives. Short blocks need no more than this.
 *
 * <p><b>Further rounds.</b> The bytes that are left go node by node, so that long chunks have room: first in the node
 * itself, then to and from its partners in a {@link Tournament}, one after the other. A source fills places of its
 * window in turn, behind the first sections, and says READY for each. Masters put sections to the inbox of the other
 * node's master, after its invitation: rendezvous, because the first round has told the receiver what will come. All
 * readers of that node read them there. The two halves of the inbox are used in turn: one sender is invited, and the
 * next one while that sends, and never more. {@link RendezvousSchedule} does the same where lengths are known.
 *
 * <p><b>Words.</b> READY counts what a source has shown: 1 for the first round, and one more for each time it has
 * filled a place. DONE of a reader counts the rounds in its node, up to the longest exchange of two ranks there, and
 * then the pieces from other nodes that it has read, where places are used again. DONE of a master counts those rounds,
 * and then the rounds that it has sent. Each rank can tell these numbers from the bytes that are left for each reader.
 *
 * <p><b>Why nothing is overwritten.</b> First sections stay until all ranks have left the operation. A source fills a
 * place again when DONE says that the section there has been read: by the readers of the node, or by the master, which
 * has put it to another node. Places in eager buffers and in the inbox are given back by credits, which the master
 * gives when all readers have said DONE. A half of the inbox goes to the next sender when all readers have read
 * everything that the sender before the last has sent.
 *
 * <p><b>Calls in place.</b> In an all-to-all with the same source and target, the block from a rank lies where the
 * block for that rank lay. The two are equally long and go in the same rounds, because two nodes are partners of each
 * other at the same time. And a rank shows its chunk of a round before it reads the other's chunk of that round.
 *
 * <p><b>Why it ends.</b> Masters go through the games of the tournament, the rounds and the sources in the same order,
 * and at each they send before they take. To send, a master needs at most that its receiver has taken what was sent
 * before. Therefore the least advanced of all masters waits for no other. The next sender is invited early only if its
 * first sections have already arrived.
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
    private long invited; // the number of nodes that this rank's master has invited when it is as far as this rank

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
     * Returns the exchange of a team.
     *
     * @param team the team
     * @param collective a gather, a scatter, an allgather or an all-to-all
     * @return its exchange, the same object each time
     */
    public static BlockExchange of(Team team, Collective collective) {
        return LOCALS.get(collective.ordinal()).of(team);
    }

    /**
     * {@return the longest block of an operation, in bytes}
     *
     * @throws IllegalArgumentException when a window or an eager buffer has no room for so large a number of ranks
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
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node with the most
     * @return the bytes of windows and of the inbox
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
     * @param localRanks the number of ranks on the node with the most
     * @return the bytes, with several nodes
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

    /** Reads the first sections for this node, and returns the number of rounds that follow. */
    private long readFirst() {
        int node = team.node();
        int readers = roles.readersHere();
        boolean counts = roles.isReader || team.isMaster() && team.nodes() > 1 && readers > 0; // for the value of DONE
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

    /** Returns the sections from a partner; those from the next partner may arrive in another object meanwhile. */
    private ArrivingSections arriving(int game) {
        return arriving[game % arriving.length];
    }

    /** Opens the flow from the next partner; after the last one that is this node itself, from which nothing comes. */
    private ArrivingSections openFirst(int game) {
        ArrivingSections from = arriving(game);
        from.openFirst(game < partners.length ? partners[game] : team.node());
        return from;
    }

    /** Sends the first sections to all nodes, each to a place of its own. */
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

    /** Exchanges everything with a partner. */
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

    /** Sends and takes first sections, if they go through a few places in turn. */
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

    /** Invites a node, if its sources have more, to a share of the inbox when all sections there have been read. */
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

    /** At a master, also invites the next sender, if its first sections have arrived. */
    private void lookAhead(ArrivingSections next) {
        if (team.isMaster() && sections.isRoomy && next.canTakeFirst()) {
            takeFirst(next);
        }
    }
}
