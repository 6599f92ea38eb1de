/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.Label;
import org.tutti.collective.machine.Area;

/**
 * A call of a collective at one rank with all its arguments. It is used again and again, so that blocking calls
 * allocate nothing. A {@code Call} knows the algorithm, too; here is only its name.
 *
 * <p>A message that is longer than an operation can be is several operations, one after the other, with the same
 * algorithm. Their numbers are drawn together, on the caller's thread; then the areas and the length are those of the
 * one that is run.
 *
 * <p>One thread at a time uses it: the caller's, or that which runs what the caller has started; whoever hands it over
 * orders what was said and drawn before what the operations read.
 */
public class CallArguments {
    private static final int LENGTHS_SHOWN = 16;

    /** In terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE} for never. */
    long deadlineNanos;

    /** Null where there are no elements. */
    public DataType type;

    /** Of all operations together. */
    long count;

    /** Of everything that must be the same at all ranks. */
    public long hash;

    /** Where all ranks know the lengths of all blocks: how many elements these have together. */
    long blockElements;

    /** The same: the lowest rank whose block is the longest, and the elements of that block. */
    int longestBlock;
    long longestBlockElements;

    /** The number of the present operation, its first if it has several. */
    public long sequence;

    /** The fingerprint of the present operation and all before it. */
    public long history;

    private Blocks sourceBlocks;
    private Blocks targetBlocks;
    private boolean isUnequal;
    private long blocksFingerprint;
    private boolean sourceHasBlocks;
    private boolean targetHasBlocks;
    private final Area source = new Area();
    private final Area target = new Area();
    private Collective collective;
    private Label algorithm;
    private int root;
    private String called;
    private Kernel kernel;
    private long blockBytes;
    private long bytes;
    private long bytesLeft;
    private long moved;

    /**
     * Says what is called; a call of a collective with elements has them from {@link #setElements}.
     *
     * @param newCollective the collective
     * @param newAlgorithm the name of the algorithm
     * @param newRoot the root, or 0; of a barrier what else must be the same at all ranks
     * @param newDeadlineNanos when it must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            for never
     */
    protected final void set(Collective newCollective, Label newAlgorithm, int newRoot, long newDeadlineNanos) {
        collective = newCollective;
        algorithm = newAlgorithm;
        root = newRoot;
        called = newCollective.label();
        deadlineNanos = newDeadlineNanos;
    }

    /**
     * Takes the elements and blocks of another call, of which nothing has been drawn.
     *
     * @param other the other call
     */
    protected final void setElementsLike(CallArguments other) {
        source.set(other.source.segment(), other.source.start());
        target.set(other.target.segment(), other.target.start());
        type = other.type;
        count = other.count;
        kernel = other.kernel;
        blockBytes = other.blockBytes;
        moved = 0;
        sourceBlocks = other.sourceBlocks;
        targetBlocks = other.targetBlocks;
        isUnequal = other.isUnequal;
        blocksFingerprint = other.blocksFingerprint;
        blockElements = other.blockElements;
        longestBlock = other.longestBlock;
        longestBlockElements = other.longestBlockElements;
        sourceHasBlocks = other.sourceHasBlocks;
        targetHasBlocks = other.targetHasBlocks;
    }

    /**
     * {@return whether the caller's memory is still there}
     */
    public final boolean hasMemory() {
        return source.segment().scope().isAlive() && target.segment().scope().isAlive();
    }

    /**
     * Says what the caller has called, of which this is a part.
     *
     * @param newCalled for messages, such as "create"
     */
    public final void setCalled(String newCalled) {
        called = newCalled;
    }

    /**
     * Says what is moved or combined.
     *
     * @param newSource this rank's elements
     * @param newTarget where the result goes; the same as source where a root's elements go to all
     * @param newType the elements' type
     * @param newCount how many there are; where a side has a block of each rank, in a block
     * @param newKernel the operator for the type, or null
     */
    public final void setElements(MemorySegment newSource, MemorySegment newTarget, DataType newType, long newCount,
            Kernel newKernel) {
        source.set(newSource, 0);
        target.set(newTarget, 0);
        moved = 0;
        type = newType;
        count = newCount;
        kernel = newKernel;
        blockBytes = newCount * newType.bytes();
    }

