/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import java.util.List;
import java.util.stream.IntStream;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.pattern.BinaryTree;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.FibonacciTree;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.RootedTree;
import org.tutti.pattern.StarTree;
import org.tutti.pattern.Tree;

/**
 * SRM's broadcast. In a node it uses two shared buffers, A and B (SRM 2003, section 2.2, "Shared Memory Broadcast", and
 * figure 3). The root copies a chunk to a buffer and sets READY. The other ranks copy the chunk out of the buffer, all
 * at the same time, and clear the flag. Meanwhile the root fills the other buffer. A message of one chunk uses one
 * buffer, and consecutive messages alternate between the buffers.
 *
 * <p>Between nodes it uses a tree of masters with the root's node at the top, and a protocol that depends on the size
 * (section 2.4, "Broadcast", and figure 4):
 * <ol>
 * <li>Up to 8 KiB, a message is one put for each edge, into an eager buffer. The child passes the message on, and then
 * the ranks of its node copy it from the buffer.
 * <li>Above 8 KiB and below 32 KiB, chunks of 4 KiB go through two halves of the eager buffer in turn. A zero-byte put
 * tells the sender that a half is free.
 * <li>From 32 KiB to 64 KiB, a message is one put, because the two halves together have 64 KiB.
 * <li>Above 64 KiB, every child sends its parent the address of the user's buffer, and the parent puts there directly.
 * In the nodes the message goes through buffers as the chunks arrive, eight of a packet each or two of 240 KiB. The
 * paper has two. Memory of a confined arena is not open to the threads that write arriving bytes. If the user's buffer
 * is such memory, the child sends the address of its own buffers instead, and its node copies from these.
 * </ol>
 *
 * <p>Tutti uses one READY word of the root instead of the paper's READY flags. Instead of clearing a flag, a rank posts
 * DONE, and only if another rank waits for DONE. The paper has two eager buffers for all operations. Here each
 * operation in flight has its own, so small messages need no credit. If a node has so many ranks that their windows are
 * shorter than 64 KiB, the third protocol sends longer messages in halves of the window. {@link TreePipeline} argues
 * why no buffer is overwritten before it has been read.
 *
 * <p>The paper tried binomial, binary and Fibonacci trees between nodes (section 2.1) and found binomial trees the
 * fastest. It also tried these trees in the nodes (section 2.2), and found the two buffers that all ranks read faster.
 * {@link #BINOMIAL} is the broadcast that it prefers. {@link #BINOMIAL_IN_NODES}, {@link #BINARY} and {@link
 * #FIBONACCI} use one kind of tree between nodes and in each node. In a node, each rank with children has two buffers
 * of its own, to which it copies chunks from its parent's buffers. These trees ignore levels of groups.
 *
 * <p>Portals halves the nodes recursively. Its two protocols correspond to SRM's: eager, if the receiver has a place
 * that is reserved for the message, and rendezvous, in which the receiver sends the address for the message.
 */
public final class SrmBroadcast extends Broadcast implements Chunked {
    /** The bytes of each of the two buffers in a node; the paper leaves the size open. */
    private static final long BUFFER_BYTES = 64 << 10;

    private static final long SMALL_BYTES_MAX = 8 << 10;
    private static final long WHOLE_BYTES_MIN = 32 << 10;
    private static final long WHOLE_BYTES_MAX = 64 << 10;
    private static final long CHUNK_BYTES = 4 << 10;

    /** The value of {@code straightBytes} that stands for the length of a packet. */
    private static final long PACKET = 0;

    /** SRM's broadcast over a binomial tree of nodes. In a node all ranks read the same two buffers. */
    public static final SrmBroadcast BINOMIAL =
            flatInNodes("srm", BinomialTree.INSTANCE, "SRM 2003, sections 2.1, 2.2 and 2.4");

    /** SRM's broadcast over binomial trees between nodes and in each node. */
    public static final SrmBroadcast BINOMIAL_IN_NODES =
            new SrmBroadcast("srm-binomial", BinomialTree.INSTANCE, "⌊log₂ n⌋ + ⌊log₂ p⌋", "⌈log₂ n⌉");

    /** SRM's broadcast over binary trees between nodes and in each node. */
    public static final SrmBroadcast BINARY =
            new SrmBroadcast("srm-binary", BinaryTree.INSTANCE, "⌊log₂ n⌋ + ⌊log₂ p⌋", "2");

