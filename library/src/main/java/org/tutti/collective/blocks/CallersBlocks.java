/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.util.Locale;

import org.tutti.CollectiveMismatchException;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;
import org.tutti.memory.CallSite;

/**
 * The blocks of this rank's call in a {@link BlockExchange}: the blocks for others are cut into sections, and the
 * blocks from others are put together from sections.
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

    /** Returns the length of the block for a reader; 0 for this rank itself, unless one section is for all readers. */
    private long lengthFor(int reader) {
        return reader == team.rank() && !roles.sameForAll ? 0 : call.sourceBytes(reader);
    }

    /** Counts the further rounds that this rank has for the other readers of a node. */
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

    /** Tells whether only this rank would read its section for a node: in an allgather, if it is alone on its node. */
    boolean isForItselfOnly(int node) {
        return roles.sameForAll && node == team.node() && team.localSize() == 1;
    }

    /** Returns the length of this rank's first section for a node. */
    long firstBytes(int node) {
        int readers = roles.readers(node);
        long chunks = 0;
        for (int k = 0; k < readers; k++) {
            chunks += sections.chunkBytes(lengthFor(roles.reader(node, k)), 0);
        }
        return Sections.aligned(Sections.bytes(chunks, readers));
    }

    /** Writes a section, and returns where it ends. */
    long write(int node, long round, Area area, long at) {
        int readers = roles.readers(node);
        long before = sections.before(round);
        long chunkAt = at + readers * Sections.LEFT_BYTES;
        for (int k = 0; k < readers; k++) {
            int reader = roles.reader(node, k);
            long left = Math.max(0, lengthFor(reader) - before);
            long bytes = sections.chunkBytes(left, round);
            team.write(area, at + k * Sections.LEFT_BYTES, left);
            team.copy(call.source(), call.sourceAt(reader) + before, area, chunkAt, bytes);
            chunkAt += bytes;
        }
        return Sections.aligned(chunkAt);
    }

    // ---- blocks from other ranks

    /** Tells whether this rank reads something from a source in a round. */
    boolean expects(int source, long round) {
        return roles.isReader && round <= sections.roundsOf(call.targetBytes(source));
    }

    /** Reads this rank's chunk of a section. */
    void read(Area section, int source, long round) {
        int index = roles.ownIndex();
        long before = sections.before(round);
        long chunkAt = roles.readersHere() * Sections.LEFT_BYTES;
        for (int k = 0; k < index; k++) {
            chunkAt += sections.chunkBytes(sections.left(section, k), round);
        }
        long left = sections.left(section, index);
        if (left != Math.max(0, call.targetBytes(source) - before)) {
            throw mismatch(source, left + before);
        }
        team.copy(section, chunkAt, call.target(), call.targetAt(source) + before, sections.chunkBytes(left, round));
    }

    /** Copies this rank's block for itself. */
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
