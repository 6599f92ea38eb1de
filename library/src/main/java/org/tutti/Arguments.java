/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * Checks the arguments of the calls of communicators and of parts of remote memory, whether blocking, non-blocking or
 * prepared.
 */
final class Arguments {
    private static final Thread ANOTHER = Thread.ofVirtual().unstarted(() -> {
    });

    private Arguments() {}

    static void checkLengths(int source, int target) {
        if (source != target) {
            throw new IllegalArgumentException("the target must be as long as the source of " + source
                    + " elements, but has " + target);
        }
    }

    static void checkFits(Span source, Span target) {
        if (source.type() != target.type() || source.count() != target.count()) {
            throw new IllegalArgumentException("the target must have the source's type and count, " + source.count()
                    + " " + source.type() + ", but has " + target.count() + " " + target.type());
        }
        checkUsable(target.segment(), "target");
        checkWritable(target.segment());
        long distance = Math.abs(target.segment().address() - source.segment().address());
        long bytes = source.segment().byteSize();
        // segments of different arrays may also have close addresses, so asOverlappingSlice decides
        if (distance != 0 && distance < bytes && source.segment().asOverlappingSlice(target.segment()).isPresent()) {
            throw new IllegalArgumentException("source and target overlap in " + (bytes - distance) + " of " + bytes
                    + " bytes; they must be the same memory or apart");
        }
    }

    /** Checks a side with a block for each rank against the other side, which has one block. */
    static void checkBlocks(Span block, Span blocks, int size, String name) {
        if (block.type() != blocks.type() || block.count() * size != blocks.count()) {
            throw new IllegalArgumentException("the " + name + " must have a block of " + block.count() + " "
                    + block.type() + " for each of " + size + " ranks, but has " + blocks.count() + " "
                    + blocks.type());
        }
        checkUsable(block.segment(), "a block");
        checkUsable(blocks.segment(), name);
        if (block.segment().asOverlappingSlice(blocks.segment()).isPresent()) {
            throw new IllegalArgumentException("source and target overlap; they must be apart, or the call be made in "
                    + "place, with one of them");
        }
    }

    static void checkBlockLengths(int block, int blocks, int size, String name) {
        if ((long) block * size != blocks) {
            throw new IllegalArgumentException("the " + name + " must have a block of " + block
                    + " elements for each of " + size + " ranks, but has " + blocks);
        }
    }

    static void checkTypes(Span source, Span target) {
        if (source.type() != target.type()) {
            throw new IllegalArgumentException("source and target must have the same type, but have " + source.type()
                    + " and " + target.type());
        }
    }

    static void checkApart(MemorySegment source, MemorySegment target) {
        if (source.asOverlappingSlice(target).isPresent()) {
            throw new IllegalArgumentException("source and target overlap; where blocks differ in length, they must be "
                    + "apart as a whole, or the call one that is in place");
        }
    }

    /** Checks blocks against the memory that they lie in. */
    static void checkRoom(Blocks blocks, int size, long length, String name) {
        if (blocks == null) {
            throw new NullPointerException("the blocks of the " + name + ", which this rank needs");
        }
        blocks.check(size, length, name);
    }

    /** Checks blocks that a call writes to. */
    static void checkReceived(Blocks blocks, int size, long length) {
        checkRoom(blocks, size, length, "target");
        blocks.checkApart("target");
    }

    /** Checks that a rank's block for itself has the same number of elements on both sides. */
    static void checkOwn(Blocks blocks, int rank, long own) {
        if (blocks.count(rank) != own) {
            throw new IllegalArgumentException("this rank, " + rank + ", has a block of " + blocks.count(rank)
                    + " elements on one side and of " + own + " on the other");
        }
    }

    /** Returns the number of elements of each block if elements are divided into a block for each rank. */
    static long blockCount(long count, int size) {
        if (count % size != 0) {
            throw new IllegalArgumentException(count + " elements are no whole blocks for " + size + " ranks");
        }
        return count / size;
    }

    /**
     * Returns the number of elements that a call in place, with one array as source and target, passes to the
     * collective. It is the length of the array. If the array has a block for each rank, it is the length of one block.
     */
    static long countInPlace(Collective collective, long length, int rank, int root, int size) {
        return collective.sourceHasBlocks(rank, root) || collective.targetHasBlocks(rank, root)
                ? blockCount(length, size)
                : length;
    }

    static void checkUsable(MemorySegment segment, String name) {
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException(name + " lies in an arena that has been closed: " + segment);
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalArgumentException(name + " lies in memory that belongs to another thread: " + segment);
        }
    }

    /** Checks memory that a call writes to. */
    static void checkWritable(MemorySegment target) {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the target is read-only memory: " + target);
        }
    }

    /** Checks memory that a call also accesses on other threads. */
    static void checkShareable(MemorySegment segment, String name) {
        checkUsable(segment, name);
        if (!segment.isAccessibleBy(ANOTHER)) {
            throw new IllegalArgumentException(
                    name + " lies in memory that only this thread can use, and the call works "
                            + "on other ones, too; use Arena.ofShared or Arena.ofAuto: " + segment);
        }
    }
}