    /**
     * Says of elements that were set where the blocks of all ranks are on a side that has them; and so where this
     * rank's block is, if it is in place among them.
     *
     * @param rank this rank
     * @param ofSource where those of the source lie; null if they are equally long, or it has none
     * @param ofTarget where those of the target lie; null if they are equally long, or it has none
     * @param unequal whether the ranks' blocks may differ in length
     */
    public final void setBlocks(int rank, Blocks ofSource, Blocks ofTarget, boolean unequal) {
        sourceBlocks = ofSource;
        targetBlocks = ofTarget;
        isUnequal = unequal;
        if (hasCommonBlocks()) {
            setCommonBlocks(ofSource);
        }
        sourceHasBlocks = collective().sourceHasBlocks(rank, root);
        targetHasBlocks = collective().targetHasBlocks(rank, root);
        if (isInPlace()) {
            if (targetHasBlocks && !sourceHasBlocks) {
                source.set(source.segment(), targetAt(rank));
            } else if (sourceHasBlocks && !targetHasBlocks) {
                target.set(target.segment(), sourceAt(rank));
            }
        }
    }

    /** Operations cut the longest block; a fingerprint stands for the lengths, which must be the same at all ranks. */
    private void setCommonBlocks(Blocks blocks) {
        blocksFingerprint = blocks.ranks();
        blockElements = 0;
        longestBlock = 0;
        longestBlockElements = 0;
        for (int rank = 0; rank < blocks.ranks(); rank++) {
            long elements = blocks.count(rank);
            blocksFingerprint = Fingerprint.mix(blocksFingerprint, elements);
            blockElements += elements;
            if (elements > longestBlockElements) {
                longestBlock = rank;
                longestBlockElements = elements;
            }
        }
        blockBytes = Math.max(blockBytes, longestBlockElements * type.bytes());
    }

    /**
     * Forgets the elements when the call has ended: the caller's memory is not ours to keep.
     */
    public final void clear() {
        if (type != null) {
            source.clear();
            target.clear();
            type = null;
            count = 0;
            kernel = null;
            sourceBlocks = null;
            targetBlocks = null;
            isUnequal = false;
            sourceHasBlocks = false;
            targetHasBlocks = false;
        }
    }

    /**
     * {@return the collective}
     */
    public final Collective collective() {
        return collective;
    }

    /**
     * {@return this rank's elements}
     */
    public final Area source() {
        return source;
    }

    /**
     * {@return where the result goes: the same as the source, or apart from it}
     */
    public final Area target() {
        return target;
    }

    /**
     * {@return the length of source and target in the present operation, a multiple of the operator's unit; where a
     * side has a block of each rank, of a block}
     */
    public final long bytes() {
        return bytes;
    }

    /**
     * {@return whether source and target are the same memory, of which a rank's own block may be one of them}
     */
    public final boolean isInPlace() {
        return source.segment().equals(target.segment());
    }

    /**
     * Tells where a rank's block lies among those of all, in a source or target that has them.
     *
     * @param rank the rank
     * @return at which byte of the area
     */
    public final long block(int rank) {
        return rank * blockBytes;
    }

    /**
     * {@return whether blocks may differ in length, so that a rank knows only those that it sends or receives}
     */
    public final boolean isUnequal() {
        return isUnequal;
    }

    /**
     * Tells where that lies which this rank has for another one.
     *
     * @param rank the other rank
     * @return at which byte of the source
     */
    public final long sourceAt(int rank) {
        return !sourceHasBlocks ? 0
                : sourceBlocks == null ? block(rank) : sourceBlocks.displacement(rank) * type.bytes();
    }

    /**
     * Tells how long that is.
     *
     * @param rank the other rank
     * @return how many bytes
     */
    public final long sourceBytes(int rank) {
        return sourceBlocks == null ? bytes : sourceBlocks.count(rank) * type.bytes();
    }

    /**
     * Tells where that goes which this rank gets from another one.
     *
     * @param rank the other rank
     * @return at which byte of the target
     */
    public final long targetAt(int rank) {
        return !targetHasBlocks ? 0
                : targetBlocks == null ? block(rank) : targetBlocks.displacement(rank) * type.bytes();
    }

