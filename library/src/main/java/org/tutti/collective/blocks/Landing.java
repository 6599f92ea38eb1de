/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.TeamLocal;
import org.tutti.collective.flow.Flows;
import org.tutti.collective.machine.Area;
import org.tutti.memory.Words;

/**
 * Moves long blocks between nodes of a single rank each, from the source of a call to the target of another rank's
 * call. A receiver invites the senders to its target, if the target {@linkplain Area#isAddressable can be addressed}.
 * Otherwise it invites them to memory of the same length, and copies the blocks from there to the target. A team keeps
 * up to {@value #KEPT_BYTES_MAX} bytes of such memory. A block that fits into the eager buffer of the {@linkplain
 * Team#pair pair} of both nodes arrives there without an invitation, and is copied, too.
 *
 * <p><b>Why nothing is overwritten.</b> A rank leaves an operation, and begins the next one, when all blocks for it
 * have arrived and are in its target. Until then no other operation of the team uses the target or the memory beside
 * it. If an operation fails, the right of the other nodes to put there is revoked before the memory is used again.
 */
public final class Landing {
    private static final TeamLocal<Landing> LOCAL = new TeamLocal<>(Landing::new);

    /** The length in bytes of the longest memory beside the target that a team keeps for its next operations. */
    private static final long KEPT_BYTES_MAX = 8 << 20;

    private final Team team;
    private final Area memory = new Area();
    private MemorySegment kept = MemorySegment.NULL;

    private Landing(Team team) {
        this.team = team;
    }

    /**
     * Returns the landing of the current operation of a team.
     *
     * @param team the team of the calling rank
     * @return the landing, the same object each time. It must be {@linkplain #begin begun} once in each operation that
     *         uses it, and {@linkplain #end ended}.
     */
    public static Landing of(Team team) {
        return LOCAL.of(team);
    }

    /**
     * Finds the memory to which this rank invites other nodes.
     *
     * @param target the caller's target
     * @param bytes the length of the target, in bytes
     * @param isSent whether this rank sends blocks from the target, so that no block may replace them
     * @return the memory. A block has the same offset there as in the target
     */
    public Area begin(Area target, long bytes, boolean isSent) {
        if (target.isAddressable() && !isSent) {
            memory.set(target.segment(), target.start());
        } else {
            memory.set(beside(bytes), 0);
        }
        return memory;
    }

    /** Returns memory beside the target. New memory costs about as much time as the transfer of a block. */
    private MemorySegment beside(long bytes) {
        if (bytes > KEPT_BYTES_MAX) {
            return Arena.ofAuto().allocate(bytes);
        }
        if (kept.byteSize() < bytes) {
            kept = Arena.ofAuto().allocate(bytes, Words.LINE_BYTES);
        }
        return kept;
    }

    /**
     * Waits until the block of another node has arrived in the target. Copies the block if it has arrived elsewhere.
     *
     * @param node the other node
     * @param target the caller's target
     * @param at the offset of the block in the target, in bytes
     * @param bytes the length of the block, in bytes
     */
    public void await(int node, Area target, long at, long bytes) {
        Area arrived = team.inflow(team.pair(node)).awaitBytes(0, bytes);
        if (!arrived.segment().equals(target.segment()) || arrived.start() != target.start() + at) {
            team.copy(arrived, 0, target, at, bytes);
        }
    }

    /** Forgets the memory. This method is called when the last block has arrived. */
    public void end() {
        memory.clear();
    }

    /**
     * Exchanges a block with every other rank. In step i this rank sends to the ranks at distances (i − 1)·k + 1 to
     * i·k, modulo the number of ranks, piece by piece to each in turn. It has invited all ranks before, so no rank
     * waits for a rank that waits.
     *
     * @param call the call, whose target has a block for each rank
     * @param isForAll whether all ranks get the same block; if not, the source has a block for each rank
     * @param ports the number of ranks to which this rank sends at the same time, k, 1 or more
     */
    public void exchange(Call call, boolean isForAll, int ports) {
        long bytes = call.bytes();
        Area to = begin(call.target(), team.size() * bytes, call.isInPlace() && !isForAll);
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = node(-distance);
            team.inflow(team.pair(node)).openMessage(node, bytes, bytes, to, call.block(rank(node)));
        }
        for (int first = 1; first < team.nodes(); first += ports) {
            send(call, isForAll, first, Math.min(first + ports, team.nodes()));
        }
        if (!call.isInPlace()) {
            team.copy(call.source(), isForAll ? 0 : call.block(team.rank()), call.target(), call.block(team.rank()),
                    bytes);
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = node(-distance);
            await(node, call.target(), call.block(rank(node)), bytes);
        }
        end();
    }

    private void send(Call call, boolean isForAll, int firstDistance, int endDistance) {
        long bytes = call.bytes();
        for (int distance = firstDistance; distance < endDistance; distance++) {
            int node = node(distance);
            team.outflow(team.pair(node)).openMessage(node, bytes, bytes);
        }
        for (long at = 0; at < bytes; at += Flows.BLOCK_PIECE_BYTES_MAX) {
            for (int distance = firstDistance; distance < endDistance; distance++) {
                int node = node(distance);
                team.outflow(team.pair(node)).add(call.source(), (isForAll ? 0 : call.block(rank(node))) + at,
                        Math.min(bytes - at, Flows.BLOCK_PIECE_BYTES_MAX));
            }
        }
    }

    private int node(int distance) {
        return Math.floorMod(team.node() + distance, team.nodes());
    }

    private int rank(int node) {
        return team.rankAt(node, Team.MASTER);
    }
}
