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
 * The arguments of a call of a collective at one rank, and the state of the operations that the call is cut into. The
 * object is filled again and again, so that blocking calls allocate nothing. The subclass {@code Call} adds the
 * algorithm; this class has only its name.
 *
 * <p>If the message of a call is longer than one operation can carry, the call is several operations, one after the
 * other, with the same algorithm. Their numbers are drawn together, on the caller's thread. The areas and the length
 * are always those of the current operation.
 *
 * <p>One thread at a time uses the object: the caller's thread, or the thread that runs a non-blocking call. The
 * hand-over from one thread to the other orders everything that was set and drawn before everything that the operations
 * read.
 */
public class CallArguments {
    private static final int LENGTHS_SHOWN = 16;

    /** The deadline of the call, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE} if it has none. */
    long deadlineNanos;

    /** The type of the elements; null for a call without elements. */
    public DataType type;

    /**
     * The number of elements in all operations together. If a side has a block of each rank, the number of elements in
     * a block.
     */
    long count;

    /** A hash of all arguments that must be the same at all ranks. */
    public long hash;

    /** The number of elements in all blocks together; set only if all ranks know the lengths of all blocks. */
    long blockElements;

    /** The lowest rank that has the longest block; set only if all ranks know the lengths of all blocks. */
    int longestBlock;

    /** The number of elements in the longest block; set only if all ranks know the lengths of all blocks. */
    long longestBlockElements;

    /** The number of the current operation. Before the call runs, this is the number of its first operation. */
    public long sequence;

