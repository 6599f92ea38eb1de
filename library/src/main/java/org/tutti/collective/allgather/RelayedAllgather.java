/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * An allgather in which masters, the first ranks of their nodes, forward the blocks that they have received. At a node,
 * the blocks of each node form a <i>slot</i>, and slot 0 holds the node's own blocks. Slot <i>s</i> holds the blocks of
 * a node at a certain distance, which the subclass gives and which is the same at all nodes. A master sends over
 * several flows, streams to other nodes, one after the other. Over each flow it sends one message, with its first
 * slots, to another node, where they become consecutive slots. The subclass gives the number of the first of these
 * slots, and the layout of the message.
 *
 * <p>Ranks show their blocks in their windows, and masters send slot 0 from there, so no rank gathers it. Masters
 * forward each other slot from the memory in which it has arrived. This is the eager buffer of a pair, or the master's
 * window. The window has room for all slots, and the master has invited the sender to it. All ranks of a node copy
 * blocks from the same memory while the master forwards them (Qian and Afsahi 2008, section 5.2).
 *
 * <p><b>Why nothing is overwritten, and why it ends.</b> Each piece of a message has a place of its own, which belongs
 * to the operation until all ranks of the node have left it. Therefore no master waits for credits. A master that waits
 * for a slot waits for a sender. That sender needs only lower slots to send the piece that ends with the slot.
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

    /** Returns the length of the memory of the first slots of a node, in bytes. */
    abstract long slotsBytes(Team team, int ofNode, int slots, long bytes);

    /**
     * Returns the length of the pieces of a message, in bytes. If a slot must not wait for the next one, pieces end
     * with slots.
     *
     * @param team the ranks
     * @param bytes the length of a block, in bytes
     * @param message the length of the message, in bytes
     */
    abstract long pieceBytes(Team team, long bytes, long message);

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
            Outflow out = team.isMaster() ? openOutflow(team, flow, call.bytes()) : null;
            for (int slot = 0; slot < slots(flow, nodes); slot++) {
                if (out != null) {
                    send(team, out, slot, call.bytes(), shown);
                }
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
            team.inflow(team.pair(sender(team, flow))).awaitAll(); // they come to this process
        }
    }

    private int sender(Team team, int flow) {
        return Math.floorMod(team.node() - distance(flow, team.nodes()), team.nodes());
    }

    /**
     * Returns the length of the master's window in bytes. If other nodes are invited to the window, it has room for all
     * slots, otherwise for one block.
     */
    private long mastersBytes(Team team, long bytes) {
        for (int flow = 0; flow < flows(team.nodes()); flow++) {
            if (team.exceedsPair(messageBytes(team, sender(team, flow), flow, bytes))) {
                return slotsBytes(team, team.node(), team.nodes(), bytes);
            }
        }
        return bytes;
    }

    private long messageBytes(Team team, int sender, int flow, long bytes) {
        return slotsBytes(team, sender, slots(flow, team.nodes()), bytes);
    }

    private void openInflows(Team team, Area window, long bytes) {
        int nodes = team.nodes();
        for (int flow = 0; flow < flows(nodes); flow++) {
            int from = sender(team, flow);
            long message = messageBytes(team, from, flow, bytes);
            team.inflow(team.pair(from)).openPieces(from, pieceBytes(team, bytes, message), message, window,
                    slotsBytes(team, team.node(), firstSlot(flow, nodes), bytes));
        }
    }

    private Outflow openOutflow(Team team, int flow, long bytes) {
        int to = Math.floorMod(team.node() + distance(flow, team.nodes()), team.nodes());
        long message = messageBytes(team, team.node(), flow, bytes);
        Outflow out = team.outflow(team.pair(to));
        out.openPieces(to, pieceBytes(team, bytes, message), message);
        return out;
    }

    private void send(Team team, Outflow out, int slot, long bytes, long shown) {
        int ranks = team.ranksOn(ownerOf(team, slot));
        for (int localRank = 0; localRank < ranks; localRank++) {
            out.add(block(team, slot, localRank, bytes, shown), 0, bytes);
        }
        out.skipTo(slotsBytes(team, team.node(), slot + 1, bytes));
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
        int from = sender(team, flow);
        long at = slotsBytes(team, from, slot - firstSlot(flow, nodes), bytes) + localRank * bytes;
        return team.inflow(team.pair(from)).awaitBytes(at, bytes);
    }
}
