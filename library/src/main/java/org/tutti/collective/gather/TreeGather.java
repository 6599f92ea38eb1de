/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.gather;

import java.util.stream.IntStream;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.SubtreeAlgorithm;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.flow.RendezvousSchedule;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.NomialTree;

/**
 * A gather over a tree of nodes, with the root's node at the top. Each node sends its parent the blocks of its subtree,
 * which consists of consecutive nodes, as one message. A master, the first rank of its node, sends the blocks of its
 * own node from the ranks' windows, memory that the ranks show to their node. It sends the other blocks from the memory
 * in which they have arrived. The root copies all blocks from such memory. Ranks that are neither the root nor a
 * master copy their block to their window and go on. There is one step in a node, and ⌈log n⌉ between n nodes. With p
 * ranks on a node and b bytes a rank, b·p·(n − 1) bytes come to the root's node.
 *
 * <p><b>Why nothing is overwritten.</b> Each piece of a message has a place, memory at the receiver, of its own, so no
 * sender waits for credits. The places are in the eager buffer of the pair or in the receiving master's window, and the
 * blocks are in the order of the nodes from the receiver on. They belong to the operation until all ranks of the node
 * have left it.
 *
 * <p><b>Why it ends.</b> Children are invited in {@linkplain RendezvousSchedule turn}, those with the smallest subtrees
 * first, because a master takes their pieces in this order. A master waits for its children, and then for an invitation
 * from its parent. The parent may wait for earlier children first. Therefore every wait is for nodes deeper in the same
 * subtree, or for nodes of other subtrees.
 */
public final class TreeGather extends SubtreeAlgorithm implements Ported {
    private static final TreeGather ONE_PORT = new TreeGather(Shape.BINOMIAL);

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param shape the tree of nodes
     */
    public TreeGather(Shape shape) {
        super(Collective.GATHER, shape, "p·b of a subtree at its master, b at others");
    }

    @Override
    public Algorithm withPorts(int count) {
        return tree instanceof NomialTree ? new TreeGather(Shape.nomial(count)) : this;
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (ports > 1 && invitesAny(shape)) {
            return Ported.used(this, ports, ONE_PORT, shape.nodes());
        }
        int same = NomialTree.portsOf(tree, shape.nodes(), invitesAny(shape) ? 1 : PORTS_MAX);
        return same == 0 ? this : same == 1 ? ONE_PORT : new TreeGather(Shape.nomial(same));
    }

    /** Returns whether any node is invited by its parent, so that the number of ports matters. */
    private boolean invitesAny(CallShape shape) {
        int longest = IntStream.range(1, shape.nodes()).map(position -> tree.end(position, shape.nodes()) - position)
                .max().orElse(0);
        return shape.exceedsPair(longest * shape.ranksMax() * shape.bytes());
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return (long) ranks + localRanks;
    }

    @Override
    public void run(Team team, Call call) {
        int top = team.nodeOf(call.root());
        int position = position(team, top);
        boolean isRoot = team.rank() == call.root();
        long bytes = call.bytes();
        long shown = mastersBytes(team, top, position, bytes);
        if (team.isMaster()) {
            Area own = team.show(shown);
            team.copy(call.source(), 0, own, 0, bytes);
            openInflows(team, top, position, own, bytes);
            team.post(Team.READY, SHOWN);
        } else {
            team.copy(call.source(), 0, team.show(bytes), 0, bytes);
            team.post(Team.READY, SHOWN);
            if (isRoot) {
                Area window = null;
                if (shown > bytes) {
                    team.await(Team.MASTER, Team.READY, SHOWN);
                    window = team.shown(Team.MASTER, shown);
                }
                openInflows(team, top, position, window, bytes);
            }
        }
        if (isRoot) {
            for (int each = 0; each < team.nodes(); each++) {
                copyOut(team, call, top, each, shown);
            }
        } else if (team.isMaster() && position > 0) {
            send(team, top, position, bytes, shown);
        }
        for (int index = 0; team.isMaster() && index < tree.children(position, team.nodes()); index++) {
            inflow(team, top, tree.child(position, index, team.nodes())).awaitAll(); // they come to this process
        }
    }

    private static Inflow inflow(Team team, int top, int child) {
        return team.inflow(team.pair(nodeAt(team, top, child)));
    }

    /**
     * Returns the length of a master's window in bytes. If a child is invited to the window, it has room for all blocks
     * of the master's subtree, otherwise for one block.
     */
    private long mastersBytes(Team team, int top, int position, long bytes) {
        int children = tree.children(position, team.nodes());
        for (int index = 0; index < children; index++) {
            if (team.exceedsPair(subtreeBytes(team, top, tree.child(position, index, team.nodes()), bytes))) {
                return subtreeBytes(team, top, position, bytes);
            }
        }
        return bytes;
    }

    private void openInflows(Team team, int top, int position, Area window, long bytes) {
        team.rendezvousSchedule().begin(ports);
        for (int index = 0; index < tree.children(position, team.nodes()); index++) {
            int child = tree.child(position, index, team.nodes());
            long length = subtreeBytes(team, top, child, bytes);
            team.rendezvousSchedule().openMessage(nodeAt(team, top, child), bytes,
                    length, window, blockBytes(team, top, position, child, bytes));
        }
    }

    /** Waits until a block of this node's subtree is shown or has arrived, and returns the area that holds it. */
    private Area block(Team team, int top, int position, int of, int localRank, long bytes, long shown) {
        if (of == position) {
            if (localRank != team.localRank()) {
                team.await(localRank, Team.READY, SHOWN);
            }
            return team.shown(localRank, localRank == Team.MASTER ? shown : bytes);
        }
        int index = 0;
        while (tree.end(tree.child(position, index, team.nodes()), team.nodes()) <= of) {
            index++;
        }
        int child = tree.child(position, index, team.nodes());
        return inflow(team, top, child).awaitBytes(blockBytes(team, top, child, of, bytes) + localRank * bytes, bytes);
    }

    private void send(Team team, int top, int position, long bytes, long shown) {
        int parent = nodeAt(team, top, tree.parent(position, team.nodes()));
        long length = subtreeBytes(team, top, position, bytes);
        Outflow out = team.outflow(team.pair(parent));
        out.openMessage(parent, bytes, length);
        for (int of = position; of < tree.end(position, team.nodes()); of++) {
            for (int localRank = 0; localRank < team.ranksOn(nodeAt(team, top, of)); localRank++) {
                out.add(block(team, top, position, of, localRank, bytes, shown), 0, bytes);
            }
        }
    }

    private void copyOut(Team team, Call call, int top, int of, long shown) {
        int node = nodeAt(team, top, of);
        for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
            int rank = team.rankAt(node, localRank);
            if (rank != team.rank()) {
                team.copy(block(team, top, 0, of, localRank, call.bytes(), shown), 0, call.target(), call.block(rank),
                        call.bytes());
            } else if (!call.isInPlace()) {
                team.copy(call.source(), 0, call.target(), call.block(rank), call.bytes());
            }
        }
    }
}
