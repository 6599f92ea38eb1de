/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import java.util.List;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.stage.NodeStage;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.BinaryTree;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.FibonacciTree;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.Tree;

/**
 * SRM's reduce, over trees. There is a tree in the shared memory of each node (SRM 2003, section 2.2, "Shared Memory
 * Reduce", and figure 2), and a tree of the nodes' masters (section 2.4, "Reduce"). A master is the rank of a node that
 * talks to other nodes. Together the trees form a tree of all ranks. The paper tried binomial, binary and Fibonacci
 * trees (section 2.1), and uses binomial trees. Only the leaves copy their elements. Every inner rank combines its own
 * elements with those of its children, which it reads in shared buffers or in the memory to which their nodes have put
 * them. The last combination, at the root, writes to the caller's memory. In the binomial tree of eight ranks on a node
 * there are four copies; with message passing there are seven.
 *
 * <p>Long messages are moved in chunks. In a node the chunks use two buffers of each rank in turn, and between nodes
 * they use the places of an {@link org.tutti.collective.flow.Inflow}. The levels of the tree and the network therefore
 * work on different chunks at the same time.
 *
 * <p>For commutative operators on one node, the top of the tree is the root. On several nodes the top is the master of
 * the root's node, which exchanges data with the other nodes, and the root copies the result from that master's
 * buffers. For non-commutative operators the top is rank 0, so that only runs of consecutive ranks are combined, and
 * the result is sent from there to the root. The ranks of each node must then be consecutive.
 *
 * <p>Portals' reduce is the reverse of its broadcast. Its masters form the tree of recursive halving.
 *
 * <p><b>Why nothing is overwritten.</b> A rank writes chunk k to a buffer after its parent in the node has posted DONE
 * of chunk k − 2, which was in the same buffer. A rank posts DONE of a chunk after it has combined its children's
 * elements. If the root copies the result from the master, the master waits for the root's DONE in the same way.
 *
 * <p><b>Why it ends.</b> A rank waits for chunk k of its children, and for its parent to finish chunk k − 2. In the
 * order of the chunks, and in each chunk from the leaves to the root, each wait is for something that happens earlier.
 */
public final class SrmReduce extends Reduce implements Chunked {
    /** The bytes of each of the two buffers of a rank; the paper leaves the size open. */
    private static final long BUFFER_BYTES = 64 << 10;

    /** The value of {@code chunkBetweenNodes} that stands for the length of a packet. */
    private static final long PACKET = 0;

    /** SRM's reduce, over binomial trees in the nodes and between them. */
    public static final SrmReduce BINOMIAL = new SrmReduce("srm", BinomialTree.INSTANCE, BinomialTree.INSTANCE,
            "⌊log₂ n⌋ + ⌊log₂ p⌋", "(⌈log₂ n⌉ + ⌈log₂ p⌉)", "⌈log₂ n⌉", "SRM 2003, sections 2.2 and 2.4");

    /** SRM's reduce, over binary trees in the nodes and between them. */
    public static final SrmReduce BINARY = new SrmReduce("srm-binary", BinaryTree.INSTANCE, BinaryTree.INSTANCE,
            "⌊log₂ n⌋ + ⌊log₂ p⌋", "4", "2", "SRM 2003, sections 2.1, 2.2 and 2.4");

    /** SRM's reduce, over Fibonacci trees in the nodes and between them. */
    public static final SrmReduce FIBONACCI =
            new SrmReduce("srm-fibonacci", FibonacciTree.INSTANCE, FibonacciTree.INSTANCE, "0.72·log₂(n·p)",
                    "1.44·log₂(n·p)", "1.44·log₂ n", "SRM 2003, sections 2.1, 2.2 and 2.4");

    /** Portals' reduce (Schutt and Brightwell 2007), which uses the tree of recursive halving between nodes. */
    public static final SrmReduce HALVING = new SrmReduce("halving", BinomialTree.INSTANCE, HalvingTree.INSTANCE,
            "⌊log₂ n⌋ + ⌊log₂ p⌋", "(⌈log₂ n⌉ + ⌈log₂ p⌉)", "⌈log₂ n⌉",
            "Portals collectives 2007; in nodes SRM 2003, section 2.2");

    private static final List<SrmReduce> FAMILY = List.of(BINOMIAL, BINARY, FIBONACCI, HALVING);

    private final Tree inNode;
    private final Tree betweenNodes;
    private final NodeTree tree;
    private final long bufferBytes;
    private final long chunkBetweenNodes;

    private SrmReduce(String name, Tree inNode, Tree betweenNodes, String height, String degree, String nodeDegree,
            String paper) {
        this(new Description(name, Order.BLOCKS, height + " + c", degree + "·b at the root", nodeDegree + "·b",
                "2 × 64 KiB, 64 KiB an edge; n > 1, > 64 KiB: 2 × 60 KiB, the inbox", paper), inNode, betweenNodes,
                BUFFER_BYTES, PACKET);
    }

    private SrmReduce(Description description, Tree inNode, Tree betweenNodes, long bufferBytes,
            long chunkBetweenNodes) {
        super(description);
        this.inNode = inNode;
        this.betweenNodes = betweenNodes;
        this.tree = new NodeTree(betweenNodes);
        this.bufferBytes = bufferBytes;
        this.chunkBetweenNodes = chunkBetweenNodes;
    }

    @Override
    public SrmReduce withChunk(long bytes) {
        return new SrmReduce(description().withChunk(bytes), inNode, betweenNodes, bytes, bytes);
    }

