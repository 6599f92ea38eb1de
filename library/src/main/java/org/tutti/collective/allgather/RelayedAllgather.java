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
 * Masters hand on what they have got. The blocks of a node are a slot; at each node its own is slot 0, and which one is
 * slot <i>s</i> an algorithm says, alike at all nodes. It has some flows, one after the other: by each, a master sends
 * its first slots to another node, where they become the slots from a certain one on.
 *
 * <p>Ranks show their blocks, and masters send them from there (slot 0 is not gathered); others they send on from where
 * they have arrived, in the eager buffer of a pair or in the window to which they have invited the sender, which has
 * room for all slots. All ranks of a node copy blocks from there, too, while the master sends on (Qian and Afsahi,
 * section 5.2). Each piece has a place of its own, which belongs to the operation until all ranks of the node have left
 * it: so nobody waits for credits, and a master that waits for a slot waits for who has sent all that it needs itself.
 */
abstract class RelayedAllgather extends EqualBlocksAlgorithm {
    RelayedAllgather(Description description) {
        super(Collective.ALLGATHER, description);
    }

    /** How many flows there are at each node. */
    abstract int flows(int nodes);

    /** To which node, by its distance, a flow goes; it comes from the one at the opposite distance. */
    abstract int distance(int flow, int nodes);

    /** At which slot of the receiver the first one of a flow comes to be. */
    abstract int firstSlot(int flow, int nodes);

    /** How many slots a flow has. */
    abstract int slots(int flow, int nodes);

    /** Whose blocks are in a slot, by the distance of that node. */
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
            inflow(team, flow).awaitAll(); // empty pieces come as well
        }
    }

    /** The master's window has room for all slots if others are invited there; its own block is the first. */
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
                out.signal(); // so that pieces are as many from every node
            }
        }
    }

    private int ownerOf(Team team, int slot) {
        return Math.floorMod(team.node() + owner(slot), team.nodes());
    }

    private void copyOut(Team team, Call call, int slot, long shown) {
        int node = ownerOf(team, slot);
        int first = slot == 0 ? team.localRank() : 0; // not all at the same block at once
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

    /** Waits for a block, and finds where it is. */
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