    /**
     * Tells how long that is.
     *
     * @param rank the other rank
     * @return how many bytes
     */
    public final long targetBytes(int rank) {
        return targetBlocks == null ? bytes : targetBlocks.count(rank) * type.bytes();
    }

    /**
     * {@return the operator for the type, null where nothing is combined}
     */
    public final Kernel kernel() {
        return kernel;
    }

    /**
     * {@return the root, 0 where there is none}
     */
    public final int root() {
        return root;
    }

    // ---- for the operations that it is

    /** What to call it in messages. */
    public final String called() {
        return called;
    }

    /**
     * Tells how much of the block of a rank is in the present operation, where all ranks know all lengths.
     *
     * @param rank the rank
     * @return how many bytes, 0 to {@link #bytes}
     */
    public final long blockBytes(int rank) {
        return isUnequal ? Math.clamp(sourceBytes(rank) - moved, 0, bytes) : bytes;
    }

    /** Whether blocks may differ in length, and each rank knows the lengths of all. */
    final boolean hasCommonBlocks() {
        return isUnequal && collective().combines();
    }

    /**
     * What must be the same at all ranks: the number of elements; or what is negative if lengths may differ, a
     * fingerprint of the lengths where all ranks know them.
     */
    final long commonCount() {
        return !isUnequal ? count : hasCommonBlocks() ? ~(blocksFingerprint >>> 1) : -1;
    }

    /** The lengths of the blocks that all ranks know, for messages. */
    final String blockLengths() {
        int shown = Math.min(sourceBlocks.ranks(), LENGTHS_SHOWN);
        return IntStream.range(0, shown).mapToObj(rank -> String.valueOf(sourceBlocks.count(rank)))
                .collect(Collectors.joining(", ")) + (shown < sourceBlocks.ranks() ? " and so on" : "");
    }

    /**
     * Finds the longest block that this rank sends or receives, where blocks may differ in length.
     *
     * @param ranks the number of ranks
     * @return its bytes
     */
    protected final long longestBlockBytes(int ranks) {
        long most = blockBytes;
        for (int rank = 0; rank < ranks; rank++) {
            most = Math.max(most, sourceBlocks == null ? 0 : sourceBytes(rank));
            most = Math.max(most, targetBlocks == null ? 0 : targetBytes(rank));
        }
        return most;
    }

    /**
     * Cuts the call into operations, and makes the first of them the present one.
     *
     * @param operationBytesMax the length that an operation may have
     * @return the number of operations
     */
    protected final long cut(long operationBytesMax) {
        long all = type == null ? 0 : blockBytes;
        bytes = all <= operationBytesMax ? all
                : kernel == null ? operationBytesMax : kernel.wholeUnits(operationBytesMax);
        bytesLeft = all - bytes;
        hash = Descriptor.hash(this);
        return bytesLeft == 0 ? 1 : Math.ceilDiv(all, bytes);
    }

    /**
     * Takes the number of its first operation, and the fingerprint of the calls before it.
     *
     * @param first the number
     * @param historyBefore the fingerprint
     */
    protected final void number(long first, long historyBefore) {
        sequence = first;
        history = Fingerprint.extend(historyBefore, hash);
    }

    /** Goes on to the next operation; returns whether there is one. */
    public final boolean next() {
        if (bytesLeft == 0) {
            return false;
        }
        source.set(source.segment(), source.start() + bytes);
        target.set(target.segment(), target.start() + bytes);
        moved += bytes;
        bytes = Math.min(bytes, bytesLeft);
        bytesLeft -= bytes;
        history = Fingerprint.extend(history, hash);
        sequence++;
        return true;
    }

    /** How many of its operations have not ended, the present one included. */
    public final long operationsLeft() {
        return bytesLeft == 0 ? 1 : 1 + Math.ceilDiv(bytesLeft, bytes);
    }

    /** The name of the algorithm, as descriptors hold it. */
    final Label algorithmName() {
        return algorithm;
    }

    /** The name of the operator, as descriptors hold it. */
    final Label operator() {
        return kernel == null ? Label.NONE : kernel.label();
    }
}
