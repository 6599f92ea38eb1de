/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeTree;
import org.tutti.collective.window.ZeroCopyLoans;
import org.tutti.pattern.LevelTree;
import org.tutti.pattern.RootedTree;
import org.tutti.pattern.Tree;

/**
 * Moves the chunks of a message from the root to all ranks, for several broadcasts. Chunks go from the root's node down
 * a tree of nodes, and in each node through shared memory. Only masters, the first ranks of their nodes, send to other
 * nodes. A master passes a chunk on before the ranks of its own node copy it. The master of the root's node sends from
 * its own memory if it is the root, else from the root's window.
 *
 * <p><b>Eager buffers</b> ({@link #throughEagerBuffers}; SRM 2003, section 2.4, figure 4 on the left). A node has an
 * eager buffer, memory for the chunks that its parent sends. It is divided into parts, one for each chunk in transit.
 * It is shared memory, and all ranks of the node copy a chunk from there. The master releases the part once all ranks
 * have read it ({@link Inflow#release}). Each operation has eager buffers of its own, because it has a slot of its own.
 *
 * <p><b>Straight</b> ({@link #straight}; figure 4 on the right). Each master invites its parent to put chunks directly
 * into memory of the master. This is the user's memory if other processes can address it, or else a window of several
 * parts, from which the ranks of the node copy. The user's memory has a place for each chunk, so its places are not
 * reused. The parts of a window are reused in turn. The parent sends to both kinds of memory in the same way.
 *
 * <p><b>In a node</b> the rank that has the data in its own memory copies them, chunk after chunk, to the parts of a
 * window. It fills a part again when its readers have posted DONE. The readers are all other ranks of the node. On a
 * node with levels the readers are the leaders of the groups ({@link LevelTree}). They copy the chunk to windows of
 * their own for their groups, so that the chunk moves between groups only once. If a broadcast has a tree of the ranks
 * of a node (SRM 2003, section 2.2), the readers are the children in that tree. An inner rank copies a chunk to its own
 * window, and from there to its caller. Windows have two parts then. While the children copy a chunk from one part, the
 * inner rank and its parent work on the next chunks. The children of a master read arrived chunks where they lie,
 * without a copy by the master. Instead of using a window, the root can lend its memory. It then waits at the end until
 * all ranks have read the message.
 *
 * <p><b>Why nothing is overwritten.</b> A part of a window, or of an eager buffer, is written again only after all its
 * readers have posted DONE of the chunk in it. A rank posts DONE after its last read of that memory. An inner rank
 * reads its own part again after that, and only this rank writes the part.
 *
 * <p><b>Why it ends.</b> A rank waits for a chunk from its parent, or for its children to be done with an earlier
 * chunk. In the order of the chunks, each wait is for something that happens earlier.
 */
final class TreePipeline {
    /**
     * The greatest number of chunks that a window holds if there are several nodes. The window holds more than two
     * chunks, so that a master seldom waits for readers that run late.
     */
    private static final int PARTS_MAX = 8;

    private static final int FIRST = 1;
    private static final LevelTree FLAT = new LevelTree();

    private final NodeTree tree;
    private final Tree inNode; // null if the readers are all other ranks, or the leaders of groups

    /**
     * Creates an object that moves messages down a tree of nodes. In a node all other ranks read from one rank, or the
     * leaders of the groups do.
     *
     * @param shape the tree of nodes
     */
    TreePipeline(Tree shape) {
        this(shape, null);
    }

    /**
     * Creates an object that moves messages down a tree of nodes, and in each node down a tree of its ranks.
     *
     * @param shape the tree of nodes
     * @param inNode the tree of the ranks of a node; null if all other ranks of a node read from one rank, or the
     *            leaders of the groups do
     */
    TreePipeline(Tree shape, Tree inNode) {
        this.tree = new NodeTree(shape);
        this.inNode = inNode;
    }

