/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.Arrays;
import java.util.Locale;

import org.tutti.Collective;
import org.tutti.CollectiveMismatchException;

/**
 * The exchange of blocks of any length, of which only the two ranks know how long it is that send and receive it:
 * everything of a gather, scatter, allgather or all-to-all with blocks, which is one operation. Sources are the ranks
 * that have something for others: in a scatter the root. Readers are those that get something: in a gather the root.
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
 * <p>{@link Sections} has the arithmetic: how long chunks and sections are, and how many rounds there will be.
 *
 * <p><b>First round.</b> Each source shows a section for each node, with its first, short chunks: one after the other
 * behind a directory of where they begin. Readers of its node read there; its master puts the section for each other
 * node to the pair's landing place there, a piece for each source, which that node's readers read where it is. With
 * short blocks, that is all.
 *
 * <p><b>Further rounds</b>, for what is left, go node by node, so that long chunks have room: first in the node itself,
 * then to the node at distance 1 and from that at distance −1, and so on. A source fills places of its window in turn,
 * behind the first sections, and says READY for each. Masters put sections to the inbox of the other node's master,
 * which invites them: rendezvous, as the first round has told the receiver what will come. All readers of its node read
 * them there. The inbox has two halves in turn: so one sender is invited, and the next one while that sends, and never
 * more, as {@link Turns} have it where lengths are known.
 *
 * <p><b>Words.</b> READY counts what a source has shown: 1 for the first round, and one more for each time it has
 * filled a place. DONE of a reader counts the rounds in its node, up to that which is the last one of all pairs there,
 * and then the pieces that it has read from other nodes where places are used again. DONE of a master counts those
 * rounds, and then the rounds that it has sent. Each rank knows these numbers by what is left for whom.
 *
 * <p><b>Why nothing is overwritten.</b> The first sections stay until all ranks have left the operation. A source fills
 * a place again when DONE says that the round that was there has been read, by the readers of the node, or by the
 * master that has put it to another one. Places in landing places and the inbox are given back by credits, which the
 * master gives when all readers have said DONE; a half of the inbox is another sender's when all have read what the one
 * before the last has sent.
 *
 * <p><b>Why it ends.</b> Masters go through nodes, rounds and sources in the same order, and at each send before they
 * take; what one sends needs at most that its receiver has taken what was sent before. So of all masters that wait, the
 * one that is least far waits for nobody. The next sender is invited only if what it began with is there already.
 */
public final class BlockExchange {
    private static final int MASTER = 0;
    private static final long FIRST = 1;
    private static final int NO_PLACE = -1;

    private final Team team;
    private final Collective collective;
    private final boolean toRoot;
    private final boolean fromRoot;
    private final boolean sameForAll;
    private final Sections sections;
    private final Area own = new Area();
    private final Area section = new Area();

    /** By the place of a source: where its places begin, and how many times it has filled one. */
    private final long[] furtherAt;
    private final long[] filled;

    /** By the index of a source here or there: how many rounds it has for the readers of the other node. */
    private final long[] sending;
    private long[] taking;
    private long[] takingNext;

    /** By the place that this source fills: what DONE must say before it does so again, and whose; or all readers'. */
    private final long[] freeAt = new long[Sections.PLACES];
    private final int[] freedBy = new int[Sections.PLACES];

    private Call call;
    private int root;
    private boolean isSource;
    private boolean isReader;
    private long roundsMost; // of all sources of this node
    private long localRounds;
    private long sentRounds;
    private long taken;
    private long invited; // how many nodes have been, or will have been when this rank's master is as far
    private boolean isAhead;
    private long longest; // of the sections that follow what was taken last, and what is to be sent
    private long longestSent;

