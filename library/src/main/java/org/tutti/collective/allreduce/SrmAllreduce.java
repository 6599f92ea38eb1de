/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import java.util.List;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeStage;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.BinaryTree;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.FibonacciTree;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.Tree;

/**
 * SRM's allreduce (SRM 2003, section 2.2, "Shared Memory Allreduce", and section 2.4, "Allreduce"). In each node the
 * ranks reduce their elements to the master, the node's first rank, over a binomial tree. Only leaves of the tree copy
 * their elements. Then the master broadcasts the result.
 *
 * <p>If the message has at most 16 KiB, the masters exchange their elements in pairs by recursive doubling ({@link
 * RecursiveDoublingAllreduce}), and every rank copies the result from its master's buffer.
 *
 * <p>The masters reduce longer messages over a binomial tree to rank 0's node, and broadcast the result down the same
 * tree. In rank 0's node every rank copies the result from rank 0's buffer. In other nodes it copies the result from
 * the memory in which the result has arrived. A message is moved in chunks. The chunks use two buffers of each rank in
 * turn, and two places in the eager buffer of each edge, the node's end of a link to another node. While chunk k is
 * combined, the result of chunk k − 1 is distributed. This is the four-stage pipeline of figure 5: reduce in the node,
 * reduce between nodes, broadcast between nodes, broadcast in the node. A rank posts DONE of chunk k when it has read
 * its children's contributions and the result.
 *
 * <p>{@link #BINARY} and {@link #FIBONACCI} use the other trees that the paper tried (section 2.1), in the nodes and
 * between them. They send messages of every length up and down the tree. In every variant the ranks of a node copy the
 * result from one buffer, because the paper found that faster than trees (section 2.2).
 *
 * <p>Portals' allreduce sends a message of any length up and down the tree of recursive halving. It sends the same
 * messages as Portals' reduce and Portals' broadcast together.
 */
public final class SrmAllreduce extends Allreduce implements Chunked {
    private static final long DOUBLING_BYTES_MAX = 16 << 10;
    private static final RecursiveDoublingAllreduce DOUBLING = new RecursiveDoublingAllreduce();
    private static final int TOP = 0;
    private static final long BUFFER_BYTES = 64 << 10;

    /** SRM's allreduce, which uses recursive doubling for short messages and a binomial tree for longer messages. */
    public static final SrmAllreduce BINOMIAL = new SrmAllreduce(
            new Description("srm", Order.BLOCKS, "⌊log₂ p⌋ + 1 + ⌈log₂ n⌉; > 16 KiB ⌊log₂ p⌋ + 2·⌊log₂ n⌋ + c",
                    "⌈log₂ p⌉·b at a master", "⌈log₂ n⌉·b; > 16 KiB 2·⌈log₂ n⌉·b at rank 0's node",
                    "2 × 64 KiB, 2 × 32 KiB an edge", "SRM 2003, sections 2.2 and 2.4"),
            BinomialTree.INSTANCE, BinomialTree.INSTANCE, DOUBLING_BYTES_MAX, BUFFER_BYTES);

    /** SRM's allreduce, which uses binary trees in the nodes and between them. */
    public static final SrmAllreduce BINARY = new SrmAllreduce(
            new Description("srm-binary", Order.BLOCKS, "⌊log₂ p⌋ + 2·⌊log₂ n⌋ + c", "2·b at a master",
                    "4·b at rank 0's node", "2 × 64 KiB, 2 × 32 KiB an edge", "SRM 2003, sections 2.1, 2.2 and 2.4"),
            BinaryTree.INSTANCE, BinaryTree.INSTANCE, 0, BUFFER_BYTES);

    /** SRM's allreduce, which uses Fibonacci trees in the nodes and between them. */
    public static final SrmAllreduce FIBONACCI = new SrmAllreduce(
            new Description("srm-fibonacci", Order.BLOCKS, "0.72·log₂ p + 1.44·log₂ n + c",
                    "1.44·log₂ p·b at a master", "2.88·log₂ n·b at rank 0's node", "2 × 64 KiB, 2 × 32 KiB an edge",
                    "SRM 2003, sections 2.1, 2.2 and 2.4"),
            FibonacciTree.INSTANCE, FibonacciTree.INSTANCE, 0, BUFFER_BYTES);

