/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.Label;
import org.tutti.collective.machine.Area;

/**
 * Holds the arguments with which one rank calls a collective, and the state of the operations that carry out the call.
 * An operation is one run of an algorithm. The object is filled again for later calls, so that blocking calls allocate
 * nothing. The subclass {@code Call} adds the algorithm; this class has only its name.
 *
 * <p>If the message of a call is longer than one operation can carry, the call is several operations, one after the
 * other, with the same algorithm. Each operation draws a number in its communicator; the operations of a call draw
 * theirs together, on the caller's thread. The areas and the length that this object returns are always those of the
 * current operation.
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
     * The number of elements that all operations of the call carry together. If the source or the target has a block
     * for each rank, this is the number of elements in one block.
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

    /** A hash of all calls up to the current operation, that one included. */
    public long history;

    /** The number of the call among the last calls of the rank; only {@link CallRecorder} uses it. */
    long recorded;

    /** The line of the program that made the call; null if it is not known. */
    String caller;

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
    private String part;
    private Kernel kernel;
    private long blockBytes;
    private long bytes;
    private long bytesLeft;
    private long furtherLeft;
    private long moved;

    /**
     * Sets the collective, the algorithm, the root and the deadline of the call. If the collective has elements, {@link
     * #setElements} sets them.
     *
     * @param newCollective the collective that the rank calls
     * @param newAlgorithm the name of the algorithm that runs the call
     * @param newRoot the rank that is the root, or 0 if the collective has none; for a barrier, a number that must be
     *            the same at all ranks
     * @param newDeadlineNanos the deadline of the call, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            if it has none
     */
    protected final void set(Collective newCollective, Label newAlgorithm, int newRoot, long newDeadlineNanos) {
        collective = newCollective;
        algorithm = newAlgorithm;
        root = newRoot;
        called = newCollective.label();
        part = null;
        deadlineNanos = newDeadlineNanos;
    }

    /**
     * Copies the elements and blocks of another call into this call.
     *
     * @param other the call to copy from, which must not have drawn the numbers of its operations
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
     * {@return whether the memory of source and target can still be accessed, because its arena has not been closed}
     */
    public final boolean hasMemory() {
        return source.segment().scope().isAlive() && target.segment().scope().isAlive();
    }

    /**
     * Sets the name that messages use for this call. A call that is a part of another call gets the name of that call.
     *
     * @param newCalled the name, such as "create"
     */
    public final void setCalled(String newCalled) {
        called = newCalled;
        part = newCalled;
    }

    /**
     * Sets the elements that the call moves or combines, and the memory for the result.
     *
     * @param newSource the memory that holds this rank's elements
     * @param newTarget the memory for the result; the same as the source if the root's elements go to all ranks
     * @param newType the type of the elements
     * @param newCount the number of elements; if the source or the target has a block for each rank, the number of
     *            elements in one block
     * @param newKernel the operator for elements of that type; null if the collective combines nothing
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
     * Sets the lengths and displacements of the ranks' blocks. A caller calls this method after {@link #setElements}.
     * If source and target are the same memory, this method also finds this rank's own block in that memory.
     *
     * @param rank the rank that makes the call
     * @param ofSource the blocks of the source; null if all blocks have the same length, or if the source has no blocks
     * @param ofTarget the blocks of the target; null if all blocks have the same length, or if the target has no blocks
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
     * Sets the lengths of blocks that must be the same at all ranks. The longest block determines how the call is cut
     * into operations. When ranks compare their calls, a fingerprint, which is a hash, stands for all lengths.
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

    /** Clears the elements when the call has ended, so that this object does not keep the caller's memory alive. */
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
     * {@return the length of the source and of the target in the current operation, in bytes, a multiple of the
     * operator's unit. If the source or the target has a block for each rank, this is the length of one block.}
     */
    public final long bytes() {
        return bytes;
    }

    /**
     * {@return whether source and target are in the same memory. One of them may then be this rank's block in the
     * other.}
     */
    public final boolean isInPlace() {
        return source.segment().equals(target.segment());
    }

    /**
     * Returns the offset of a rank's block in the source or in the target, if the blocks of all ranks there have the
     * same length.
     *
     * @param rank the rank that has the block
     * @return the offset in the area of the source or target, in bytes
     */
    public final long block(int rank) {
        return rank * blockBytes;
    }

    /**
     * {@return whether blocks may differ in length. Unless the collective combines, a rank then knows only the lengths
     * of the blocks that it sends or receives.}
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

    /** {@return the length of the vector, or of one block, of all operations of the call together, in bytes} */
    final long callBytes() {
        return type == null ? 0 : blockBytes;
    }

    /** {@return the name of the call of which this call is a part; null if the program has made this call itself} */
    final String part() {
        return part;
    }

    /** Returns the name of the call in messages. */
    public final String called() {
        return called;
    }

    /**
     * Returns the length of a rank's block in the current operation. A caller may call this method only if all ranks
     * know the lengths of all blocks.
     *
     * @param rank the rank that has the block
     * @return the length in bytes, 0 to {@link #bytes}
     */
    public final long blockBytes(int rank) {
        return isUnequal ? Math.clamp(sourceBytes(rank) - moved, 0, bytes) : bytes;
    }

    /** Returns whether blocks may differ in length, but each rank knows the lengths of all blocks. */
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

    /** Returns the lengths of the blocks as text for messages. All ranks must know the lengths. */
    final String blockLengths() {
        int shown = Math.min(sourceBlocks.ranks(), LENGTHS_SHOWN);
        return IntStream.range(0, shown).mapToObj(rank -> String.valueOf(sourceBlocks.count(rank)))
                .collect(Collectors.joining(", ")) + (shown < sourceBlocks.ranks() ? " and so on" : "");
    }

    /**
     * Returns the length of the longest block that this rank sends or receives.
     *
     * @param ranks the number of ranks of the communicator
     * @return the length, in bytes
     */
    public final long longestBlockBytes(int ranks) {
        long most = blockBytes;
        for (int rank = 0; rank < ranks; rank++) {
            most = Math.max(most, sourceBlocks == null ? 0 : sourceBytes(rank));
            most = Math.max(most, targetBlocks == null ? 0 : targetBytes(rank));
        }
        return most;
    }

    /**
     * Cuts the call into operations, and makes the first one the current operation. All operations have the same
     * length, except the last, which may be shorter. Further operations may follow, of which the algorithm knows what
     * they move.
     *
     * @param operationBytesMax the greatest length of an operation, in bytes
     * @param further the number of further operations, 0 or more
     * @return the number of operations, 1 or more
     */
    protected final long cut(long operationBytesMax, long further) {
        long all = type == null ? 0 : blockBytes;
        bytes = all <= operationBytesMax ? all
                : kernel == null ? operationBytesMax : kernel.wholeUnits(operationBytesMax);
        bytesLeft = all - bytes;
        furtherLeft = further;
        hash = Descriptor.hash(this);
        return operationsLeft();
    }

    /**
     * Sets the number of the call's first operation, and adds that operation to the history of this rank's calls.
     *
     * @param first the number of the first operation
     * @param historyBefore the fingerprint, a hash, of all calls before this one
     */
    protected final void number(long first, long historyBefore) {
        sequence = first;
        history = Fingerprint.extend(historyBefore, hash);
    }

    /** Moves on to the next operation of the call, and returns whether there is one. */
    public final boolean next() {
        if (bytesLeft > 0) {
            source.set(source.segment(), source.start() + bytes);
            target.set(target.segment(), target.start() + bytes);
            moved += bytes;
            bytes = Math.min(bytes, bytesLeft);
            bytesLeft -= bytes;
        } else if (furtherLeft > 0) {
            furtherLeft--;
        } else {
            return false;
        }
        history = Fingerprint.extend(history, hash);
        sequence++;
        return true;
    }

    /** Returns the number of the call's operations that have not ended, the current one included. */
    public final long operationsLeft() {
        return 1 + (bytesLeft == 0 ? 0 : Math.ceilDiv(bytesLeft, bytes)) + furtherLeft;
    }

    /** Returns a description of the call for messages, which has the algorithm if another one takes its steps. */
    final String describe(TeamContext context) {
        CallShape shape = new CallShape(context.topology, !context.operations.isComplete(), bytes, root,
                kernel == null || kernel.isCommutative(), isUnequal);
        String chosen = algorithm.toString();
        String named = context.members.describe(collective, chosen, shape);
        return named.equals(chosen) ? called : called + " (algorithm " + named + ")";
    }

    /** Returns the name of the algorithm in the form that the descriptor of a call holds. */
    final Label algorithmName() {
        return algorithm;
    }

    /**
     * Returns the name of the operator in the form that the descriptor of a call holds; {@link Label#NONE} if nothing
     * is combined.
     */
    final Label operator() {
        return kernel == null ? Label.NONE : kernel.label();
    }
}
