/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.TeamLocal;
import org.tutti.collective.flow.RendezvousSchedule;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.WindowPool;

/**
 * Exchanges blocks of any length in one operation of a gather, scatter, allgather or all-to-all. Only the sender and
 * the receiver of a block need to know its length. Sources are the ranks that have data for others, and readers are the
 * ranks that get data ({@link BlockRoles}).
 *
 * <p><b>Sections.</b> A section has the data of one source for all readers of one node. It begins with the number of
 * bytes that the source still has for each reader, the bytes that are left. A chunk for each reader follows, with the
 * next of these bytes. A reader finds its chunk by the numbers of bytes that are left for the readers before it. It
 * also compares the number of bytes that are left for it with the length that it expects. In an allgather all readers
 * get the same data. Therefore a source has one section for all of them, in the form for one reader.
 *
 * <pre>
 *  | left for reader 0 | left for reader 1 | … | chunk for reader 0 | chunk for reader 1 | …
 * </pre>
 *
 * <p>{@link Sections} computes the lengths of chunks and sections and the number of rounds. {@link CallersBlocks} cuts
 * blocks into sections and assembles blocks from sections. {@link ShownSections} handles the sections that sources show
 * on their node. {@link DepartingSections} handles sections that go to another node, and {@link ArrivingSections}
 * sections that come from another node. This class calls them in the right order.
 *
 * <p><b>First round.</b> Each source shows a section for each node, with its first, short chunks. These sections lie
 * one after the other, behind a directory of their offsets. The readers of the source's node read their section there.
 * The node's master, the rank that talks to other nodes, sends the section for each other node as one piece. It sends
 * it over the pair, the edge between every two nodes, and the piece arrives in the pair's eager buffer. If the section
 * is longer than its place there, its rest arrives in the pair's long buffer. The readers of that node read the section
 * where it arrives. Blocks for which both buffers have room need no more than this round. A longer block begins with a
 * chunk for which the eager buffer has room, so that not much is copied before the other rounds begin. If a program
 * requests an algorithm for equal blocks, that algorithm carries the first chunks instead, in an operation before this
 * one ({@link CarriedBlocksAlgorithm}). Sections of the first round then have no chunks and stay on their node. In both
 * cases each node knows after this {@link FirstRound} how many bytes it will get from each source, and the rest of this
 * text holds for both.
 *
 * <p><b>Further rounds.</b> The bytes that are left are exchanged node by node, so that long chunks have room. The
 * ranks of a node first exchange them among themselves. Then the node exchanges them with each of its partners in a
 * {@link Tournament}, one after the other. A source fills the places of its window in turn, and posts READY for each
 * section. The places lie behind the first sections. A master sends sections to the inbox, a block of memory, of the
 * other node's master, after that master has invited it (rendezvous). The receiver can invite, because the first round
 * has told it how much will come. All readers of that node read the sections in the inbox. The two halves of the inbox
 * are used in turn. While one invited sender sends, at most one more sender is invited. {@link RendezvousSchedule} does
 * the same for blocks of known lengths.
 *
 * <p><b>Words.</b> READY and DONE are words of each rank on which the other ranks of its node wait. READY of a source
 * is 1 once its first sections are shown, and grows by 1 with each place that it fills. DONE of a reader first counts
 * the rounds in its node, as many as the longest exchange of two ranks there has. Then it counts the pieces from other
 * nodes that the reader has read, if the places of these pieces are used again. DONE of a master counts the rounds in
 * its node, and then the rounds that it has sent. Each rank can compute these numbers from the bytes that are left for
 * each reader.
 *
 * <p><b>Why nothing is overwritten.</b> First sections stay until all ranks have left the operation. A source fills a
 * place again when DONE shows that the section there has been read. The readers of the node have then read it, or the
 * master has sent it to another node. Places in eager buffers and in the inbox are released by credits. The master
 * gives them when the DONE of all readers shows that they have read the piece. A half of the inbox goes to the next
 * sender when all readers have read every section of the sender that had this half before.
 *
 * <p><b>Calls in place.</b> In an all-to-all with the same source and target, the block from a rank replaces the block
 * for that rank. The two blocks are equally long and are sent in the same rounds, because two nodes are partners of
 * each other at the same time. A rank shows its chunk of a round before it reads the other rank's chunk of that round.
 *
 * <p><b>Why it ends.</b> All masters go through the games of the tournament, the rounds and the sources in the same
 * order, and at each they send before they take. To send, a master needs at most that its receiver has taken the
 * sections that were sent before. Therefore the least advanced of all masters waits for no other. The next sender is
 * invited early only if its first sections have already arrived, so that the master does not wait for them. If another
 * operation has carried the first round, the master waits only for the lengths that its node's readers show before they
 * wait for anything.
 */
public final class BlockExchange {
    private static final TeamLocal<BlockExchange[]> WHOLE = new TeamLocal<>(BlockExchange::forEachCollective);
    private static final TeamLocal<BlockExchange[]> REST = new TeamLocal<>(BlockExchange::forEachCollective);

    private final Team team;
    private final Collective collective;
    private final BlockRoles roles;
    private final Sections sections;
    private final CallersBlocks blocks;
    private final ShownSections shown;
    private final FirstRound first;
    private final BlockRecords records; // null unless another operation carries the first round
    private final DepartingSections departing;
    private final ArrivingSections[] arriving;
    private final int[] partners;

    private long taken;
    private long sent;
    private long invited; // the number of nodes that this rank's master has invited when it is as far as this rank

