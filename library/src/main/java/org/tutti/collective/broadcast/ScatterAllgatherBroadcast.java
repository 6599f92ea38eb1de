/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * A broadcast that consists of a scatter and an allgather (Barnett, Shuler, van de Geijn and others 1994). The message
 * is divided into one part for each of the n nodes. The parts are scattered from the root's node over a binomial tree,
 * so that each node has its own part. Then the parts are sent around a ring of nodes until every node has all parts. A
 * round takes ⌈log₂ n⌉ + n − 1 steps. For a message of b bytes, the busiest node sends 2·b·(n − 1)/n bytes, which is
 * less than twice the message for any number of nodes.
 *
 * <pre>
 *  4 nodes, the root's first:   0          1          2          3
 *    scatter 0 → 2              0 1 2 3               . . 2 3
 *    scatter 0 → 1, 2 → 3       0 1 2 3    . 1 . .    . . 2 3    . . . 3
 *    ring, parts 0, 1, 2 to     -          0 →        1 →        2 →
 *    the next; and so on        0 1 2 3    0 1 2 3    0 1 2 3    0 1 2 3
 * </pre>
 *
 * <p>A node that passes parts on in the scatter already has them, so they are not sent to it over the ring. If the node
 * at position q has span(q) positions in its subtree, it receives n − span(q) parts over the ring: q − 1, q − 2, …, in
 * this order.
 *
 * <p><b>Why nothing is overwritten.</b> Long messages are sent in rounds. The rounds use the two halves of a window of
 * each master, the first rank of its node, in turn. A master invites its parent in the tree and its left neighbour in
 * the ring to its window. In a round the flow from the parent carries one piece, and the flow from the left neighbour
 * carries one piece that arrives in several parts. The master releases the places of both pieces when all ranks of its
 * node have posted DONE. The ranks of a node copy from the master's window, or in the root's node from the root's
 * window.
 *
 * <p>The words of an operation count up to {@value Team#STEPS_MAX}. If a message needs more steps of the ring than
 * that, it is broadcast down the binomial tree instead, as in {@link SrmBroadcast}. In the ring its parts would have
 * only a few KiB, which is slow.
 */
public final class ScatterAllgatherBroadcast extends Broadcast {
    private static final int FIRST = 1;
    private static final long WINDOW_BYTES_MAX = 512 << 10;
    private static final long WINDOW_BYTES_MIN = 64;

    /**
     * The edge over which parts arrive from the left neighbour. It is the edge of the node's first child in the tree,
     * over which no data arrive.
     */
    private static final int RING = NodeTree.edge(0);

    /**
     * The edge over which the right neighbour's credits arrive. It is the edge of the node's parent in the tree, over
     * which no credits arrive.
     */
    private static final int RING_CREDITS = NodeTree.PARENT;

    private static final NodeTree TREE = new NodeTree(BinomialTree.INSTANCE);
    private static final TreePipeline PIPELINE = new TreePipeline(BinomialTree.INSTANCE);

    private static final ChengBroadcast CHENG = new ChengBroadcast(ChengMasters.FIXED);

    /** Creates the algorithm; one object serves all ranks. */
    public ScatterAllgatherBroadcast() {
        super(new Description("scatter-allgather", Order.ALWAYS, "(⌈log₂ n⌉ + n − 1)·c", "b, b twice at the root",
                "2·b·(n − 1)/n", "min(b, 512 KiB) at the root and at masters",
                "Barnett, Shuler, van de Geijn and others, Interprocessor Collective Communication Library (1994)"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        long half = half(shape.bytes(), shape.windowBytesMax());
        if (!suffices(Partition.chunks(shape.bytes(), half), shape.nodes())) {
            return SrmBroadcast.BINOMIAL;
        }
        boolean isCopiedWhole = shape.isOnOneNode() && shape.bytes() <= Math.min(Flow.PIECE_BYTES, half);
        return isCopiedWhole && shape.bytes() >= WINDOW_BYTES_MIN ? CHENG : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return windows(1, bytes, WINDOW_BYTES_MAX);
    }

    @Override
    protected boolean usesEagerBuffers(Team team, Call call) {
        return false;
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        long half = half(bytes, team.windowBytesMax());
        int rounds = Partition.chunks(bytes, half);
        int top = team.nodeOf(call.root());
        if (!suffices(rounds, team.nodes())) {
            PIPELINE.straight(team, call, team.packetBytes());
            return;
        }
        if (team.isMaster()) {
            openOutflows(team, top, half);
        }
        if (team.rank() == call.root()) {
            send(team, call.source(), bytes, half, rounds);
        } else if (team.node() != top && team.isMaster()) {
            passOn(team, call.target(), bytes, half, rounds, top);
        } else {
            receive(team, call.target(), bytes, half, rounds,
                    team.node() == top ? team.localRankHere(call.root()) : Team.MASTER, top);
        }
    }

    /**
     * Returns whether the words of an operation can count all steps in which the parts of a message are sent around the
     * ring of nodes. The words count up to {@link Team#STEPS_MAX}.
     *
     * @param rounds the number of rounds of the message
     * @param nodes the number of nodes
     * @return false if the message must be broadcast down the binomial tree instead
     */
    public static boolean suffices(int rounds, int nodes) {
        return (long) rounds * Math.max(1, nodes - 1) <= Team.STEPS_MAX;
    }

    /**
     * {@return the length in bytes of a round of a message, if windows have their full length}
     *
     * @param bytes the length of the message in bytes
     */
    public static long roundBytes(long bytes) {
        return half(bytes, WINDOW_BYTES_MAX);
    }

    /**
     * Returns the length of a round in bytes. It is at most half of the longest window. A short message has one round.
     */
    private static long half(long bytes, long windowBytesMax) {
        return Math.clamp(bytes, WINDOW_BYTES_MIN, windowBytesMax / Chunk.HALVES);
    }

    private static long window(long bytes, long half) {
        return bytes <= half ? half : Chunk.HALVES * half;
    }

    private static long place(int round, long half) {
        return (round - FIRST) % Chunk.HALVES * half;
    }

    private static void send(Team team, Area data, long bytes, long half, int rounds) {
        Area window = team.localSize() > 1 ? team.show(window(bytes, half)) : null;
        for (int round = FIRST; round <= rounds; round++) {
            long from = (round - FIRST) * half;
            long length = Math.min(half, bytes - from);
            if (team.isMaster()) {
                scatter(team, data, from, length, team.node());
                circulate(team, data, from, length, team.node());
            }
            if (window != null) {
                team.awaitOthers(Team.DONE, round - Chunk.HALVES);
                team.copy(data, from, window, place(round, half), length);
                team.post(Team.READY, round);
            }
        }
    }

    /**
     * Copies the message from the window of another rank of this node. The master of the root's node also sends it from
     * there.
     */
    private static void receive(Team team, Area data, long bytes, long half, int rounds, int from, int top) {
        for (int round = FIRST; round <= rounds; round++) {
            long at = (round - FIRST) * half;
            long length = Math.min(half, bytes - at);
            long place = place(round, half);
            team.await(from, Team.READY, round);
            Area window = team.shown(from, window(bytes, half));
            if (team.isMaster()) {
                scatter(team, window, place, length, top);
                circulate(team, window, place, length, top);
            }
            team.copy(window, place, data, at, length);
            if (round + Chunk.HALVES <= rounds) {
                team.post(Team.DONE, round);
            }
        }
    }

    private static void passOn(Team team, Area data, long bytes, long half, int rounds, int top) {
        long windowBytes = window(bytes, half);
        Area window = team.show(windowBytes);
        Inflow scattered = team.inflow(NodeTree.PARENT);
        Inflow circulated = team.inflow(RING);
        scattered.invite(TREE.parent(team, top), TREE.edgeAtParent(team, top), half, rounds, window, 0, windowBytes);
        scattered.readByAll();
        circulated.invite(Math.floorMod(team.node() - 1, team.nodes()), RING_CREDITS, half, rounds, window, 0,
                windowBytes);
        circulated.inParts(missing(team, position(team, top)));
        for (int round = FIRST; round <= rounds; round++) {
            long from = (round - FIRST) * half;
            long length = Math.min(half, bytes - from);
            long place = place(round, half);
            scattered.await();
            scatter(team, window, place, length, top);
            circulate(team, window, place, length, top);
            team.post(Team.READY, round);
            team.copy(window, place, data, from, length);
            scattered.release();
            circulated.release();
        }
    }

    /** Opens the flows to the children in the tree, and to the right neighbour in the ring. */
    private static void openOutflows(Team team, int top, long half) {
        TREE.openToChildren(team, top, half, Flow.INVITED);
        int next = position(team, top) + 1;
        if (next < team.nodes()) { // else the neighbour is the root's node
            team.outflow(RING_CREDITS).open((team.node() + 1) % team.nodes(), RING, half, Flow.INVITED);
            team.outflow(RING_CREDITS).inParts(missing(team, next));
        }
    }

    /** Sends each child in the tree the parts of its subtree. */
    private static void scatter(Team team, Area source, long sourceOffset, long length, int top) {
        for (int index = TREE.children(team, top) - 1; index >= 0; index--) { // the deepest subtree first
            int child = TREE.child(team, top, index);
            int position = Math.floorMod(child - top, team.nodes());
            int end = position + span(position, team.nodes());
            send(team.outflow(NodeTree.edge(index)), team, source, sourceOffset, length, position, end);
        }
    }

    /**
     * Receives from the left neighbour the parts that this node lacks, and sends to the right neighbour the parts that
     * the neighbour lacks. This node's own part is sent first, and the others follow in the order in which they arrive.
     */
    private static void circulate(Team team, Area source, long sourceOffset, long length, int top) {
        int nodes = team.nodes();
        int position = position(team, top);
        int missing = missing(team, position);
        int missingRight = position == nodes - 1 ? 0 : missing(team, position + 1);
        for (int step = 0; step < Math.max(missingRight, missing + 1); step++) {
            if (step > 0 && step <= missing) {
                team.inflow(RING).await();
            }
            if (step < missingRight) {
                int part = Math.floorMod(position - step, nodes);
                send(team.outflow(RING_CREDITS), team, source, sourceOffset, length, part, part + 1);
            }
        }
    }

    /** Sends the parts {@code first} to {@code end} − 1 of a round. */
    private static void send(Outflow out, Team team, Area source, long sourceOffset, long length, int first, int end) {
        long start = Partition.start(length, 1, team.nodes(), first);
        out.send(source, sourceOffset + start, start, Partition.start(length, 1, team.nodes(), end) - start);
    }

    private static int position(Team team, int top) {
        return Math.floorMod(team.node() - top, team.nodes());
    }

    /** Returns the number of parts that the node at a position receives over the ring. */
    private static int missing(Team team, int position) {
        return team.nodes() - span(position, team.nodes());
    }

    /** Returns the number of positions in the subtree of a position, including this position. */
    private static int span(int position, int nodes) {
        return position == 0 ? nodes : Math.min(Integer.lowestOneBit(position), nodes - position);
    }
}
