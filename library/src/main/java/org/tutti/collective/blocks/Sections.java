/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.machine.Area;

/**
 * Computes how a {@link BlockExchange} cuts blocks into sections. A section has the data of one source, a rank that
 * sends, for the readers of one node, the ranks that receive: a chunk for each. This class computes the lengths of
 * chunks in the first round and in further rounds, the number of rounds of a block, and the length of a section.
 */
final class Sections {
    /**
     * The length in bytes of the number that tells a reader how many bytes are left for it. It stands in front of the
     * chunks.
     */
    static final long LEFT_BYTES = Long.BYTES;

    /**
     * The number of places, buffers for one section each, that a window, an eager buffer or the inbox has and that are
     * filled in turn.
     */
    static final int PLACES = 2;

    /**
     * The length in bytes of a record, the form in which an algorithm for equal blocks carries the first bytes of a
     * block. A record is a section of the first round for one reader, filled up to this length.
     */
    static final long RECORD_BYTES = 256;

    private static final long CHUNK_MIN = 8;
    private static final long ROOMY_MIN = 32;
    private static final int PARTS = 2;

    /**
     * The greatest length of all places of a source together, in parts of a window, if there are several nodes. On a
     * node with many ranks they may be shorter.
     */
    private static final int FURTHER_PARTS = 4;
    private static final long FURTHER_NODE_BYTES_MAX = 8 << 20;

    /** The length of the longest block that the first round carries whole, in bytes. */
    final long firstMax;

    /**
     * The number of bytes that the first round carries of a longer block. Sections with so many bytes for each reader
     * fit into their places in an eager buffer. If a section is longer, its rest goes to a long buffer.
     */
    private final long placedMax;

    /** The greatest number of bytes for each reader in the rest of a section. */
    private final long restMax;

    /** The length of the longest chunk of further rounds, in bytes. */
    final long chunkMax;

    /** Whether an eager buffer has room for the first sections of all sources of a node. */
    final boolean isRoomy;

    /** The number of places that a source fills in turn, and the length of each in bytes. */
    final int places;
    final long placeBytes;

    /**
     * The length of the inbox, the memory for sections from invited nodes, in bytes. It has a share for each of {@value
     * #PLACES} senders.
     */
    final long inboxBytes;

    /**
     * Whether an algorithm for equal blocks has carried the first round, in operations before this one. The first
     * sections that ranks show then have no chunks, and do not leave the node.
     */
    final boolean areCarried;

    private final Team team;
    private final int lengths;
    private final long blockBytesMax;

    /**
     * Computes the lengths of chunks and places for a team.
     *
     * @param team the team of the calling rank
     * @param roles the object that tells which ranks are sources and readers
     * @param carried whether an algorithm for equal blocks has carried the first round
     */
    Sections(Team team, BlockRoles roles, boolean carried) {
        this.team = team;
        this.areCarried = carried;
        this.lengths = carried ? roles.lengthsShown() : 0;
        int readersMax = roles.readersMax();
        int sourcesMax = roles.sourcesMax();
        long part = team.windowBytesMax() / PARTS;
        long shown = whole((part - directoryBytes()) / roles.readersOfAllNodes() - LEFT_BYTES);
        long eager = team.nodes() == 1 ? shown : eagerBytes(readersMax, sourcesMax);
        this.isRoomy = carried || team.nodes() == 1 || eager >= ROOMY_MIN;
        this.placedMax = carried ? shown < 0 ? 0 : CarriedBlocksAlgorithm.CARRIED_BYTES_MAX
                : Math.min(shown, isRoomy ? eager : eagerBytes(readersMax, PLACES));
        this.restMax = carried || team.nodes() == 1 || !isRoomy ? 0
                : Math.min(whole(team.pairLongBytes() / sourcesMax / readersMax), shown - placedMax);
        this.firstMax = placedMax + restMax;
        long further = team.nodes() == 1 ? part : furtherBytes(part, team.ranksMax());
        long shared = whole(further / PLACES / readersMax - LEFT_BYTES);
        this.places = shared >= ROOMY_MIN ? PLACES : 1;
        this.chunkMax = places == PLACES ? shared : whole(further / readersMax - LEFT_BYTES);
        this.inboxBytes = inboxBytesMax(team.windowBytesMax(), team.ranksMax());
        this.placeBytes = readersMax * (LEFT_BYTES + chunkMax);
        long roundsMax = Team.STEPS_MAX / ((long) team.nodes() * (sourcesMax + 1)) - PLACES;
        this.blockBytesMax = Math.max(firstMax, placedMax + roundsMax * chunkMax);
    }