    private BlockExchange(Team team, Collective collective, boolean carried) {
        this.team = team;
        this.collective = collective;
        this.roles = new BlockRoles(team, collective);
        this.sections = new Sections(team, roles, carried);
        this.blocks = new CallersBlocks(team, roles, sections);
        this.shown = new ShownSections(team, roles, sections, blocks);
        this.first = !carried ? new FirstRound.Eager(team, roles, sections)
                : new FirstRound.Carried(team, roles, shown, blocks);
        this.records = carried ? new BlockRecords(team, roles, blocks) : null;
        this.departing = new DepartingSections(team, roles, sections, shown);
        this.arriving = new ArrivingSections[]{new ArrivingSections(team, roles, sections, blocks, first),
                new ArrivingSections(team, roles, sections, blocks, first)};
        this.partners = Tournament.partners(team.nodes(), team.node());
    }

    /**
     * Returns the exchange object that a team uses for all calls of a collective.
     *
     * @param team the team of the calling rank
     * @param collective a gather, a scatter, an allgather or an all-to-all
     * @return the exchange, the same object each time
     */
    public static BlockExchange of(Team team, Collective collective) {
        return of(team, collective, WHOLE, false);
    }

    /**
     * Returns the exchange object that a team uses for all calls of a collective of which an algorithm for equal blocks
     * carries the first round.
     */
    static BlockExchange ofRest(Team team, Collective collective) {
        return of(team, collective, REST, true);
    }

    private static BlockExchange[] forEachCollective(Team team) {
        return new BlockExchange[Collective.values().length];
    }

    private static BlockExchange of(Team team, Collective collective, TeamLocal<BlockExchange[]> local,
            boolean carried) {
        BlockExchange[] made = local.of(team);
        int index = collective.ordinal();
        if (made[index] == null) {
            made[index] = new BlockExchange(team, collective, carried);
        }
        return made[index];
    }

    /** {@return the records by which an algorithm for equal blocks carries the first round; null if none does} */
    BlockRecords records() {
        return records;
    }

    /**
     * {@return the length of the longest block that an operation can exchange, in bytes}
     *
     * @throws IllegalArgumentException if there are so many ranks that a window or an eager buffer has no room for data
     *         of each
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
     * Returns an upper bound on the shared memory that an exchange uses on a node, for the windows of the ranks and the
     * inbox of the master.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node that has the most ranks
     * @return the bound, in bytes
     */
    public static long usedBytesMax(int nodes, int localRanks) {
        long window = WindowSizes.WINDOW_BYTES_MAX;
        return nodes == 1 ? localRanks * window : localRanks * Sections.shownBytesMax(window, localRanks)
                + Sections.inboxBytesMax(window, localRanks);
    }

    /**
     * Returns an upper bound on the memory that exchanges claim on a node beyond the ranks' rings of windows, if there
     * are several nodes. They claim it for the master's inbox, and for windows that are too long for a ring.
     *
     * @param windowBytesMax the length of the longest window in a ring, in bytes
     * @param localRanks the number of ranks on the node that has the most ranks
     * @return the bound, in bytes
     */
    public static long claimedBytesMax(long windowBytesMax, int localRanks) {
        long shown = Sections.shownBytesMax(windowBytesMax, localRanks);
        long windows = shown <= windowBytesMax ? 0 : localRanks * WindowPool.longBytes(shown, windowBytesMax);
        return WindowPool.LONG_AT_ONCE_MAX * (windows + Sections.inboxBytesMax(windowBytesMax, localRanks));
    }

    /**
     * Exchanges the blocks of a call. All ranks of the communicator call this method inside the operation.
     *
     * @param call the call, with this rank's blocks
     */
    public void run(Call call) {
        roles.begin(call.root());
        blocks.begin(call);
        shown.begin();
        if (shown.hasFirst()) {
            shown.showFirst();
        }
        if (team.isMaster() && sections.isRoomy) {
            first.send(partners, departing);
        }
        if (roles.isSource && roles.isReader && !sections.areCarried) {
            blocks.copyOwn();
        }
        long rounds = readFirst();
        exchangeInNode(rounds);
        exchangeBetweenNodes(rounds);
        blocks.end();
    }

    // ---- in the node

    /**
     * Reads the first sections that the sources of this node have for it, and returns the number of further rounds in
     * the node.
     */
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

    /**
     * Returns the object that takes the sections from the partner of a game, an exchange of two nodes. The next partner
     * has another object, because its sections may arrive at the same time.
     */
    private ArrivingSections arriving(int game) {
        return arriving[game % arriving.length];
    }

    /**
     * Opens the flow of first sections from the partner of a game, an exchange of two nodes. After the last game, the
     * partner is this node itself, and no flow is opened.
     */
    private ArrivingSections openFirst(int game) {
        ArrivingSections from = arriving(game);
        from.openFirst(game < partners.length ? partners[game] : team.node());
        return from;
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

    /** Exchanges all sections with the partner of a game, except the first sections that were sent before. */
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

    /**
     * Exchanges first sections with a partner if there are fewer places than sections. The places are then used in
     * turn.
     */
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

    /** Takes the first sections of a node, and invites that node if its sources have further sections. */
    private void takeFirst(ArrivingSections from) {
        from.takeFirst();
        invite(from);
    }

    /**
     * Invites a node to a share of the master's inbox, if the node's sources have further sections. The master first
     * waits until all readers have read the sections of earlier exchanges. Other ranks only open their ends of the
     * flow.
     */
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

    /**
     * Takes the first sections of the next partner and invites this partner early. Only the master does so, and only if
     * the sections have arrived.
     */
    private void lookAhead(ArrivingSections next) {
        if (team.isMaster() && sections.isRoomy && next.canTakeFirst()) {
            takeFirst(next);
        }
    }
}
