/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.window.ZeroCopyLoans;
import org.tutti.pattern.BinomialTree;

/**
 * A broadcast in which the root does not wait for other ranks. The root copies the message to its slot, the part of the
 * communicator's shared memory that belongs to one operation, and goes on. A message that is too long for the slot is
 * copied to a window, memory that the root shows to its node. No rank replies. A root that broadcasts repeatedly can be
 * ahead of the other ranks by as many operations as there are slots, or as its ring of windows can hold.
 *
 * <p>Long messages go through up to {@value #PARTS} parts of the window in turn, so that the root copies in while the
 * other ranks copy out. The root fills a part again when all other ranks have copied it out. Each byte moves between
 * cores once for each reader.
 *
 * <p><b>Lent memory.</b> If the ranks are threads of one process, or the root's memory is shared, the root lends its
 * memory for messages of {@value #LENT_BYTES_MIN} bytes or more. The other ranks copy the message from there, so each
 * byte is copied once. A byte does not move between cores if the root has not rewritten it since the last broadcast and
 * the reader's cache still holds it. However, the root then waits until all ranks have read the message. A loan ends
 * when all other ranks have posted DONE; {@link ZeroCopyLoans} argues the memory ordering. On a node with levels,
 * messages always go through windows, from group to group.
 *
 * <p>Between nodes a message goes down a binomial tree of masters, the first ranks of the nodes. It goes through the
 * two halves of the eager buffer, memory for arriving data that the slot has for each edge of the tree. Messages of up
 * to 64 KiB need no credit, a permission to send more. For these messages no node waits for its children.
 */
public final class SlotRingBroadcast extends Broadcast implements Chunked {
    private static final int PARTS = 4;
    private static final long CHUNK_BYTES_SHORT = 16 << 10;
    private static final long CHUNK_BYTES_LONG = 128 << 10;
    private static final long LENT_BYTES_MIN = 16 << 10;

    private static final Description DESCRIPTION = new Description("slot-ring", Order.ALWAYS, "⌊log₂ n⌋ + c",
            "b, b twice at the root", "⌈log₂ n⌉·b", "min(b, 512 KiB) at the root, 64 KiB an edge",
            "Tutti; after SRM 2003");

    private static final SlotRingBroadcast DEFAULT_CHUNKS = new SlotRingBroadcast();

    private final TreePipeline pipeline = new TreePipeline(BinomialTree.INSTANCE);
    private final long chunkMin;
    private final long chunkMax;

    /** Creates the algorithm. Its chunks are a quarter of the message, but at least 16 KiB and at most 128 KiB. */
    public SlotRingBroadcast() {
        this(DESCRIPTION, CHUNK_BYTES_SHORT, CHUNK_BYTES_LONG);
    }

    private SlotRingBroadcast(Description description, long chunkMin, long chunkMax) {
        super(description);
        this.chunkMin = chunkMin;
        this.chunkMax = chunkMax;
    }

    /**
     * {@inheritDoc}
     *
     * <p>A message in lent memory has no chunks.
     */
    @Override
    public SlotRingBroadcast withChunk(long bytes) {
        return new SlotRingBroadcast(DESCRIPTION.withChunk(bytes), bytes, bytes);
    }

    /** {@inheritDoc} Between nodes this is the algorithm without a length in its name, if chunks cannot be longer. */
    @Override
    protected Algorithm runsAs(CallShape shape) {
        boolean isChunkGiven = chunkMin == chunkMax;
        if (!isChunkGiven) {
            return this;
        }
        if (shape.isOnOneNode()) {
            long longest = shape.windowBytesMax() / PARTS;
            return chunkMax > longest ? withChunk(longest) : this;
        }
        return chunkMax >= Math.min(Flow.PIECE_BYTES, shape.windowBytesMax() / Flow.PLACES) ? DEFAULT_CHUNKS : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return windows(leaders(localRanks), bytes, nodes == 1 ? PARTS * chunkMax : RingLayout.EAGER_BUFFER_BYTES)
                + eagerBuffers(nodes, 1, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        if (team.nodes() == 1) {
            pipeline.inNode(team, call,
                    chunk(bytes, Math.min(chunkMax, team.windowBytesMax() / PARTS)), PARTS,
                    bytes >= LENT_BYTES_MIN && team.levels() == 0);
        } else {
            pipeline.throughEagerBuffers(team, call,
                    Math.min(Math.min(Flow.PIECE_BYTES, chunkMax), team.windowBytesMax() / Flow.PLACES), Flow.PLACES,
                    Integer.MAX_VALUE);
        }
    }

    /**
     * Returns whether the root of a broadcast on one node copies its message whole, and does not lend it. Then all
     * broadcasts in which all ranks read from the root take the same steps.
     */
    static boolean isCopiedWhole(CallShape shape) {
        return shape.isOnOneNode() && !shape.topology().hasLevels() && shape.bytes() < LENT_BYTES_MIN;
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
        return nodes == 1 ? chunk(bytes, chunkMax) : Math.min(Flow.PIECE_BYTES, chunkMax);
    }

    private long chunk(long bytes, long most) {
        return Math.clamp(-Math.floorDiv(-bytes, PARTS), Math.min(chunkMin, most), most);
    }
}
