/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * An allgather in which masters forward the blocks that they have received. The blocks of a node are a <i>slot</i>. At
 * each node slot 0 has its own blocks; the subclass says, alike for all nodes, which node's blocks slot <i>s</i> has.
 * There are some flows, one after the other: over each, a master sends its first slots to another node, where they
 * become consecutive slots from a certain one on.
 *
 * <p>Ranks show their blocks, and masters send slot 0 from there, so it is not gathered. They forward other slots from
 * where these have arrived: in the eager buffer of a pair, or in their window, to which they have invited the sender
 * and which has room for all slots. All ranks of a node copy blocks from the same memory while the master forwards them
 * (Qian and Afsahi 2008, section 5.2).
 *
 * <p><b>Why nothing is overwritten, and why it ends.</b> Each piece has a place of its own, which belongs to the
 * operation until all ranks of the node have left it, and therefore no master waits for credits. A master that waits
 * for a slot waits for a sender that itself needs only lower slots.
 */
abstract class RelayedAllgather extends EqualBlocksAlgorithm {
    RelayedAllgather(Description description) {
        super(Collective.ALLGATHER, description);
    }

    /** Counts the flows that leave each node. */
    abstract int flows(int nodes);

    /** Returns the distance at which a flow's receiver is; its sender is at the opposite distance. */
    abstract int distance(int flow, int nodes);

    /** Returns the receiver's slot that the first slot of a flow becomes. */
    abstract int firstSlot(int flow, int nodes);

    /** Counts the slots of a flow. */
    abstract int slots(int flow, int nodes);

    /** Returns the distance of the node that owns the blocks of a slot. */
    abstract int owner(int slot);

    @Override
    protected final long blocksOnNode(int nodes, int ranks, int localRanks) {
        return (long) ranks + localRanks;
    }

    @Override
    public final void run(Team team, Call call) {
        int nodes = team.nodes();
        long shown = mastersBytes(team, call.bytes());
        Area own = team.show(team.isMaster() ? shown : call.bytes());
        team.copy(call.source(), 0, own, 0, call.bytes());
        if (team.isMaster()) {
            openInflows(team, own, call.bytes());
            team.post(Team.READY, SHOWN);
        } else {
            team.post(Team.READY, SHOWN);
            if (shown > call.bytes()) {
                team.await(Team.MASTER, Team.READY, SHOWN);
                openInflows(team, team.shown(Team.MASTER, shown), call.bytes());
            } else {
                openInflows(team, own, call.bytes());
            }
        }
        int copied = 0;
        for (int flow = 0; flow < flows(nodes); flow++) {
            Outflow out = null;
            if (team.isMaster()) {
                int to = Math.floorMod(team.node() + distance(flow, nodes), nodes);
                out = team.outflow(team.pair(to));
                out.openPair(to, call.bytes(), slots(flow, nodes) * team.ranksMax());
            }
            for (int slot = 0; slot < slots(flow, nodes); slot++) {
                send(team, out, slot, call.bytes(), shown);
                if (slot == copied) {
                    copyOut(team, call, slot, shown);
                    copied++;
                }
            }
        }
        for (; copied < nodes; copied++) {
            copyOut(team, call, copied, shown);
        }
        for (int flow = 0; flow < flows(nodes) && team.isMaster(); flow++) {
            inflow(team, flow).awaitAll(); // also the empty pieces
        }
    }

    /**
     * Returns the length of the master's window: its own block, or room for all slots if other nodes are invited there.
     */
    private long mastersBytes(Team team, long bytes) {
        for (int flow = 0; flow < flows(team.nodes()); flow++) {
            if (team.exceedsPair((long) slots(flow, team.nodes()) * team.ranksMax() * bytes)) {
                return (long) team.nodes() * team.ranksMax() * bytes;
            }
        }
        return bytes;
    }

    private void openInflows(Team team, Area window, long bytes) {
        int nodes = team.nodes();
        for (int flow = 0; flow < flows(nodes); flow++) {
            int from = Math.floorMod(team.node() - distance(flow, nodes), nodes);
            team.inflow(team.pair(from)).openPair(from, bytes, slots(flow, nodes) * team.ranksMax(), window,
                    (long) firstSlot(flow, nodes) * team.ranksMax() * bytes);
        }
    }

    private Inflow inflow(Team team, int flow) {
        return team.inflow(team.pair(Math.floorMod(team.node() - distance(flow, team.nodes()), team.nodes())));
    }

    private void send(Team team, Outflow out, int slot, long bytes, long shown) {
        if (out == null) {
            return;
        }
        int ranks = team.ranksOn(ownerOf(team, slot));
        for (int localRank = 0; localRank < team.ranksMax(); localRank++) {
            if (localRank < ranks) {
                out.send(block(team, slot, localRank, bytes, shown), 0, bytes);
            } else {
                out.signal(); // an empty piece, because all nodes have the same number
            }
        }
    }

    private int ownerOf(Team team, int slot) {
        return Math.floorMod(team.node() + owner(slot), team.nodes());
    }

    private void copyOut(Team team, Call call, int slot, long shown) {
        int node = ownerOf(team, slot);
        int first = slot == 0 ? team.localRank() : 0; // the ranks begin with different blocks
        for (int i = 0; i < team.ranksOn(node); i++) {
            int localRank = (first + i) % team.ranksOn(node);
            int rank = team.rankAt(node, localRank);
            if (rank == team.rank()) {
                if (!call.isInPlace()) {
                    team.copy(call.source(), 0, call.target(), call.block(rank), call.bytes());
                }
            } else {
                team.copy(block(team, slot, localRank, call.bytes(), shown), 0, call.target(), call.block(rank),
                        call.bytes());
            }
        }
    }

    /** Waits for a block and returns where it is. */
    private Area block(Team team, int slot, int localRank, long bytes, long shown) {
        if (slot == 0) {
            if (localRank != team.localRank()) {
                team.await(localRank, Team.READY, SHOWN);
            }
            return team.shown(localRank, localRank == Team.MASTER ? shown : bytes);
        }
        int nodes = team.nodes();
        int flow = 0;
        while (slot >= firstSlot(flow, nodes) + slots(flow, nodes)) {
            flow++;
        }
        return inflow(team, flow).await((long) (slot - firstSlot(flow, nodes)) * team.ranksMax() + localRank + 1);
    }
}