    /** {@inheritDoc} This is the first variant of SRM's reduce with the same trees and chunks. */
    @Override
    protected Algorithm runsAs(CallShape shape) {
        SrmReduce first = FAMILY.stream().filter(each -> isLike(each, shape)).findFirst().orElseThrow();
        long chunk = chunkBytes(shape);
        return first.chunkBytes(shape) == chunk ? first : first.withChunk(chunk);
    }

    private long chunkBytes(CallShape shape) {
        boolean isTop = shape.operatorCommutes() || shape.topology().nodeOf(shape.root()) == 0;
        boolean inbox = isTop && Flow.shares(shape.bytes(), betweenNodes.children(0, shape.nodes())) > 0;
        return Math.min(bufferBytes(shape.nodes(), inbox, Machine.PACKET_BYTES),
                shape.windowBytesMax() / Chunk.HALVES);
    }

    /** Returns whether another variant has the same trees in the nodes and between them. */
    private boolean isLike(SrmReduce other, CallShape shape) {
        return betweenNodes.isLike(other.betweenNodes, shape.nodes()) && shape.areLikeInNodes(inNode, other.inNode);
    }

    /** {@return the tree of the ranks of a node} */
    public Tree inNode() {
        return inNode;
    }

    /** {@return the tree of the nodes} */
    public Tree betweenNodes() {
        return betweenNodes;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        // an edge for each child, and the edge over which the result may come to the root
        return windows(localRanks, bytes, Chunk.HALVES * bufferBytes(nodes, true, Machine.PACKET_BYTES))
                + Inflow.memoryBytes(nodes, betweenNodes.children(0, nodes) + 1, bytes);
    }

    @Override
    protected boolean usesEagerBuffers(Team team, Call call) {
        return super.usesEagerBuffers(team, call) && shares(team, call, tree) == 0;
    }

    @Override
    public void run(Team team, Call call) {
        Kernel kernel = call.kernel();
        long bytes = call.bytes();
        int root = call.root();
        int topNode = top(team, call);
        int top = kernel.isCommutative() && team.nodes() == 1 ? team.localRankHere(root) : Team.MASTER;
        int shares = shares(team, call, tree);
        long buffer =
                kernel.wholeUnits(
                        Math.min(bufferBytes(team.nodes(), shares > 0, team.packetBytes()),
                                team.windowBytesMax() / Chunk.HALVES));
        Chunk chunk = team.chunks(bytes, buffer, Chunk.HALVES);
        boolean isTop = team.localRank() == top;
        boolean writesToTarget = isTop && team.rank() == root && team.node() == topNode;
        Area buffers = writesToTarget ? null : team.show(chunk.window());
        if (team.nodes() > 1 && team.isMaster()) {
            tree.openUpwards(team, kernel, topNode, shares, chunk.count(), chunk.longest());
        }
        openDelivery(team, root, topNode, buffer, chunk.count());
        while (chunk.next()) {
            long from = chunk.from();
            long length = chunk.length();
            long offset = chunk.offset();
            if (isTop) {
                combineAtTop(team, call, chunk, top, topNode, writesToTarget ? call.target() : buffers,
                        writesToTarget ? from : offset);
            } else {
                combineBelow(team, call, chunk, top, buffers);
            }
            if (team.nodeOf(root) != topNode) {
                deliver(team, call, topNode, buffers, offset, from, length);
            } else if (team.rank() == root && !isTop) {
                team.await(top, Team.READY, chunk.number());
                team.copy(team.shown(top, chunk.window()), offset, call.target(), from, length);
            }
            team.post(Team.DONE, chunk.number());
        }
    }

    /**
     * Returns the length of the chunks in which a message is moved.
     *
     * @param nodes the number of nodes
     * @param inbox true if the message is so long that it goes to the inbox, the memory to which a master invites
     *            senders
     * @param packetBytes the length of a packet in bytes
     * @return the length of a chunk in bytes
     */
    public long bufferBytes(int nodes, boolean inbox, long packetBytes) {
        long between = chunkBetweenNodes == PACKET ? packetBytes : chunkBetweenNodes;
        return nodes == 1 ? bufferBytes : inbox ? between : Math.min(Flow.PIECE_BYTES, between);
    }

    /**
     * Combines the elements of this rank's subtree in the node, and shows the result to the rank's parent. All ranks of
     * the node except the top of its tree call this method.
     */
    private void combineBelow(Team team, Call call, Chunk chunk, int top, Area buffers) {
        team.await(inNode.parent(team.localRank(), top, team.localSize()), Team.DONE, chunk.number() - Chunk.HALVES);
        NodeStage.contribute(team, call, inNode, top, chunk, chunk.number(), buffers);
    }

    /**
     * Combines the elements of this node and of the nodes below it in the tree, and sends the result to the node above.
     * Only the rank at the top of the node's tree calls this method.
     */
    private void combineAtTop(Team team, Call call, Chunk chunk, int top, int topNode, Area into, long at) {
        Area source = call.source();
        long from = chunk.from();
        long length = chunk.length();
        int root = call.root();
        boolean above = team.node() == topNode;
        if (above && team.rank() != root && team.nodeOf(root) == team.node()) {
            team.await(team.localRankHere(root), Team.DONE, chunk.number() - Chunk.HALVES);
        }
        Area accumulated = NodeStage.combineChildren(team, call, inNode, top, chunk, chunk.number(), into, at);
        accumulated =
                tree.combine(team, call.kernel(), topNode, accumulated, accumulated == source ? from : at, into, at,
                        length);
        if (!above) {
            team.outflow(NodeTree.PARENT).sendAll(accumulated, accumulated == source ? from : at, length);
        } else if (team.rank() != root) {
            if (accumulated == source) {
                team.copy(source, from, into, at, length);
            }
            team.post(Team.READY, chunk.number());
        }
    }
}
