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
import org.tutti.pattern.Tree;

/**
 * How chunks go from the root's node down a tree of nodes, and in each node through shared memory: the movement that
 * several broadcasts have in common. The masters send; a master passes a chunk on before its own node takes it. The
 * master of the root's node sends from the root's shared memory, or from its own if it is the root.
 *
 * <p><b>Eager buffers</b> ({@link #throughEagerBuffers}; SRM 2003, section 2.4, figure 4 on the left). The eager buffer
 * of a node's edge to its parent is cut into parts. It is shared memory: all ranks of the node copy a chunk from there,
 * and the master gives it back when all have read it ({@link Inflow#release}). Across operations the eager buffers are
 * apart, as slots are.
 *
 * <p><b>Straight</b> ({@link #straight}; figure 4 on the right). Each master invites its parent to where the message
 * shall be: the user's memory if that can be addressed, else a window of some parts, which its ranks read. The user's
 * memory has a place for each chunk, so none is given back; the parts are. Both kinds are one to the parent.
 *
 * <p><b>In a node</b> whoever has the data in memory of its own shows them, chunk after chunk, through the parts of a
 * window, and fills a part again when its readers have said DONE. Those are all others; but on a node with levels the
 * leaders of the groups ({@link LevelTree}), who show the chunk to their groups in windows of their own, so that it
 * crosses between groups once. Or it lends the memory to ranks of its process, and waits at the end until all have
 * read.
 */
final class TreePipeline {
    /** How many of them a window holds on several nodes at most: what is under way should not wait for a credit. */
    private static final int PARTS_MAX = 8;

    private static final int FIRST = 1;
    private static final LevelTree FLAT = new LevelTree();

    private final NodeTree tree;

    /**
     * @param shape the tree of the nodes
     */
    TreePipeline(Tree shape) {
        this.tree = new NodeTree(shape);
    }

    /**
     * Copies the root's bytes to every rank, by way of eager buffers.
     *
     * @param team the ranks
     * @param call what is called
     * @param chunk the length of a chunk, at most windowBytesMax / parts and, with several nodes, {@link
     *            org.tutti.collective.layout.RingLayout#EAGER_BUFFER_BYTES} / parts
     * @param parts how many chunks may be under way on an edge and in a node
     * @param windowsMax how many windows the root may have in use at once
     */
    void throughEagerBuffers(Team team, Call call, long chunk, int parts, int windowsMax) {
        int top = team.nodeOf(call.root());
        Chunk chunks = team.chunks(call.bytes(), chunk, parts);
        if (team.nodes() > 1) {
            tree.openDownwards(team, top, chunk, parts, chunks.count());
        }
        if (team.rank() == call.root()) {
            send(team, call, chunks, windowsMax, false, false);
        } else if (team.node() == top) {
            receive(team, call, chunks, team.localRankHere(call.root()), top, false, false);
        } else {
            takeIn(team, call, chunks, top);
        }
    }

    /**
     * Copies the root's bytes to every other rank of its node, the only one.
     *
     * @param team the ranks
     * @param call what is called
     * @param chunk the length of a chunk, at most windowBytesMax / parts
     * @param parts how many chunks may be under way
     * @param lends whether the root lends its memory if it can; not on a node with levels
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
     * Copies the root's bytes to every rank, straight to where they belong or can be read.
     *
     * @param team the ranks
     * @param call what is called
     * @param most the length of a chunk, or less if windows are shorter
     */
    void straight(Team team, Call call, long most) {
        long chunk = Math.min(most, team.windowBytesMax() / Chunk.HALVES);
        int parts = team.nodes() == 1 ? Chunk.HALVES : (int) Math.min(PARTS_MAX, team.windowBytesMax() / chunk);
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
                show(team, readers(team, straight), data, window, chunk);
            }
        }
        if (lent) {
            team.awaitOthers(Team.DONE, chunk.count());
            team.loans().takeBack();
        }
    }

    /** Copies a chunk into a window, when the part has been read. */
    private static void show(Team team, LevelTree readers, Area data, Area window, Chunk chunk) {
        awaitReaders(team, readers, team.localRank(), chunk.number() - chunk.places());
        team.copy(data, chunk.from(), window, chunk.offset(), chunk.length());
        team.post(Team.READY, chunk.number());
    }

    /** Who reads from whom: data that go straight everybody takes from where they are. */
    private static LevelTree readers(Team team, boolean straight) {
        return straight ? FLAT : team.levelTree();
    }

    private static void awaitReaders(Team team, LevelTree readers, int root, int step) {
        if (step > 0) {
            int rank = team.localRank();
            int children = readers.children(rank, root, team.localSize());
            for (int index = 0; index < children; index++) {
                team.await(readers.child(rank, index, root, team.localSize()), Team.DONE, step);
            }
        }
    }

    /** Copies from what another rank of the node shows or lends; the master of the root's node sends it, too. */
    private void receive(Team team, Call call, Chunk chunk, int root, int top, boolean straight, boolean lends) {
        Area data = call.target();
        int chunks = chunk.count();
        int parts = chunk.places();
        LevelTree readers = readers(team, straight);
        int from = readers.parent(team.localRank(), root);
        boolean shows = readers.children(team.localRank(), root, team.localSize()) > 0;
        Area window = shows ? team.show(chunk.window()) : null;
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
                awaitReaders(team, readers, root, step - parts);
                team.copy(source, offset, window, offset, length);
                team.post(Team.READY, step);
                source = window;
            }
            team.copy(source, offset, data, at, length);
            if (lent == null && Flow.isAwaited(step, parts, chunks)) {
                team.post(Team.DONE, step);
            }
        }
        if (lent != null) {
            team.loans().confirm();
            team.post(Team.DONE, chunks);
        }
    }

    // ---- other nodes, by eager buffers

    private void takeIn(Team team, Call call, Chunk chunk, int top) {
        Area data = call.target();
        Inflow in = team.inflow(NodeTree.PARENT);
        while (chunk.next()) {
            Area arrived = in.await();
            if (team.isMaster()) {
                tree.passOn(team, top, arrived, 0, chunk.length());
            }
            team.copy(arrived, 0, data, chunk.from(), chunk.length());
            in.release();
        }
    }

    // ---- other nodes, straight

    /** The chunks arrive where they belong, or in a window, which all ranks of the node read. */
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
        in.readByAll();
        while (chunk.next()) {
            Area arrived = in.await();
            tree.passOn(team, top, arrived, 0, chunk.length());
            if (!belongs) {
                team.post(Team.READY, chunk.number());
                team.copy(arrived, 0, data, chunk.from(), chunk.length());
                in.release();
            } else if (window != null) {
                show(team, FLAT, data, window, chunk);
            }
        }
    }

    // ---- memory

    /**
     * {@return the longest window of what goes straight}
     *
     * @param nodes how many nodes there are
     * @param chunk the length of a chunk
     */
    static long windowBytes(int nodes, long chunk) {
        return (nodes == 1 ? Chunk.HALVES : PARTS_MAX) * chunk;
    }
}