    /** SRM's broadcast over Fibonacci trees between nodes and in each node. */
    public static final SrmBroadcast FIBONACCI =
            new SrmBroadcast("srm-fibonacci", FibonacciTree.INSTANCE, "0.72·log₂(n·p)", "1.44·log₂ n");

    /**
     * Portals' broadcast (Schutt and Brightwell 2007), over the tree of recursive halving between nodes. In a node all
     * ranks read the same two buffers.
     */
    public static final SrmBroadcast HALVING = flatInNodes("halving", HalvingTree.INSTANCE,
            "Portals collectives 2007; SRM 2003, section 2.4");

    private static final List<SrmBroadcast> FAMILY = List.of(BINOMIAL, BINOMIAL_IN_NODES, BINARY, FIBONACCI, HALVING);
    private static final SlotRingBroadcast SLOT_RING = new SlotRingBroadcast();

    private final Tree betweenNodes;
    private final Tree inNode; // null if all ranks of a node read the same buffers
    private final TreePipeline pipeline;
    private final long bufferBytes;
    private final long straightBytes;

    private SrmBroadcast(String name, Tree tree, String height, String degree) {
        this(new Description(name, Order.ALWAYS, height + " + c, above 64 KiB 1 more", "2·b", degree + "·b",
                "2 × 64 KiB at each inner rank, 64 KiB an edge; n > 1, > 64 KiB: 2 × 60 KiB",
                "SRM 2003, sections 2.1, 2.2 and 2.4"), tree, tree, BUFFER_BYTES, PACKET);
    }

    private static SrmBroadcast flatInNodes(String name, Tree tree, String paper) {
        return new SrmBroadcast(new Description(name, Order.ALWAYS, "⌊log₂ n⌋ + c, above 64 KiB 1 more",
                "b, b twice at the root", "⌈log₂ n⌉·b",
                "2 × 64 KiB at the root, 64 KiB an edge; n > 1, > 64 KiB: 8 × 60 KiB", paper), tree, null, BUFFER_BYTES,
                PACKET);
    }

