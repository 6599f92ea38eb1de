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
 * An allgather in which masters, the first ranks of their nodes, forward the blocks that they have received. At a node,
 * the blocks of each node form a <i>slot</i>, and slot 0 holds the node's own blocks. Slot <i>s</i> holds the blocks of
 * a node at a certain distance, which the subclass gives and which is the same at all nodes. A master sends over
 * several flows, streams to other nodes, one after the other. Over each flow it sends its first slots to another node,
 * where they become consecutive slots. The subclass gives the number of the first of these slots.
 *
 * <p>Ranks show their blocks in their windows, and masters send slot 0 from there, so no rank gathers it. Masters
 * forward each other slot from the memory in which it has arrived. This is the eager buffer of a pair, or the master's
 * window. The window has room for all slots, and the master has invited the sender to it. All ranks of a node copy
 * blocks from the same memory while the master forwards them (Qian and Afsahi 2008, section 5.2).
 *
 * <p><b>Why nothing is overwritten, and why it ends.</b> Each piece has a place of its own, which belongs to the
 * operation until all ranks of the node have left it. Therefore no master waits for credits. A master that waits for a
 * slot waits for a sender, and that sender needs only lower slots to send it.
 */
abstract class RelayedAllgather extends EqualBlocksAlgorithm {
    RelayedAllgather(Description description) {
        super(Collective.ALLGATHER, description);
    }

    /** Returns the number of flows that leave each node. */
    abstract int flows(int nodes);

    /**
     * Returns the distance from a node to the receiver of one of its flows. The flow with the same number that arrives
     * at the node comes from the node at this distance in the other direction.
     */
    abstract int distance(int flow, int nodes);

    /** Returns the number of the slot at the receiver that holds the first slot which is sent over a flow. */
    abstract int firstSlot(int flow, int nodes);

    /** Returns the number of slots that are sent over a flow. */
    abstract int slots(int flow, int nodes);

    /** Returns the distance from a node to the owner of the blocks in one of its slots. */
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
            inflow(team, flow).awaitAll(); // the empty pieces, too
        }
    }

    /**
     * Returns the length of the master's window in bytes. If other nodes are invited to the window, it has room for all
     * slots, otherwise for one block.
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
                out.signal(); // an empty piece, because each slot has the same number of pieces
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

    /** Waits until the block of a rank in a slot is shown or has arrived, and returns the area that holds it. */
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
