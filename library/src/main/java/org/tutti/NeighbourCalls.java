/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/**
 * Prepares the calls between a rank and its neighbours. The blocks are messages on a communicator of their own. Each
 * message has the tag of its edge. Messages of one rank with the same tag are matched in the order of sending, so the
 * messages of two calls, or of two edges with the same ranks and the same tag, do not mix.
 */
final class NeighbourCalls {
    /** The ends of a rank's edges in one direction, in the order of the blocks; a rank may be absent. */
    record Ends(int[] ranks, int[] tags) {
        int count() {
            return ranks.length;
        }
    }

    private final PreparedCommunicator messages;
    private final Ends sources;
    private final Ends targets;
    private final AtomicReference<@Nullable RuntimeException> breaker; // shared by all views

    NeighbourCalls(PreparedCommunicator messages, Ends sources, Ends targets) {
        this(messages, sources, targets, new AtomicReference<>());
    }

    private NeighbourCalls(PreparedCommunicator messages, Ends sources, Ends targets,
            AtomicReference<@Nullable RuntimeException> breaker) {
        this.messages = messages;
        this.sources = sources;
        this.targets = targets;
        this.breaker = breaker;
    }

    /** Returns the same calls by other messages, which have another deadline. */
    NeighbourCalls with(PreparedCommunicator otherMessages) {
        return new NeighbourCalls(otherMessages, sources, targets, breaker);
    }

    int[] sources() {
        return sources.ranks.clone();
    }

    int[] targets() {
        return targets.ranks.clone();
    }

    PreparedCall allgather(Span source, Span target) {
        long count = source.count();
        check(source, target);
        if (count * sources.count() != target.count()) {
            throw new IllegalArgumentException("the target must have a block of " + count + " elements from each of "
                    + sources.count() + " sources, but has " + target.count());
        }
        return prepare(_ -> source, block -> target.slice(block * count, count));
    }

    PreparedCall allgather(Span source, Span target, Blocks blocks) {
        check(source, target);
        checkBlocks(blocks, sources, target, "source", "target");
        blocks.checkApart("target");
        return prepare(_ -> source, block -> block(target, blocks, block));
    }

    PreparedCall allToAll(Span source, Span target) {
        check(source, target);
        long sent = blockCount(source, targets, "source", "target");
        long received = blockCount(target, sources, "target", "source");
        if (sent != received && sources.count() > 0 && targets.count() > 0) {
            throw new IllegalArgumentException("the source has blocks of " + sent + " elements for " + targets.count()
                    + " targets, but the target has blocks of " + received + " from " + sources.count()
                    + " sources; make them equal, or pass Blocks");
        }
        return prepare(block -> source.slice(block * sent, sent), block -> target.slice(block * received, received));
    }

    PreparedCall allToAll(Span source, Blocks sourceBlocks, Span target, Blocks targetBlocks) {
        check(source, target);
        checkBlocks(sourceBlocks, targets, source, "target", "source");
        checkBlocks(targetBlocks, sources, target, "source", "target");
        targetBlocks.checkApart("target");
        return prepare(block -> block(source, sourceBlocks, block), block -> block(target, targetBlocks, block));
    }

    private static void check(Span source, Span target) {
        Arguments.checkTypes(source, target);
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkShareable(target.segment(), "target");
        Arguments.checkWritable(target.segment());
        if (source.segment().asOverlappingSlice(target.segment()).isPresent()) {
            throw new IllegalArgumentException("source and target overlap in a call between neighbours; they must be "
                    + "apart");
        }
    }

    private static void checkBlocks(Blocks blocks, Ends ends, Span memory, String neighbour, String name) {
        if (blocks.ranks() != ends.count()) {
            throw new IllegalArgumentException("the " + name + " has " + blocks.ranks() + " blocks, but this rank has "
                    + ends.count() + " " + neighbour + "s; pass a block for each " + neighbour);
        }
        blocks.check(ends.count(), memory.count(), name);
    }

    private static long blockCount(Span memory, Ends ends, String name, String neighbour) {
        int blocks = ends.count();
        if (blocks == 0 ? memory.count() != 0 : memory.count() % blocks != 0) {
            throw new IllegalArgumentException(
                    "the " + name + " of " + memory.count() + " elements has no equal blocks "
                            + "for " + blocks + " " + neighbour + "s; make it a multiple of their number");
        }
        return blocks == 0 ? 0 : memory.count() / blocks;
    }

    private static Span block(Span memory, Blocks blocks, int block) {
        long count = blocks.count(block);
        return memory.slice(count == 0 ? 0 : blocks.displacement(block), count); // an empty block may lie anywhere
    }

    private PreparedCall prepare(IntFunction<Span> sourceBlock, IntFunction<Span> targetBlock) {
        List<NeighbourCall.Receive> receives = new ArrayList<>(sources.count());
        for (int block = 0; block < sources.count(); block++) {
            int rank = sources.ranks[block];
            if (rank != Neighbourhood.ABSENT) {
                Span target = targetBlock.apply(block);
                receives.add(new NeighbourCall.Receive(messages.receive(target, rank, sources.tags[block]), block,
                        target.count()));
            }
        }
        List<PreparedCall> sends = new ArrayList<>(targets.count());
        for (int block = 0; block < targets.count(); block++) {
            int rank = targets.ranks[block];
            if (rank != Neighbourhood.ABSENT) {
                sends.add(messages.send(sourceBlock.apply(block), rank, targets.tags[block]));
            }
        }
        return new NeighbourCall(this, messages.rank(), receives, sends);
    }

    void checkUsable() {
        RuntimeException reason = breaker.get();
        if (reason != null) {
            CommunicatorBrokenException broken = new CommunicatorBrokenException("the neighbourhood of rank "
                    + messages.rank() + " can no longer be used, because an earlier call on it has failed: "
                    + reason.getMessage() + "; close it, and create another one");
            broken.initCause(reason);
            throw broken;
        }
    }

    /** Refuses later calls, whose receives would get messages of the failed call, except if all its messages ended. */
    void breakOff(RuntimeException reason) {
        if (!(reason instanceof MessageMismatchException)) {
            breaker.compareAndSet(null, reason);
        }
    }
}