    private SrmBroadcast(Description description, Tree betweenNodes, Tree inNode, long bufferBytes,
            long straightBytes) {
        super(description);
        this.betweenNodes = betweenNodes;
        this.inNode = inNode;
        this.pipeline = new TreePipeline(betweenNodes, inNode);
        this.bufferBytes = bufferBytes;
        this.straightBytes = straightBytes;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Between nodes the length applies only to messages above 64 KiB. Shorter messages are sent as before.
     */
    @Override
    public SrmBroadcast withChunk(long bytes) {
        return new SrmBroadcast(description().withChunk(bytes), betweenNodes, inNode, bytes, bytes);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        if (isStraight(nodes, bytes)) {
            long chunk = straightBytes(Machine.PACKET_BYTES);
            return inNode == null ? windows(1, bytes, TreePipeline.windowBytes(nodes, chunk))
                    : windows(localRanks, bytes, Chunk.HALVES * chunk);
        }
        int ranks = inNode == null ? leaders(localRanks) : localRanks;
        return nodes == 1 ? windows(ranks, bytes, Chunk.HALVES * bufferBytes)
                : windows(ranks, bytes, WHOLE_BYTES_MAX) + eagerBuffers(nodes, 1, bytes);
    }

    @Override
    protected boolean usesEagerBuffers(Team team, Call call) {
        return super.usesEagerBuffers(team, call) && !isStraight(team.nodes(), call.bytes());
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        long half = team.windowBytesMax() / Chunk.HALVES;
        if (team.nodes() == 1) {
            pipeline.throughEagerBuffers(team, call, Math.min(bufferBytes, half), Chunk.HALVES, Chunk.HALVES);
        } else if (isStraight(team.nodes(), bytes)) {
            pipeline.straight(team, call, straightBytes(team.packetBytes()));
        } else if (bytes >= WHOLE_BYTES_MIN && bytes <= team.windowBytesMax()) {
            pipeline.throughEagerBuffers(team, call, chunk(bytes), 1, Chunk.HALVES);
        } else {
            pipeline.throughEagerBuffers(team, call,
                    Math.min(chunk(bytes), Math.min(half, RingLayout.EAGER_BUFFER_BYTES / Chunk.HALVES)), Chunk.HALVES,
                    Chunk.HALVES);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>This is the first variant of SRM's broadcast with the same trees and chunks. A message that needs no window is
     * moved as by {@link SlotRingBroadcast}.
     */
    @Override
    protected Algorithm runsAs(CallShape shape) {
        long chunk = usedChunkBytes(shape);
        SrmBroadcast first =
                FAMILY.stream().filter(each -> isLike(each, shape, chunk)).findFirst().orElseThrow();
        if (first.usedChunkBytes(shape) != chunk) {
            return first.withChunk(chunk);
        }
        return first == BINOMIAL && needsNoWindow(shape) ? SLOT_RING : first;
    }

    private long usedChunkBytes(CallShape shape) {
        return Math.min(chunkBytes(shape.nodes(), shape.bytes()), shape.windowBytesMax() / Chunk.HALVES);
    }

    private static boolean needsNoWindow(CallShape shape) {
        return shape.bytes() <= RingLayout.PAYLOAD_BYTES
                || !shape.isOnOneNode() && shape.ranksMax() == 1 && shape.bytes() <= SMALL_BYTES_MAX;
    }

    /**
     * Returns whether another variant has the same trees. The order in which a rank waits for its readers only matters
     * if it waits for them. Messages that are sent straight have more buffers if all ranks of a node read the same
     * ones. A rank that is alone on its node receives them in its target.
     */
    private boolean isLike(SrmBroadcast other, CallShape shape, long chunk) {
        boolean waits = shape.bytes() > Chunk.HALVES * chunk;
        boolean differsInBuffers =
                isStraight(shape.nodes(), shape.bytes()) && shape.ranksMax() > 1
                        && (inNode == null) != (other.inNode == null);
        return !differsInBuffers && betweenNodes.isLike(other.betweenNodes, shape.nodes())
                && IntStream.range(0, shape.nodes()).allMatch(node -> {
                    int root = node == shape.topology().nodeOf(shape.root())
                            ? shape.topology().localRankOf(shape.root()) : Team.MASTER;
                    int ranks = shape.topology().ranksOn(node);
                    RootedTree own = readers(shape, node);
                    RootedTree others = other.readers(shape, node);
                    return waits ? own.isLike(others, root, ranks) : own.hasParentsOf(others, root, ranks);
                });
    }

    /** Returns the tree that tells which ranks of a node read the buffers of which other rank. */
    private RootedTree readers(CallShape shape, int node) {
        boolean followsLevels = inNode == null && node == shape.topology().nodeOf(shape.root());
        return followsLevels ? shape.levelTree(node) : inNode();
    }

    /**
     * {@return the tree of nodes}
     */
    public Tree betweenNodes() {
        return betweenNodes;
    }

    /**
     * {@return the tree of the ranks of a node; a star if all of them read the same buffers}
     */
    public Tree inNode() {
        return inNode == null ? StarTree.INSTANCE : inNode;
    }

    /**
     * Returns whether a message is sent straight to the memory in which ranks need it or can read it. Shorter messages
     * go through eager buffers, memory that a node reserves for arriving data.
     *
     * @param nodes the number of nodes
     * @param bytes the length of the message in bytes
     * @return true if the message is sent without eager buffers
     */
    public static boolean isStraight(int nodes, long bytes) {
        return nodes > 1 && bytes > WHOLE_BYTES_MAX;
    }

    /**
     * Returns the length of the chunks into which a message is cut. The result assumes windows of full length. If a
     * node has very many ranks, its windows are shorter, and chunks may be shorter, too.
     *
     * @param nodes the number of nodes
     * @param bytes the length of the message in bytes
     * @return the length of a chunk in bytes
     */
    public long chunkBytes(int nodes, long bytes) {
        if (nodes == 1) {
            return bufferBytes;
        }
        return isStraight(nodes, bytes) ? straightBytes(Machine.PACKET_BYTES) : chunk(bytes);
    }

    private long straightBytes(long packetBytes) {
        return straightBytes == PACKET ? packetBytes : straightBytes;
    }

    private static long chunk(long bytes) {
        if (bytes <= SMALL_BYTES_MAX) {
            return SMALL_BYTES_MAX;
        }
        return bytes < WHOLE_BYTES_MIN ? CHUNK_BYTES : WHOLE_BYTES_MAX;
    }
}
