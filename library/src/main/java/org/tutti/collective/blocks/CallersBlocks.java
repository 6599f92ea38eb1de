/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.util.Locale;

import org.tutti.CollectiveMismatchException;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;
import org.tutti.memory.CallSite;

/**
 * Cuts this rank's blocks for other ranks into the sections of a {@link BlockExchange}, and assembles the blocks that
 * it receives from sections. A section has the data of one source, a rank that sends, for the readers of one node, the
 * ranks that receive.
 */
final class CallersBlocks {
    private final Team team;
    private final BlockRoles roles;
    private final Sections sections;
    private Call call;

    CallersBlocks(Team team, BlockRoles roles, Sections sections) {
        this.team = team;
        this.roles = roles;
        this.sections = sections;
    }

    void begin(Call exchanged) {
        call = exchanged;
    }

    void end() {
        call = null;
    }

    // ---- blocks for other ranks

    /**
     * Returns the length of this rank's block for a reader, in bytes. The result is 0 for this rank itself, unless all
     * readers get the same data.
     */
    private long lengthFor(int reader) {
        return reader == team.rank() && !roles.sameForAll ? 0 : call.sourceBytes(reader);
    }

    /** Returns the number of further rounds in which this rank has data for other readers of a node. */
    long rounds(int node) {
        if (!roles.isSource || isForItselfOnly(node)) {
            return 0;
        }
        long most = 0;
        for (int k = 0; k < roles.readers(node); k++) {
            most = Math.max(most, sections.roundsOf(lengthFor(roles.reader(node, k))));
        }
        return most;
    }

    /**
     * Returns whether this rank would be the only reader of its own section for a node. This is the case in an
     * allgather for the rank's own node, if the rank is alone there.
     */
    boolean isForItselfOnly(int node) {
        return roles.sameForAll && node == team.node() && team.localSize() == 1;
    }

    /** Returns the length of this rank's first section for a node, in bytes. */
    long firstBytes(int node) {
        int readers = roles.readers(node);
        long chunks = 0;
        for (int k = 0; k < readers; k++) {
            chunks += sections.chunkBytes(lengthFor(roles.reader(node, k)), 0);
        }
        return Sections.aligned(Sections.bytes(chunks, readers));
    }

    /**
     * Writes this rank's section for a node and a round to an area, and returns the offset at which the section ends.
     */
    long write(int node, long round, Area area, long at) {
        int readers = roles.readers(node);
        long chunkAt = at + readers * Sections.LEFT_BYTES;
        for (int k = 0; k < readers; k++) {
            int reader = roles.reader(node, k);
            long before = sections.before(lengthFor(reader), round);
            long left = lengthFor(reader) - before;
            long bytes = sections.chunkBytes(left, round);
            team.write(area, at + k * Sections.LEFT_BYTES, left);
            team.copy(call.source(), call.sourceAt(reader) + before, area, chunkAt, bytes);
            chunkAt += bytes;
        }
        return Sections.aligned(chunkAt);
    }

    /** Writes the record of this rank's block for a reader: its length, its first bytes, and zeros. */
    void writeRecord(int reader, Area area, long at) {
        long length = call.sourceBytes(reader);
        long bytes = Math.min(length, sections.firstMax);
        long chunkAt = at + Sections.LEFT_BYTES;
        team.write(area, at, length);
        for (long each = bytes & -Long.BYTES; each < sections.firstMax; each += Long.BYTES) {
            team.write(area, chunkAt + each, 0);
        }
        team.copy(call.source(), call.sourceAt(reader), area, chunkAt, bytes);
    }

    // ---- blocks from other ranks

    /** Returns the number of bytes that this rank expects from a source. */
    long lengthFrom(int source) {
        return call.targetBytes(source);
    }

    /** Copies the bytes of a source's record into its target, and compares the length as {@link #read} does. */
    void readRecord(Area area, long at, int source) {
        long length = team.read(area, at);
        if (length != call.targetBytes(source)) {
            throw mismatch(source, length);
        }
        team.copy(area, at + Sections.LEFT_BYTES, call.target(), call.targetAt(source),
                Math.min(length, sections.firstMax));
    }

    /** Returns whether this rank reads data from a source in a round. */
    boolean expects(int source, long round) {
        return roles.isReader && round <= sections.roundsOf(call.targetBytes(source));
    }

    /**
     * Copies this rank's chunk of a first section into its target, and checks its length as {@link #read} does. The
     * section may end in other memory.
     *
     * @param section the section, or the part of it that its place has room for
     * @param rest the rest of the section; null if its place has room for all of it
     * @param source the rank whose section it is
     */
    void readFirst(Area section, Area rest, int source) {
        long at = chunkAt(section, source, 0);
        long bytes = sections.chunkBytes(call.targetBytes(source), 0);
        long restAt = rest == null ? Long.MAX_VALUE : sections.firstPlaceBytes(roles.readersHere());
        long here = Math.clamp(restAt - at, 0, bytes);
        team.copy(section, at, call.target(), call.targetAt(source), here);
        if (here < bytes) {
            team.copy(rest, at + here - restAt, call.target(), call.targetAt(source) + here, bytes - here);
        }
    }

    /**
     * Copies this rank's chunk of a section into its target. The method throws an exception if the source has a block
     * of another length for this rank than this rank expects.
     */
    void read(Area section, int source, long round) {
        long before = sections.before(call.targetBytes(source), round);
        long bytes = sections.chunkBytes(call.targetBytes(source) - before, round);
        team.copy(section, chunkAt(section, source, round), call.target(), call.targetAt(source) + before, bytes);
    }

    /**
     * Returns the offset of this rank's chunk in a section. The method throws an exception if the source has a block of
     * another length for this rank than this rank expects.
     */
    private long chunkAt(Area section, int source, long round) {
        int index = roles.ownIndex();
        long at = roles.readersHere() * Sections.LEFT_BYTES;
        for (int k = 0; k < index; k++) {
            at += sections.chunkBytes(sections.left(section, k), round);
        }
        long left = sections.left(section, index);
        long before = sections.before(call.targetBytes(source), round);
        if (left != call.targetBytes(source) - before) {
            throw mismatch(source, left + before);
        }
        return at;
    }

    /** Copies this rank's block for itself into its target. */
    void copyOwn() {
        int rank = team.rank();
        if (call.sourceBytes(rank) != call.targetBytes(rank)) {
            throw mismatch(rank, call.sourceBytes(rank));
        }
        if (!call.isInPlace()) {
            team.copy(call.source(), call.sourceAt(rank), call.target(), call.targetAt(rank), call.sourceBytes(rank));
        }
    }

    private CollectiveMismatchException mismatch(int source, long bytes) {
        return new CollectiveMismatchException(team.describe() + " called " + call.collective().label()
                + CallSite.here() + " and expects a block of " + elements(call.targetBytes(source)) + " of "
                + team.describe(source)
                + ", which has one of " + elements(bytes) + " for it; both must say the same", true);
    }

    private String elements(long bytes) {
        return bytes / call.type.bytes() + " " + call.type.name().toLowerCase(Locale.ROOT) + " elements";
    }
}