    /**
     * Copies the root's bytes to every rank. On other nodes they arrive in eager buffers, memory that all ranks of the
     * node read.
     *
     * @param team the team of the calling rank
     * @param call the call
     * @param chunk the length of a chunk in bytes. It is at most the length of the longest window, divided by {@code
     *            parts}. If there are several nodes, it is also at most {@link
     *            org.tutti.collective.layout.RingLayout#EAGER_BUFFER_BYTES} divided by {@code parts}.
     * @param parts the greatest number of chunks in transit from one node to another, and in a node
     * @param windowsMax the greatest number of windows that the root may have in use at the same time
     */
    void throughEagerBuffers(Team team, Call call, long chunk, int parts, int windowsMax) {
        int top = team.nodeOf(call.root());
        Chunk chunks = team.chunks(call.bytes(), chunk, parts);
        if (team.nodes() > 1) {
            tree.openDownwards(team, top, chunk, parts, chunks.count());
            if (inNode != null && team.node() != top) {
                team.inflow(NodeTree.PARENT).readByChildren(inNode);
            }
        }
        if (team.rank() == call.root()) {
            send(team, call, chunks, windowsMax, false, false);
        } else if (team.node() == top) {
            receive(team, call, chunks, team.localRankHere(call.root()), top, false, false);
        } else if (readsArrived(team)) {
            takeIn(team, call, chunks, top);
        } else {
            receive(team, call, chunks, Team.MASTER, top, false, false);
        }
    }

    /**
     * Copies the root's bytes to every other rank, if all ranks are on one node. The bytes go through the root's
     * window, or are read from the root's memory if the root lends it.
     *
     * @param team the team of the calling rank
     * @param call the call
     * @param chunk the length of a chunk in bytes, at most the length of the longest window divided by {@code parts}
     * @param parts the greatest number of chunks in the window
     * @param lends true if the root lends its memory when it can; false on a node with levels of groups
     */
    void inNode(Team team, Call call, long chunk, int parts, boolean lends) {
        Chunk chunks = team.chunks(call.bytes(), chunk, parts);
        if (team.rank() == call.root()) {
            send(team, call, chunks, Integer.MAX_VALUE, false, lends);
        } else {
            receive(team, call, chunks, call.root(), team.node(), false, lends);
        }
    }

    /**
     * Copies the root's bytes to every rank. On each other node they arrive directly in the memory in which ranks need
     * them or can read them.
     *
     * @param team the team of the calling rank
     * @param call the call
     * @param most the greatest length of a chunk in bytes; chunks are shorter if windows are too short for this length
     */
    void straight(Team team, Call call, long most) {
        long chunk = Math.min(most, team.windowBytesMax() / Chunk.HALVES);
        int parts = team.nodes() == 1 || inNode != null ? Chunk.HALVES
                : (int) Math.min(PARTS_MAX, team.windowBytesMax() / chunk);
        int top = team.nodeOf(call.root());
        if (team.nodes() > 1 && team.isMaster()) {
            tree.openToChildren(team, top, chunk, Flow.INVITED);
        }
        Chunk chunks = team.chunks(call.bytes(), chunk, parts);
        if (team.rank() == call.root()) {
            send(team, call, chunks, Integer.MAX_VALUE, true, false);
        } else if (team.node() == top) {
            receive(team, call, chunks, team.localRankHere(call.root()), top, true, false);
        } else if (!team.isMaster()) {
            receive(team, call, chunks, Team.MASTER, top, true, false);
        } else {
            passOn(team, call, chunks, chunk, top);
        }
    }

    // ---- the root's node

    private void send(Team team, Call call, Chunk chunk, int windowsMax, boolean straight, boolean lends) {
        Area data = call.source();
        boolean forwards = team.isMaster() && team.nodes() > 1;
        boolean shows = team.localSize() > 1;
        boolean lent = shows && lends && team.loans().lend(call.bytes(), data);
        Area window = shows && !lent ? team.show(chunk.window(), windowsMax) : null;
        if (lent) {
            team.post(Team.READY, chunk.count());
        }
        while (chunk.next()) {
            if (forwards) {
                tree.passOn(team, team.node(), data, chunk.from(), chunk.length());
            }
            if (window != null) {
                show(team, readers(team, straight), team.localRank(), data, chunk.from(), window, chunk);
            }
        }
        if (lent) {
            team.awaitOthers(Team.DONE, chunk.count());
            team.loans().takeBack();
        }
    }

    /** Waits until the readers have read a part of a window, and copies a chunk to that part. */
    private static void show(Team team, RootedTree readers, int root, Area data, long from, Area window, Chunk chunk) {
        team.awaitChildren(readers, root, Team.DONE, chunk.number() - chunk.places());
        team.copy(data, from, window, chunk.offset(), chunk.length());
        team.post(Team.READY, chunk.number());
    }

    /**
     * Returns the tree that tells which ranks of a node read from which other rank. Unless a tree was chosen, it is
     * flat for messages that are sent straight to their memory, because all ranks read them from the same memory.
     */
    private RootedTree readers(Team team, boolean straight) {
        return inNode != null ? inNode : straight ? FLAT : team.levelTree();
    }