    private long eagerBytes(int readers, int sources) {
        return whole(team.pairBytes() / sources / readers - LEFT_BYTES);
    }

    /**
     * Returns the length of all places of a source together, in bytes. The places may be too long to stay in the caches
     * of a core, but with longer places a rank waits fewer times.
     */
    private static long furtherBytes(long part, int ranksMax) {
        return Math.clamp(Long.highestOneBit(FURTHER_NODE_BYTES_MAX / ranksMax), part, FURTHER_PARTS * part);
    }

    /** {@return the greatest number of bytes that a source shows if there are several nodes} */
    static long shownBytesMax(long windowBytesMax, int ranksMax) {
        return windowBytesMax / PARTS + furtherBytes(windowBytesMax / PARTS, ranksMax);
    }

    /** {@return the greatest length of the inbox if there are several nodes, in bytes} */
    static long inboxBytesMax(long windowBytesMax, int ranksMax) {
        return Math.max(Flow.INBOX_BYTES, PLACES * furtherBytes(windowBytesMax / PARTS, ranksMax));
    }

    private static long whole(long bytes) {
        return bytes & -CHUNK_MIN;
    }

    /** Returns an offset or length rounded up to the alignment of chunks. */
    static long aligned(long at) {
        return whole(at + CHUNK_MIN - 1);
    }

    /** {@return the length of the longest block of an operation, in bytes; 0 if there is no room for all ranks} */
    long blockBytesMax() {
        return firstMax < CHUNK_MIN || chunkMax < CHUNK_MIN ? 0 : blockBytesMax;
    }

    /** {@return the length of the directory in front of the first sections of a rank, in bytes} */
    long directoryBytes() {
        return team.nodes() == 1 ? 0 : lengthAt(lengths);
    }

    /** {@return the offset in a directory of the length that the rank expects from the source with an index} */
    long lengthAt(int index) {
        return (team.nodes() + 2L + index) * LEFT_BYTES;
    }

    // ---- the flow of first sections

    /** {@return the length of a place for a first section in an eager buffer, in bytes} */
    long firstPlaceBytes(int readers) {
        return bytes(readers * placedMax, readers);
    }

    /** {@return the length of a place for the rest of a first section in a long buffer, in bytes} */
    long firstRestBytes(int readers) {
        return readers * restMax;
    }

    /** {@return the number of places for the first sections of the sources of a node} */
    int firstPlaces(int sources) {
        return isRoomy ? sources : Math.min(PLACES, sources);
    }

    // ---- rounds

    /**
     * {@return the number of rounds that follow the first round, for a block of {@code left} bytes}
     */
    long roundsOf(long left) {
        return left <= firstMax ? 0 : (left - placedMax + chunkMax - 1) / chunkMax;
    }

    /** {@return the number of bytes of a block of {@code length} bytes that are sent before a round} */
    long before(long length, long round) {
        return round == 0 ? 0 : Math.min(length, length <= firstMax ? length : placedMax + (round - 1) * chunkMax);
    }

    /** Returns the length of a chunk in bytes, if {@code left} bytes are left for its reader before a round. */
    long chunkBytes(long left, long round) {
        return round > 0 ? Math.min(left, chunkMax) : areCarried ? 0 : left <= firstMax ? left : placedMax;
    }

    // ---- sections

    /** Returns the number of bytes that are left for a reader, from the front of a section. */
    long left(Area section, int reader) {
        return team.read(section, reader * LEFT_BYTES);
    }

    /** Returns the length of a section in bytes, if its chunks have the given length together. */
    static long bytes(long chunks, int readers) {
        return readers * LEFT_BYTES + chunks;
    }

    /** {@return the length of a section, in bytes} */
    long bytes(Area section, int readers, long round) {
        long chunks = 0;
        for (int k = 0; k < readers; k++) {
            chunks += chunkBytes(left(section, k), round);
        }
        return bytes(chunks, readers);
    }

    /** {@return the number of rounds that follow a section of the first round} */
    long rounds(Area first, int readers) {
        long most = 0;
        for (int k = 0; k < readers; k++) {
            most = Math.max(most, roundsOf(left(first, k)));
        }
        return most;
    }

    /** {@return the length of the longest section that follows a section of the first round, in bytes} */
    long furtherBytes(Area first, int readers) {
        long chunks = 0;
        for (int k = 0; k < readers; k++) {
            long left = left(first, k);
            chunks += left <= firstMax ? 0 : Math.min(left - placedMax, chunkMax);
        }
        return aligned(bytes(chunks, readers));
    }
}
