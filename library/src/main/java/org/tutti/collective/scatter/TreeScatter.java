/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scatter;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.SubtreeAlgorithm;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;
import org.tutti.pattern.NomialTree;

/**
 * A scatter over a tree of nodes, with the root's node at the top. It is the reverse of {@code TreeGather}. Each node
 * sends every child the blocks of the child's subtree, as one message. The child with the deepest subtree
 * comes first. The root's node sends them from the root's source or window, and other nodes from the memory in which
 * they have arrived. Each rank copies its block from the same memory. There is one step in a node, and ⌈log n⌉ between
 * n nodes. With p ranks on a node and b bytes a block, b·p·(n − 1) bytes leave the root's node.
 *
 * <p><b>Why nothing is overwritten, and why it ends.</b> Each piece of a message has a place, memory at the receiver,
 * of its own, so no sender waits for credits. The places are in the eager buffer of the pair or in the window of the
 * receiving master, the node's first rank, in the order of the nodes from the receiver on. They belong to the operation
 * until all ranks of the node have left it. A master invites its parent before it waits. It waits only for its parent's
 * pieces and for its children's invitations, which a child sends before it waits.
 */
public final class TreeScatter extends SubtreeAlgorithm implements Ported {
    private static final TreeScatter ONE_PORT = new TreeScatter(Shape.BINOMIAL);
    private static final DirectScatter DIRECT = new DirectScatter();

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param shape the tree of nodes
     */
    public TreeScatter(Shape shape) {
        super(Collective.SCATTER, shape, "p·n·b at the root, p·b of a subtree at its master");
    }

    @Override
    public Algorithm withPorts(int count) {
        return tree instanceof NomialTree ? new TreeScatter(Shape.nomial(count)) : this;
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (shape.isOnOneNode() && !ZeroCopyLoans.areBlocksLong(shape.blockBytes())) {
            return DIRECT;
        }
        boolean sendsFromWindow = shape.topology().localRankOf(shape.root()) != Team.MASTER;
        if (shape.nodes() == 2 && sendsFromWindow) { // nor does the root copy its own block later
            return DIRECT;
        }
        int same = NomialTree.portsOf(tree, shape.nodes(), PORTS_MAX);
        return same == 0 ? this : same == 1 ? ONE_PORT : new TreeScatter(Shape.nomial(same));
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ranks;
    }

    @Override
    public void run(Team team, Call call) {
        int top = team.nodeOf(call.root());
        if (team.rank() == call.root()) {
            scatter(team, call, top);
        } else if (team.node() == top) {
            takeHere(team, call, top);
        } else {
            receive(team, call, top);
        }
    }

    /**
     * Returns whether the root also shows the blocks for other nodes in its window. It does so if it is not the master
     * of its node, because the master sends these blocks.
     */
    private static boolean showsAll(Team team, int root) {
        return team.nodes() > 1 && team.localRankOf(root) != Team.MASTER;
    }

    private static long shownBytes(Team team, int root, long bytes) {
        return (showsAll(team, root) ? (long) team.size() : team.localSize()) * bytes;
    }

    private void scatter(Team team, Call call, int top) {
        long bytes = call.bytes();
        if (team.localSize() > 1) {
            Area window = team.show(shownBytes(team, call.root(), bytes));
            for (int position = 0; position < (showsAll(team, call.root()) ? team.nodes() : 1); position++) {
                int node = nodeAt(team, top, position);
                for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
                    if (node != top || localRank != team.localRank()) {
                        team.copy(call.source(), call.block(team.rankAt(node, localRank)), window,
                                blockBytes(team, top, 0, position, bytes) + localRank * bytes, bytes);
                    }
                }
            }
            team.post(Team.READY, SHOWN);
        }
        if (team.isMaster()) {
            sendToChildren(team, call, top, null, null);
        }
        if (!call.isInPlace()) {
            team.copy(call.source(), call.block(team.rank()), call.target(), 0, bytes);
        }
    }

    /**
     * Sends each child in the tree the blocks of the child's subtree. If {@code in} is not null, they are sent from the
     * memory in which they have arrived. Otherwise they are sent from the root's window, or from the root's source if
     * {@code window} is null, too.
     */
    private void sendToChildren(Team team, Call call, int top, Area window, Inflow in) {
        int own = position(team, top);
        for (int index = tree.children(own, team.nodes()) - 1; index >= 0; index--) {
            int child = tree.child(own, index, team.nodes());
            int to = nodeAt(team, top, child);
            Outflow out = team.outflow(team.pair(to));
            long bytes = call.bytes();
            long length = subtreeBytes(team, top, child, bytes);
            out.openMessage(to, bytes, length);
            for (int position = child; position < tree.end(child, team.nodes()); position++) {
                int node = nodeAt(team, top, position);
                for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
                    long at = blockBytes(team, top, own, position, bytes) + localRank * bytes;
                    if (in != null) {
                        out.add(in.awaitBytes(at, bytes), 0, bytes);
                    } else if (window != null) {
                        out.add(window, at, bytes);
                    } else {
                        out.add(call.source(), call.block(team.rankAt(node, localRank)), bytes);
                    }
                }
            }
        }
    }

    private void takeHere(Team team, Call call, int top) {
        long bytes = call.bytes();
        int root = team.localRankOf(call.root());
        team.await(root, Team.READY, SHOWN);
        Area window = team.shown(root, shownBytes(team, call.root(), bytes));
        if (team.isMaster()) {
            sendToChildren(team, call, top, window, null);
        }
        team.copy(window, team.localRank() * bytes, call.target(), 0, bytes);
    }

    private void receive(Team team, Call call, int top) {
        long bytes = call.bytes();
        int own = position(team, top);
        long length = subtreeBytes(team, top, own, bytes);
        boolean isInvited = team.exceedsPair(length);
        Area window = null;
        if (isInvited && team.isMaster()) {
            window = team.show(length);
        } else if (isInvited) {
            team.await(Team.MASTER, Team.READY, SHOWN);
            window = team.shown(Team.MASTER, length);
        }
        int parent = nodeAt(team, top, tree.parent(own, team.nodes()));
        Inflow in = team.inflow(team.pair(parent));
        in.openMessage(parent, bytes, length, window, 0);
        if (isInvited && team.isMaster()) {
            team.post(Team.READY, SHOWN);
        }
        if (team.isMaster()) {
            sendToChildren(team, call, top, null, in);
        }
        team.copy(in.awaitBytes(team.localRank() * bytes, bytes), 0, call.target(), 0, bytes);
        if (team.isMaster()) {
            in.awaitAll();
        }
    }
}