    private static boolean isLeaf(Team team, RootedTree readers, int root) {
        return readers.children(team.localRank(), root, team.localSize()) == 0;
    }

    /**
     * Copies the message from the window or lent memory of another rank of this node. The master of the root's node
     * also sends it from there.
     */
    private void receive(Team team, Call call, Chunk chunk, int root, int top, boolean straight, boolean lends) {
        Area data = call.target();
        int chunks = chunk.count();
        int parts = chunk.places();
        RootedTree readers = readers(team, straight);
        int from = readers.parent(team.localRank(), root, team.localSize());
        Area window = isLeaf(team, readers, root) ? null : team.show(chunk.window());
        boolean forwards = team.isMaster() && team.nodes() > 1;
        Area lent = null;
        while (chunk.next()) {
            int step = chunk.number();
            long at = chunk.from();
            long length = chunk.length();
            team.await(from, Team.READY, step);
            if (lends && step == FIRST && team.loans().isLending(from, call.bytes())) {
                lent = team.loans().lent(from, ZeroCopyLoans.SOURCE);
            }
            Area source = lent != null ? lent : team.shown(from, chunk.window());
            long offset = lent != null ? at : chunk.offset();
            if (forwards) {
                tree.passOn(team, top, source, offset, length);
            }
            if (window != null) {
                show(team, readers, root, source, offset, window, chunk);
            } else {
                team.copy(source, offset, data, at, length);
            }
            if (lent == null && Flow.isAwaited(step, parts, chunks)) {
                team.post(Team.DONE, step);
            }
            if (window != null) {
                team.copy(window, chunk.offset(), data, at, length);
            }
        }
        if (lent != null) {
            team.loans().confirm();
            team.post(Team.DONE, chunks);
        }
    }

    // ---- other nodes, by eager buffers

    /** Returns whether this rank reads arrived chunks itself: the master and its children do, or all ranks. */
    private boolean readsArrived(Team team) {
        return inNode == null || team.isMaster()
                || inNode.parent(team.localRank(), Team.MASTER, team.localSize()) == Team.MASTER;
    }

    private void takeIn(Team team, Call call, Chunk chunk, int top) {
        Area data = call.target();
        boolean shows = inNode != null && !team.isMaster() && !isLeaf(team, inNode, Team.MASTER);
        Area window = shows ? team.show(chunk.window()) : null;
        Inflow in = team.inflow(NodeTree.PARENT);
        while (chunk.next()) {
            Area arrived = in.await();
            if (team.isMaster()) {
                tree.passOn(team, top, arrived, 0, chunk.length());
            }
            if (window != null) {
                show(team, inNode, Team.MASTER, arrived, 0, window, chunk);
            } else {
                team.copy(arrived, 0, data, chunk.from(), chunk.length());
            }
            in.release();
            if (window != null) {
                team.copy(window, chunk.offset(), data, chunk.from(), chunk.length());
            }
        }
    }

    // ---- other nodes, straight

    /**
     * Receives the chunks in the caller's memory or in a window, passes them on to the children, and shows them to the
     * ranks of the node. Only masters call this method.
     */
    private void passOn(Team team, Call call, Chunk chunk, long longestPiece, int top) {
        Area data = call.target();
        long bytes = call.bytes();
        long windowBytes = chunk.window();
        boolean belongs = data.isAddressable();
        Area window = belongs && team.localSize() == 1 ? null : team.show(windowBytes);
        Inflow in = team.inflow(NodeTree.PARENT);
        in.invite(tree.parent(team, top), tree.edgeAtParent(team, top), longestPiece, chunk.count(),
                belongs ? data : window,
                0, belongs ? bytes : windowBytes);
        in.readByChildren(readers(team, true));
        while (chunk.next()) {
            Area arrived = in.await();
            tree.passOn(team, top, arrived, 0, chunk.length());
            if (!belongs) {
                team.post(Team.READY, chunk.number());
                team.copy(arrived, 0, data, chunk.from(), chunk.length());
                in.release();
            } else if (window != null) {
                show(team, readers(team, true), Team.MASTER, data, chunk.from(), window, chunk);
            }
        }
    }

    // ---- memory

    /**
     * {@return the greatest length in bytes of a window for messages that are sent straight to a node's memory}
     *
     * @param nodes the number of nodes
     * @param chunk the length of a chunk in bytes
     */
    static long windowBytes(int nodes, long chunk) {
        return (nodes == 1 ? Chunk.HALVES : PARTS_MAX) * chunk;
    }
}