    /** Portals' allreduce (Schutt and Brightwell 2007), which uses the tree of recursive halving. */
    public static final SrmAllreduce HALVING = new SrmAllreduce(
            new Description("halving", Order.BLOCKS, "⌊log₂ p⌋ + 2·⌊log₂ n⌋ + c", "⌈log₂ p⌉·b at a master",
                    "2·⌈log₂ n⌉·b at rank 0's node", "2 × 64 KiB, 2 × 32 KiB an edge",
                    "Portals collectives 2007; in nodes SRM 2003, section 2.2"),
            BinomialTree.INSTANCE, HalvingTree.INSTANCE, 0, BUFFER_BYTES);

    private static final List<SrmAllreduce> FAMILY = List.of(BINOMIAL, BINARY, FIBONACCI, HALVING);

    private final Tree inNode;
    private final Tree betweenNodes;
    private final NodeTree tree;
    private final long doublingBytesMax;
    private final long bufferBytes;

    private SrmAllreduce(Description description, Tree inNode, Tree betweenNodes, long doublingBytesMax,
            long bufferBytes) {
        super(description);
        this.inNode = inNode;
        this.betweenNodes = betweenNodes;
        this.tree = new NodeTree(betweenNodes);
        this.doublingBytesMax = doublingBytesMax;
        this.bufferBytes = bufferBytes;
    }

    @Override
    public SrmAllreduce withChunk(long bytes) {
        return new SrmAllreduce(description().withChunk(bytes), inNode, betweenNodes, doublingBytesMax, bytes);
    }

    /** {@inheritDoc} This is the first variant of SRM's allreduce with the same trees and chunks. */
    @Override
    protected Algorithm runsAs(CallShape shape) {
        SrmAllreduce first = FAMILY.stream().filter(each -> isLike(each, shape)).findFirst().orElseThrow();
        long chunk = chunkBytes(shape);
        return first.chunkBytes(shape) == chunk ? first : first.withChunk(chunk);
    }

    private long chunkBytes(CallShape shape) {
        return Math.min(bufferBytes(shape.nodes()), shape.windowBytesMax() / Chunk.HALVES);
    }

    /** Returns whether another variant has the same trees in the nodes and between them. */
    private boolean isLike(SrmAllreduce other, CallShape shape) {
        return isDoubling(shape) == other.isDoubling(shape)
                && (isDoubling(shape) || betweenNodes.isLike(other.betweenNodes, shape.nodes()))
                && shape.areLikeInNodes(inNode, other.inNode);
    }

    /** Returns whether masters exchange the message by recursive doubling. */
    private boolean isDoubling(CallShape shape) {
        return !shape.isOnOneNode() && shape.bytes() <= doublingBytesMax;
    }

    /** {@return the tree of the ranks of a node} */
    public Tree inNode() {
        return inNode;
    }

    /** {@return the tree of the nodes for messages longer than {@link #doublingBytesMax}} */
    public Tree betweenNodes() {
        return betweenNodes;
    }

    /**
     * {@return the length of the longest message, in bytes, that masters exchange by recursive doubling}
     */
    public long doublingBytesMax() {
        return doublingBytesMax;
    }