    /** The fingerprint of all calls up to the current operation, that one included. */
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
     * Sets the collective, algorithm, root and deadline of the call. {@link #setElements} sets the elements of a
     * collective that has elements.
     *
     * @param newCollective the collective
     * @param newAlgorithm the name of the algorithm
     * @param newRoot the root, or 0 if the collective has none; for a barrier, a number that must be the same at all
     *            ranks
     * @param newDeadlineNanos the deadline of the call, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            if it has none
     */
    protected final void set(Collective newCollective, Label newAlgorithm, int newRoot, long newDeadlineNanos) {
        collective = newCollective;
        algorithm = newAlgorithm;
        root = newRoot;
        called = newCollective.label();
        deadlineNanos = newDeadlineNanos;
    }

    /**
     * Copies the elements and blocks of another call.
     *
     * @param other the other call, which must not have drawn its numbers
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
     * {@return whether the caller's memory is still alive}
     */
    public final boolean hasMemory() {
        return source.segment().scope().isAlive() && target.segment().scope().isAlive();
    }

    /**
     * Sets the name by which messages call this call, if it is a part of another call.
     *
     * @param newCalled the name, such as "create"
     */
    public final void setCalled(String newCalled) {
        called = newCalled;
    }

    /**
     * Sets the elements that the call moves or combines.
     *
     * @param newSource the memory of this rank's elements
     * @param newTarget the memory for the result; the same as the source if the root's elements go to all ranks
     * @param newType the type of the elements
     * @param newCount the number of elements; if a side has a block of each rank, the number of elements in a block
     * @param newKernel the operator for the type; null if nothing is combined
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
     * Sets the lengths and displacements of the ranks' blocks. Call this after {@link #setElements}. If the call is in
     * place, this also finds this rank's own block.
     *
     * @param rank this rank
     * @param ofSource the blocks of the source; null if they are equally long, or the source has none
     * @param ofTarget the blocks of the target; null if they are equally long, or the target has none
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

    /**
     * Sets lengths of blocks that must be the same at all ranks. Operations cut the longest block, and a fingerprint
     * stands for all lengths.
     */
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

    /** Clears the elements when the call has ended, so that the caller's memory is not kept alive. */
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

    /** {@return the memory for the result: the source itself, or memory that does not overlap the source} */
    public final Area target() {
        return target;
    }

    /**
     * {@return the length of source and target in the current operation, in bytes, a multiple of the operator's unit;
     * if a side has a block of each rank, the length of a block}
     */
    public final long bytes() {
        return bytes;
    }

    /** {@return whether source and target are the same memory; one of them may be this rank's block in the other} */
    public final boolean isInPlace() {
        return source.segment().equals(target.segment());
    }

    /**
     * Returns the offset of a rank's block in a source or target in which all ranks have equally long blocks.
     *
     * @param rank the rank
     * @return the offset in the area, in bytes
     */
    public final long block(int rank) {
        return rank * blockBytes;
    }

    /**
     * {@return whether blocks may differ in length, so that a rank knows only the blocks that it sends or receives}
     */
    public final boolean isUnequal() {
        return isUnequal;
    }

    /**
     * Returns the offset in the source of the data that this rank sends to another rank.
     *
     * @param rank the other rank
     * @return the offset, in bytes
     */
    public final long sourceAt(int rank) {
        return !sourceHasBlocks ? 0
                : sourceBlocks == null ? block(rank) : sourceBlocks.displacement(rank) * type.bytes();
    }

    /**
     * Returns the length of the data that this rank sends to another rank.
     *
     * @param rank the other rank
     * @return the length, in bytes
     */
    public final long sourceBytes(int rank) {
        return sourceBlocks == null ? bytes : sourceBlocks.count(rank) * type.bytes();
    }

    /**
     * Returns the offset in the target of the data that this rank receives from another rank.
     *
     * @param rank the other rank
     * @return the offset, in bytes
     */
    public final long targetAt(int rank) {
        return !targetHasBlocks ? 0
                : targetBlocks == null ? block(rank) : targetBlocks.displacement(rank) * type.bytes();
    }

    /**
     * Returns the length of the data that this rank receives from another rank.
     *
     * @param rank the other rank
     * @return the length, in bytes
     */
    public final long targetBytes(int rank) {
        return targetBlocks == null ? bytes : targetBlocks.count(rank) * type.bytes();
    }

    /**
     * {@return the operator for the type; null if nothing is combined}
     */
    public final Kernel kernel() {
        return kernel;
    }

    /** {@return the root; 0 if the collective has none} */
    public final int root() {
        return root;
    }

    // ---- operations

    /** Returns the name of the call in messages. */
    public final String called() {
        return called;
    }

    /**
     * Returns the length of a rank's block in the current operation. Only if all ranks know the lengths of all blocks.
     *
     * @param rank the rank
     * @return the length, 0 to {@link #bytes}
     */
    public final long blockBytes(int rank) {
        return isUnequal ? Math.clamp(sourceBytes(rank) - moved, 0, bytes) : bytes;
    }

    /** Returns whether blocks may differ in length, and each rank knows the lengths of all blocks. */
    final boolean hasCommonBlocks() {
        return isUnequal && collective().combines();
    }

    /**
     * Returns a count that must be the same at all ranks. If blocks are equally long, it is the number of elements. If
     * all ranks know the different lengths of all blocks, it is a fingerprint of the lengths, as a negative number.
     * Otherwise it is −1.
     */
    final long commonCount() {
        return !isUnequal ? count : hasCommonBlocks() ? ~(blocksFingerprint >>> 1) : -1;
    }

    /** Returns the lengths of the blocks, for messages. Only if all ranks know them. */
    final String blockLengths() {
        int shown = Math.min(sourceBlocks.ranks(), LENGTHS_SHOWN);
        return IntStream.range(0, shown).mapToObj(rank -> String.valueOf(sourceBlocks.count(rank)))
                .collect(Collectors.joining(", ")) + (shown < sourceBlocks.ranks() ? " and so on" : "");
    }

    /**
     * Returns the length of the longest block that this rank sends or receives.
     *
     * @param ranks the number of ranks
     * @return the length, in bytes
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
     * Cuts the call into operations, and makes the first operation the current one.
     *
     * @param operationBytesMax the greatest length of an operation, in bytes
     * @return the number of operations, 1 or more
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
     * Sets the number of the first operation, and extends the history by this call.
     *
     * @param first the number of the first operation
     * @param historyBefore the fingerprint of all calls before this one
     */
    protected final void number(long first, long historyBefore) {
        sequence = first;
        history = Fingerprint.extend(historyBefore, hash);
    }

    /** Moves on to the next operation of the call, and returns whether there is one. */
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

    /** Returns the number of the call's operations that have not ended, the current one included. */
    public final long operationsLeft() {
        return bytesLeft == 0 ? 1 : 1 + Math.ceilDiv(bytesLeft, bytes);
    }

    /** Returns the name of the algorithm in the form that descriptors hold. */
    final Label algorithmName() {
        return algorithm;
    }

    /**
     * Returns the name of the operator in the form that descriptors hold; {@link Label#NONE} if nothing is combined.
     */
    final Label operator() {
        return kernel == null ? Label.NONE : kernel.label();
    }
}