    /**
     * @param team the ranks
     * @param collective a gather, a scatter, an allgather or an all-to-all
     */
    BlockExchange(Team team, Collective collective) {
        this.team = team;
        this.collective = collective;
        this.toRoot = collective == Collective.GATHER;
        this.fromRoot = collective == Collective.SCATTER;
        this.sameForAll = collective == Collective.ALLGATHER;
        int sourcesMax = fromRoot ? 1 : team.ranksMax();
        boolean forOne = toRoot || sameForAll;
        this.sections = new Sections(team, forOne ? 1 : team.ranksMax(), sourcesMax, forOne ? 1 : team.size());
        this.furtherAt = new long[team.localSize()];
        this.filled = new long[team.localSize()];
        this.sending = new long[sourcesMax];
        this.taking = new long[sourcesMax];
        this.takingNext = new long[sourcesMax];
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
                    + "nor a landing place has room; use groups of fewer ranks");
        }
        return sections.blockBytesMax();
    }

    /**
     * {@return the longest block that needs no further rounds, in bytes}
     *
     * @throws IllegalArgumentException when there are more ranks than it has room for
     */
    public long firstBytesMax() {
        return Math.min(sections.firstMax, blockBytesMax());
    }

    /**
     * Exchanges the blocks of a call.
     *
     * @param exchanged the call
     */
    public void run(Call exchanged) {
        call = exchanged;
        root = exchanged.root();
        isSource = isSource(team.rank());
        isReader = isReader(team.rank());
        roundsMost = 0;
        localRounds = 0;
        sentRounds = 0;
        invited = 0;
        isAhead = false;
        Arrays.fill(filled, 0);
        if (isSource) {
            showFirst();
        }
        if (team.isMaster() && sections.isRoomy) {
            for (int distance = 1; distance < team.nodes(); distance++) {
                sendFirst(node(distance));
            }
        }
        if (isSource && isReader) {
            copyOwn();
        }
        readFirst();
        exchangeInNode();
        taken = localRounds;
        for (int distance = 1; distance < team.nodes(); distance++) {
            exchange(distance);
        }
        call = null;
    }

    // ---- who

    private int node(int distance) {
        return Math.floorMod(team.node() + distance, team.nodes());
    }

    private boolean isSource(int rank) {
        return !fromRoot || rank == root;
    }

    private boolean isReader(int rank) {
        return !toRoot || rank == root;
    }

    private int sources(int node) {
        return !fromRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    /** How many readers of a node a section is for. */
    private int readers(int node) {
        return sameForAll ? 1 : !toRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    private int source(int node, int index) {
        return fromRoot ? root : team.rankAt(node, index);
    }

    private int reader(int node, int index) {
        return toRoot ? root : team.rankAt(node, index);
    }

    private int sourcePlace(int index) {
        return fromRoot ? team.placeOf(root) : index;
    }

    /** This rank's among the readers of its node. */
    private int ownIndex() {
        return toRoot || sameForAll ? 0 : team.localRank();
    }

    // ---- rounds

    /** How many rounds this source has for the readers of a node, but for itself. */
    private long ownRounds(int node) {
        long most = 0;
        for (int k = 0; k < readers(node) && !isForItselfOnly(node); k++) {
            most = Math.max(most, sections.roundsOf(lengthFor(reader(node, k))));
        }
        return most;
    }

    /** In an allgather, a rank that is alone on its node. */
    private boolean isForItselfOnly(int node) {
        return sameForAll && node == team.node() && team.localSize() == 1;
    }

    // ---- sections

    private long lengthFor(int rank) {
        return rank == team.rank() && !sameForAll ? 0 : call.sourceBytes(rank);
    }

    /** How long the first section of this source for a node is. */
    private long ownSectionBytes(int node) {
        long chunks = 0;
        for (int k = 0; k < readers(node); k++) {
            chunks += sections.chunkBytes(lengthFor(reader(node, k)), 0);
        }
        return Sections.bytes(chunks, readers(node));
    }

    /** Writes a section, and returns where it ends. */
    private long write(int node, long round, long at) {
        int readers = readers(node);
        long chunkAt = at + readers * Sections.LEFT_BYTES;
        for (int k = 0; k < readers; k++) {
            int rank = reader(node, k);
            long left = Math.max(0, lengthFor(rank) - sections.before(round));
            long bytes = sections.chunkBytes(left, round);
            team.write(own, at + k * Sections.LEFT_BYTES, left);
            team.copy(call.source(), call.sourceAt(rank) + sections.before(round), own, chunkAt, bytes);
            chunkAt += bytes;
        }
        return Sections.aligned(chunkAt);
    }

    /** Reads this rank's chunk of a section. */
    private void read(Area read, int from, long round) {
        int index = ownIndex();
        long chunkAt = readers(team.node()) * Sections.LEFT_BYTES;
        for (int k = 0; k < index; k++) {
            chunkAt += sections.chunkBytes(sections.left(read, k), round);
        }
        long left = sections.left(read, index);
        long expected = Math.max(0, call.targetBytes(from) - sections.before(round));
        if (left != expected) {
            throw mismatch(from, left + sections.before(round));
        }
        team.copy(read, chunkAt, call.target(), call.targetAt(from) + sections.before(round),
                sections.chunkBytes(left, round));
    }

    private CollectiveMismatchException mismatch(int from, long bytes) {
        return new CollectiveMismatchException(team.describe() + " called " + call.collective().label()
                + " and expects a block of " + elements(call.targetBytes(from)) + " of " + team.describe(from)
                + ", which has one of " + elements(bytes) + " for it; both must say the same", true);
    }

    private String elements(long bytes) {
        return bytes / call.type.bytes() + " " + call.type.name().toLowerCase(Locale.ROOT) + " elements";
    }

    private void copyOwn() {
        int rank = team.rank();
        if (call.sourceBytes(rank) != call.targetBytes(rank)) {
            throw mismatch(rank, call.sourceBytes(rank));
        }
        if (!call.isInPlace()) {
            team.copy(call.source(), call.sourceAt(rank), call.target(), call.targetAt(rank), call.sourceBytes(rank));
        }
    }

    // ---- the first round

    private void showFirst() {
        long first = sections.directoryBytes();
        long most = 0;
        for (int node = 0; node < team.nodes(); node++) {
            first += node < firstSections() ? Sections.aligned(ownSectionBytes(node)) : 0;
            most = Math.max(most, ownRounds(node));
        }
        Area window = team.showVarying(most == 0 ? first : first + sections.places * sections.placeBytes);
        own.set(window.segment(), window.start());
        long at = sections.directoryBytes();
        for (int node = 0; node < team.nodes(); node++) {
            direct(node, sameForAll ? sections.directoryBytes() : at);
            at = node < firstSections() ? write(node, 0, at) : at;
        }
        direct(team.nodes(), at);
        direct(team.nodes() + 1, most);
        furtherAt[team.localRank()] = first;
        team.post(Team.READY, FIRST);
    }

    private int firstSections() {
        return sameForAll ? 1 : team.nodes();
    }

    /** Where the section for each node begins, then where they end, and then how many rounds follow. */
    private void direct(int index, long value) {
        if (team.nodes() > 1) {
            team.write(own, index * Sections.LEFT_BYTES, value);
        }
    }

    /** Finds the first section that a source of this node has for another one or this. */
    private void findFirst(int place, int node) {
        Area shown = own;
        if (place != team.localRank()) {
            team.await(place, Team.READY, FIRST);
            shown = team.shownVarying(place);
        }
        long at = 0;
        if (team.nodes() > 1) {
            at = team.read(shown, node * Sections.LEFT_BYTES);
            furtherAt[place] = team.read(shown, team.nodes() * Sections.LEFT_BYTES);
            roundsMost = Math.max(roundsMost, team.read(shown, (team.nodes() + 1) * Sections.LEFT_BYTES));
        }
        section.set(shown.segment(), shown.start() + at);
    }

    private void sendFirst(int node) {
        if (readers(node) > 0 && sources(team.node()) > 0) {
            Outflow out = openFirst(node);
            for (int k = 0; k < sources(team.node()); k++) {
                sendFirst(out, node, k);
            }
        }
    }

    private Outflow openFirst(int node) {
        Outflow out = team.outflow(team.pair(node));
        out.open(node, team.pair(team.node()), firstBytes(node), firstPlaces(team.node()));
        return out;
    }

    private void sendFirst(Outflow out, int node, int source) {
        findFirst(sourcePlace(source), node);
        out.send(section, 0, sections.bytes(section, readers(node), 0));
    }

    private long firstBytes(int node) {
        return Sections.bytes(readers(node) * sections.firstMax, readers(node));
    }

    private int firstPlaces(int sender) {
        return sections.isRoomy ? sources(sender) : Math.min(Sections.PLACES, sources(sender));
    }

    private void readFirst() {
        int readers = readers(team.node());
        boolean counts = isReader || team.isMaster() && team.nodes() > 1 && readers > 0; // for what DONE says
        int sources = counts ? sources(team.node()) : 0;
        int first = fromRoot ? 0 : team.localRank();
        for (int k = 0; k < sources; k++) {
            int index = (first + k) % sources;
            int place = sourcePlace(index);
            findFirst(place, team.node());
            long rounds = isForItselfOnly(team.node()) ? 0 : sections.rounds(section, readers);
            localRounds = Math.max(localRounds, rounds);
            if (place != team.localRank()) {
                filled[place] = rounds;
                if (team.nodes() == 1) {
                    furtherAt[place] = Sections.aligned(sections.bytes(section, readers, 0));
                }
                if (isReader) {
                    read(section, source(team.node(), index), 0);
                }
            }
        }
    }

    // ---- further rounds

    private void exchangeInNode() {
        long shows = isSource ? ownRounds(team.node()) : 0;
        for (long round = 1; round <= Math.max(shows, isReader ? localRounds : 0); round++) {
            if (round <= shows) {
                fill(team.node(), round, round, NO_PLACE);
            }
            if (isReader) {
                for (int k = 0; k < sources(team.node()); k++) {
                    int rank = source(team.node(), k);
                    if (rank != team.rank() && round <= sections.roundsOf(call.targetBytes(rank))) {
                        findPlace(sourcePlace(k), round);
                        read(section, rank, round);
                    }
                }
                team.post(Team.DONE, round);
            }
        }
    }

    /** Fills the next place with a section, when it is free; and says when it will be again. */
    private void fill(int node, long round, long done, int doneBy) {
        int here = team.localRank();
        int place = (int) (filled[here] % sections.places);
        if (filled[here] >= sections.places) {
            awaitDone(freedBy[place], freeAt[place]);
        }
        freedBy[place] = doneBy;
        freeAt[place] = done;
        write(node, round, furtherAt[here] + place * sections.placeBytes);
        filled[here]++;
        team.post(Team.READY, FIRST + filled[here]);
    }

    private void awaitDone(int place, long step) {
        if (place == MASTER && !team.isMaster()) {
            team.await(MASTER, Team.DONE, step);
        } else if (place == NO_PLACE) {
            if (!toRoot) {
                team.awaitOthers(Team.DONE, step);
            } else if (team.placeOf(root) != team.localRank()) {
                team.await(team.placeOf(root), Team.DONE, step);
            }
        }
    }

    /** Waits until a source of this node has filled a place so many times, and finds what is there. */
    private void findPlace(int place, long number) {
        Area shown = own;
        if (place != team.localRank()) {
            team.await(place, Team.READY, FIRST + number);
            shown = team.shownVarying(place);
        }
        section.set(shown.segment(),
                shown.start() + furtherAt[place] + (number - 1) % sections.places * sections.placeBytes);
    }

    /** Everything that goes to one node, and comes from another one. */
    private void exchange(int distance) {
        int to = node(distance);
        int from = node(-distance);
        boolean sends = sources(team.node()) > 0 && readers(to) > 0;
        Outflow out = sends && team.isMaster() ? team.outflow(team.pair(to)) : null;
        Inflow in = takesFrom(from) ? team.inflow(team.pair(from)) : null;
        if (isAhead) { // its first pieces have been taken, and more is invited
            isAhead = false;
            long[] those = taking;
            taking = takingNext;
            takingNext = those;
        } else {
            exchangeFirst(out, in, to, from);
            if (in != null) {
                openFurther(in, from, taking);
            }
        }
        exchangeFurther(out, in, distance);
    }

    private boolean takesFrom(int node) {
        return sources(node) > 0 && readers(team.node()) > 0 && (isReader || team.isMaster());
    }

    private void exchangeFirst(Outflow out, Inflow in, int to, int from) {
        int pieces = in == null ? 0 : sources(from);
        if (in != null) {
            openFirst(in, from);
        }
        if (out != null && !sections.isRoomy) {
            openFirst(to);
        }
        int sends = out == null || sections.isRoomy ? 0 : sources(team.node());
        for (int k = 0; k < Math.max(sends, pieces); k++) {
            if (k < sends) {
                sendFirst(out, to, k);
            }
            if (k < pieces) {
                takeFirst(in, from, k, taking);
            }
        }
        if (!sections.isRoomy) {
            taken += pieces;
        }
    }

    private void openFirst(Inflow in, int from) {
        longest = 0;
        in.open(from, team.pair(team.node()), firstBytes(team.node()), firstPlaces(from), sources(from));
        readBy(in);
    }

    private void readBy(Inflow in) {
        if (toRoot) {
            in.readBy(team.placeOf(root));
        } else {
            in.readByAll();
        }
    }

    private void takeFirst(Inflow in, int from, int index, long[] rounds) {
        Area piece = in.await();
        rounds[index] = sections.rounds(piece, readers(team.node()));
        longest = Math.max(longest, sections.furtherBytes(piece, readers(team.node())));
        if (isReader) {
            read(piece, source(from, index), 0);
        }
        if (!sections.isRoomy) {
            in.release(taken);
        }
    }

    private static long sum(long[] rounds, int sources) {
        long pieces = 0;
        for (int k = 0; k < sources; k++) {
            pieces += rounds[k];
        }
        return pieces;
    }

    /** Invites another node, if its sources have more, to a share of the inbox when all before has been read there. */
    private void openFurther(Inflow in, int from, long[] rounds) {
        long pieces = sum(rounds, sources(from));
        if (pieces > 0) {
            if (team.isMaster() && invited == 0) {
                team.tellInbox();
            } else if (team.isMaster()) {
                awaitDone(NO_PLACE, taken);
            }
            int shares = Math.min(Sections.PLACES, team.nodes() - 1);
            in.openInbox(from, longest, pieces, sources(from), (int) (invited % shares), shares);
            invited++;
            readBy(in);
        }
    }

    /** Invites the next sender as well, at a master, if what it begins with has come. */
    private void lookAhead(int distance) {
        int from = node(-distance);
        if (isAhead || !sections.isRoomy || !team.isMaster() || distance == team.nodes() || !takesFrom(from)) {
            return;
        }
        Inflow in = team.inflow(team.pair(from));
        openFirst(in, from);
        if (in.hasAll()) {
            openFirst(in, from);
            for (int k = 0; k < sources(from); k++) {
                takeFirst(in, from, k, takingNext);
            }
            openFurther(in, from, takingNext);
            isAhead = true;
        }
    }

    private void exchangeFurther(Outflow out, Inflow in, int distance) {
        int to = node(distance);
        int from = node(-distance);
        long shows = isSource && readers(to) > 0 ? ownRounds(to) : 0;
        long sends = out == null && !isReader ? shows : roundsMost == 0 ? 0 : findSending(to);
        int sources = out == null || sends == 0 ? 0 : sources(team.node());
        long takes = 0;
        for (int k = 0; in != null && k < sources(from); k++) {
            takes = Math.max(takes, taking[k]);
        }
        if (sources > 0) {
            out.openInvited(to, longestSent, sources(team.node()));
        }
        for (long round = 1; round <= Math.max(sends, takes); round++) {
            if (round <= shows) {
                fill(to, round, localRounds + sentRounds + round, MASTER);
            }
            for (int k = 0; k < Math.max(sources, takes == 0 ? 0 : sources(from)); k++) {
                if (k < sources && round <= sending[k]) {
                    send(out, to, sourcePlace(k), round);
                }
                if (k < sources(from) && round <= takes && round <= taking[k]) {
                    lookAhead(distance + 1);
                    take(in, from, k, round);
                }
            }
            if (sources > 0 && round <= sends) {
                team.post(Team.DONE, localRounds + sentRounds + round);
            }
        }
        sentRounds += sends;
        taken += takes == 0 ? 0 : sum(taking, sources(from));
    }

    /** How many rounds the sources of this node have for another one. */
    private long findSending(int node) {
        long most = 0;
        longestSent = 0;
        for (int k = 0; k < sources(team.node()); k++) {
            sending[k] = 0;
            if (readers(node) > 0) {
                findFirst(sourcePlace(k), node);
                sending[k] = sections.rounds(section, readers(node));
                longestSent = Math.max(longestSent, sections.furtherBytes(section, readers(node)));
            }
            most = Math.max(most, sending[k]);
        }
        return most;
    }

    private void send(Outflow out, int to, int place, long round) {
        if (place != team.localRank()) { // this rank's own number grew when it filled it
            filled[place]++;
        }
        findPlace(place, filled[place]);
        out.send(section, 0, sections.bytes(section, readers(to), round));
    }

    private void take(Inflow in, int from, int index, long round) {
        Area piece = in.await();
        int rank = source(from, index);
        if (isReader && round <= sections.roundsOf(call.targetBytes(rank))) {
            read(piece, rank, round);
        }
        in.release(taken);
    }
}