    /**
     * Returns the length of the chunks into which messages longer than {@link #doublingBytesMax} are cut.
     *
     * @param nodes the number of nodes
     * @return the length of a chunk in bytes
     */
    public long bufferBytes(int nodes) {
        return nodes > 1 ? Math.min(Flow.PIECE_BYTES, bufferBytes) : bufferBytes;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        // an edge for each child and one for the parent, or an edge for each partner of the exchange
        long buffers = Chunk.HALVES * bufferBytes(nodes);
        return windows(localRanks, bytes, nodes == 1 ? buffers : Math.max(doublingBytesMax, buffers))
                + eagerBuffers(nodes, betweenNodes.children(0, nodes) + 1, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        if (team.nodes() > 1 && call.bytes() <= doublingBytesMax) {
            runShort(team, call);
        } else {
            runLong(team, call);
        }
        team.noteAllAreHere(); // the result has a contribution of every rank
    }

    private void runShort(Team team, Call call) {
        Area source = call.source();
        Area target = call.target();
        long bytes = call.bytes();
        Area shown = team.show(bytes);
        Chunk all = team.chunks(bytes, DOUBLING_BYTES_MAX, 1);
        all.next();
        if (team.isMaster()) {
            if (NodeStage.combineChildren(team, call, inNode, TOP, all, 1, shown, 0) == source) {
                team.copy(source, 0, shown, 0, bytes);
            }
            DOUBLING.open(team, call.kernel(), bytes, bytes, 1);
            DOUBLING.exchange(team, call.kernel(), shown, shown, 0, bytes);
            team.post(Team.READY, 1);
            team.copy(shown, 0, target, 0, bytes);
        } else {
            NodeStage.contribute(team, call, inNode, TOP, all, 1, shown);
            team.await(TOP, Team.READY, 1);
            team.copy(team.shown(TOP, bytes), 0, target, 0, bytes);
        }
    }

    private void runLong(Team team, Call call) {
        long bytes = call.bytes();
        long buffer =
                call.kernel().wholeUnits(Math.min(bufferBytes(team.nodes()), team.windowBytesMax() / Chunk.HALVES));
        Chunk chunk = team.chunks(bytes, buffer, Chunk.HALVES);
        int chunks = chunk.count();
        Area buffers = team.show(chunk.window());
        if (team.nodes() > 1) {
            if (team.isMaster()) {
                tree.openUpwards(team, call.kernel(), TOP, 0, chunks, chunk.longest());
            }
            tree.openDownwards(team, TOP, buffer, Chunk.HALVES, chunks);
        }
        for (int step = 1; step <= chunks + 1; step++) {
            if (step <= chunks) {
                chunk.moveTo(step);
                contribute(team, call, chunk, buffers);
            }
            if (step > 1) {
                chunk.moveTo(step - 1);
                receive(team, call, chunk, buffers);
            }
        }
    }

    private void contribute(Team team, Call call, Chunk chunk, Area buffers) {
        if (team.isMaster()) {
            contributeAtMaster(team, call, chunk, buffers);
        } else {
            team.await(inNode.parent(team.localRank(), TOP, team.localSize()), Team.DONE,
                    chunk.number() - Chunk.HALVES);
            NodeStage.contribute(team, call, inNode, TOP, chunk, chunk.number(), buffers);
        }
    }

    private void contributeAtMaster(Team team, Call call, Chunk chunk, Area buffers) {
        Area source = call.source();
        long from = chunk.from();
        long length = chunk.length();
        long offset = chunk.offset();
        team.awaitOthers(Team.DONE, chunk.number() - Chunk.HALVES);
        Area accumulated =
                NodeStage.combineChildren(team, call, inNode, TOP, chunk, chunk.number(), buffers, offset);
        accumulated = tree.combine(team, call.kernel(), TOP, accumulated, accumulated == source ? from : offset,
                buffers, offset, length);
        if (accumulated == source) {
            team.copy(source, from, buffers, offset, length);
        }
        if (team.node() != TOP) {
            team.outflow(NodeTree.PARENT).sendAll(buffers, offset, length);
        } else {
            team.post(Team.READY, chunk.number());
        }
    }

    private void receive(Team team, Call call, Chunk chunk, Area buffers) {
        Area target = call.target();
        if (team.node() != TOP) {
            receiveBelow(team, call, chunk);
        } else if (team.localRank() == TOP) {
            tree.passOn(team, TOP, buffers, chunk.offset(), chunk.length());
            team.copy(buffers, chunk.offset(), target, chunk.from(), chunk.length());
            team.post(Team.DONE, chunk.number());
        } else {
            team.await(TOP, Team.READY, chunk.number());
            team.copy(team.shown(TOP, chunk.window()), chunk.offset(), target, chunk.from(), chunk.length());
            team.post(Team.DONE, chunk.number());
        }
    }

    private void receiveBelow(Team team, Call call, Chunk chunk) {
        Inflow in = team.inflow(NodeTree.PARENT);
        Area arrived = in.await();
        if (team.isMaster()) {
            tree.passOn(team, TOP, arrived, 0, chunk.length());
        }
        team.copy(arrived, 0, call.target(), chunk.from(), chunk.length());
        team.post(Team.DONE, chunk.number());
        if (team.isMaster()) {
            in.release();
        }
    }
}
