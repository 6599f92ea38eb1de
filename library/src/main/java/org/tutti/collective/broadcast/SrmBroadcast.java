/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.pattern.BinaryTree;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.FibonacciTree;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.Tree;

/**
 * SRM's broadcast. In a node, two shared buffers, A and B (paper: section 2.2, "Shared Memory Broadcast", and figure
 * 3): the root copies a chunk into a buffer and sets READY; the others copy it out of the buffer, all at the same time,
 * and clear the flag. Meanwhile the root fills the other buffer. Messages of one chunk use one buffer, and consecutive
 * ones alternate.
 *
 * <p>Between nodes a tree of masters, rooted at the root's node, and a protocol by size (section 2.4, "Broadcast", and
 * figure 4):
 *
 * <ol>
 * <li>up to 8 KiB: one put per edge, into an eager buffer; the child passes the message on, and then its node copies it
 * from there;
 * <li>above 8 KiB and below 32 KiB: the same in chunks of 4 KiB, through two eager buffer buffers in turn, each given
 * back by a zero-byte put;
 * <li>from 32 KiB to 64 KiB: whole, in one put (the eager buffer of an edge has 64 KiB: its two buffers, as one);
 * <li>above 64 KiB: every child sends the address of its user's buffer to its parent, which puts there straight; in the
 * nodes, the message goes through the two buffers as the chunks arrive. A Java array cannot be addressed from
 * elsewhere: then the child sends the address of buffers of its own, from which its node copies: two in the paper,
 * eight here, or two of 240 KiB, so that nobody waits for a credit while the others are full.
 * </ol>
 *
 * <p>The paper's READY flags are one word of the root here, and "the flag is cleared" is a rank's DONE word, which is
 * said only when somebody waits for it. The paper has two eager buffer buffers for all operations; here each operation
 * in flight has its own, so small messages need no credit. Where a node is so wide that its ranks have windows of less
 * than 64 KiB, the third protocol goes in halves. {@link TreePipeline} argues why no buffer is overwritten before it
 * was read.
 *
 * <p>The paper tried binomial, binary and Fibonacci trees (section 2.1) and found the first the fastest. Portals halves
 * the nodes recursively, and has the same two protocols: an eager one, as long as the receiver has a place that is kept
 * for it, and a rendezvous, in which the receiver says where.
 */
public final class SrmBroadcast extends Broadcast implements Chunked {
    /** Each of the two buffers in a node; the paper leaves the size open. */
    private static final long BUFFER_BYTES = 64 << 10;

    private static final long SMALL_BYTES_MAX = 8 << 10;
    private static final long WHOLE_BYTES_MIN = 32 << 10;
    private static final long WHOLE_BYTES_MAX = 64 << 10;
    private static final long CHUNK_BYTES = 4 << 10;

    /** Chunks that go straight are as long as a packet. */
    private static final long PACKET = 0;

    /** Over binomial trees. */
    public static final SrmBroadcast BINOMIAL =
            new SrmBroadcast("srm", BinomialTree.INSTANCE, "⌊log₂ n⌋", "⌈log₂ n⌉");

    /** Over binary trees. */
    public static final SrmBroadcast BINARY = new SrmBroadcast("srm-binary", BinaryTree.INSTANCE, "⌊log₂ n⌋", "2");

    /** Over Fibonacci trees. */
    public static final SrmBroadcast FIBONACCI =
            new SrmBroadcast("srm-fibonacci", FibonacciTree.INSTANCE, "0.72·log₂ n", "1.44·log₂ n");

    /** Portals' broadcast (Schutt and Brightwell 2007): over the tree of recursive halving. */
    public static final SrmBroadcast HALVING = new SrmBroadcast("halving", HalvingTree.INSTANCE, "⌊log₂ n⌋",
            "⌈log₂ n⌉", "Portals collectives 2007; SRM 2003, section 2.4");

    private final Tree tree;
    private final TreePipeline pipeline;
    private final long bufferBytes;
    private final long straightBytes;

    private SrmBroadcast(String name, Tree tree, String height, String degree) {
        this(name, tree, height, degree, "SRM 2003, sections 2.1, 2.2 and 2.4");
    }

    private SrmBroadcast(String name, Tree tree, String height, String degree, String paper) {
        this(new Description(name, Order.ALWAYS, height + " + c, above 64 KiB 1 more", "b, b twice at the root",
                degree + "·b", "2 × 64 KiB at the root, 64 KiB an edge; n > 1, > 64 KiB: 8 × 60 KiB", paper), tree,
                BUFFER_BYTES, PACKET);
    }

    private SrmBroadcast(Description description, Tree tree, long bufferBytes, long straightBytes) {
        super(description);
        this.tree = tree;
        this.pipeline = new TreePipeline(tree);
        this.bufferBytes = bufferBytes;
        this.straightBytes = straightBytes;
    }

    /** Between nodes messages above 64 KiB have such chunks; the protocols of the others stay as they are. */
    @Override
    public SrmBroadcast withChunk(long bytes) {
        return new SrmBroadcast(description().withChunk(bytes), tree, bytes, bytes);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        if (isStraight(nodes, bytes)) {
            return windows(1, bytes, TreePipeline.windowBytes(nodes, straightBytes(Machine.PACKET_BYTES)));
        }
        return nodes == 1 ? windows(leaders(localRanks), bytes, Chunk.HALVES * bufferBytes)
                : windows(leaders(localRanks), bytes, WHOLE_BYTES_MAX) + eagerBuffers(nodes, 1, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        long half = team.windowBytesMax() / Chunk.HALVES;
        if (team.nodes() == 1) {
            pipeline.throughEagerBuffers(team, call, Math.min(bufferBytes, half), Chunk.HALVES, Chunk.HALVES);
        } else if (bytes > WHOLE_BYTES_MAX) {
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
     * {@return the tree of nodes}
     */
    public Tree tree() {
        return tree;
    }

    /**
     * Tells whether a message goes straight from node to node.
     *
     * @param nodes how many nodes there are
     * @param bytes the length of the message
     * @return whether it does
     */
    public static boolean isStraight(int nodes, long bytes) {
        return nodes > 1 && bytes > WHOLE_BYTES_MAX;
    }

    /**
     * Says how long chunks are, where windows have their whole length.
     *
     * @param nodes how many nodes there are
     * @param bytes the length of the message
     * @return the bytes of a chunk
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
