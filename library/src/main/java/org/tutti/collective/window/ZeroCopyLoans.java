/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Areas;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.Operation;
import org.tutti.collective.operation.OperationWait;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.operation.TeamContext;

/**
 * Lends the memory that a caller has passed to a collective to the other ranks of the node, so that they read it
 * without a copy. In each operation a rank may lend a source and a target. Memory that is a part of the node's shared
 * memory is lent by its address, to all ranks of the node. Any other memory is lent by a reference to its segment, and
 * only to the ranks of the same process, if every thread may access the segment. A team, the object that runs a rank's
 * operations, has one such object.
 *
 * <p>The lender waits until all other ranks have announced that they no longer need the memory, and then {@linkplain
 * #takeBack takes it back}. Other ranks see by {@link #isLending} whether a rank lends memory, and find the memory by
 * {@link #lent}.
 *
 * <p>Memory ordering: the lender stores a loan with plain stores before it posts READY, with release order. A reader
 * awaits READY with acquire order before it reads the loan. The loan is cleared after all readers have announced that
 * they are done. If the lender's call fails, the communicator's broken word is set before the loan is cleared, and
 * before the lender's caller does anything else. A reader may see the cleared loan, or effects of what that caller does
 * next. The reader then sees the broken word, too.
 */
public final class ZeroCopyLoans {
    /** The source of a loan: the memory from which an operation takes its data. */
    public static final int SOURCE = 0;

    /** The target of a loan: the memory into which the result of an operation goes. */
    public static final int TARGET = 1;

    /** The value that stands for all ranks of a node, in place of a local rank. */
    public static final int ALL = -1;

    private static final long FINISHED = 1;

    // the ways to lend memory: not at all; by a reference to its segment, within the process; by its address on the
    // node
    private static final int NONE = 0;
    private static final int BY_REFERENCE = 1;
    private static final int BY_ADDRESS = 2;
    private static final int WAY_BITS = 2;

    private static final int PER_RANK = 2;

    /**
     * The length of the shortest block that is lent, in bytes. A shorter block is copied, because waiting for the
     * readers takes longer than a copy.
     */
    private static final long BLOCK_BYTES_MIN = 16 << 10;

    private final TeamContext context;
    private final Operation operation;
    private final OperationWait waiting;
    private final StepWords words;
    private final Machine machine;
    private final MemorySegment[] lentSegments;
    private final Areas borrowed = new Areas();
    private boolean refers;
    private long lentIn = -1; // the last operation that has lent; only assertions look

    /** Creates the loans of a team, which has lent nothing. */
    public ZeroCopyLoans(TeamContext context, Operation operation, OperationWait waiting, StepWords words) {
        this.context = context;
        this.operation = operation;
        this.waiting = waiting;
        this.words = words;
        this.machine = context.machine;
        this.lentSegments =
                context.memory.loans(context.ringAddress, context.layout.slots() * context.localSize * PER_RANK);
    }

    /**
     * Lends the caller's memory to the other ranks of this node, if they can reach it. A rank calls this method at most
     * once in an operation, before it first posts READY with {@code Team.post}.
     *
     * @param bytes the length of the memory; memory of {@value RingLayout#PAYLOAD_BYTES} bytes or less is not lent,
     *            because it fits beside a READY word
     * @param source the memory that other ranks will read
     * @return whether the memory is lent
     */
    public boolean lend(long bytes, Area source) {
        return lend(bytes, way(source), source, NONE, null);
    }

    /**
     * Lends two areas of the caller's memory to the other ranks of this node: a source and a target, or neither if they
     * cannot reach both. As with {@link #lend(long, Area)}, a rank lends at most once in an operation, before it first
     * posts READY.
     *
     * @param bytes the length of each area; areas of {@value RingLayout#PAYLOAD_BYTES} bytes or less are not lent,
     *            because they fit beside a READY word
     * @param source the memory that other ranks will read
     * @param target the memory in which other ranks will read the result; only its owner writes there, because a call
     *            that fails cannot stop other writers
     * @return whether both areas are lent
     */
    public boolean lend(long bytes, Area source, Area target) {
        int sourceWay = way(source);
        int targetWay = way(target);
        return sourceWay == NONE || targetWay == NONE ? lend(bytes, NONE, null, NONE, null)
                : lend(bytes, sourceWay, source, targetWay, target);
    }

    /**
     * Lends the caller's memory that contains blocks for the ranks, if the blocks have {@value #BLOCK_BYTES_MIN} bytes
     * or more and all ranks are on one node. A rank calls this method at most once in an operation, before it first
     * posts READY with {@code Team.post}. Other ranks find out by {@link #isLendingBlocks}.
     *
     * @param bytes the length of a block
     * @param source the memory that other ranks will read
     * @param writes whether this rank writes to that memory while other ranks read; if so, the memory is not lent
     * @return whether the memory is lent; if so, this rank must call {@link #takeBlocksBack}
     */
    public boolean lendBlocks(long bytes, Area source, boolean writes) {
        return areLong(bytes) && lend(bytes, writes ? NONE : way(source), source, NONE, null);
    }

    /**
     * Returns whether another rank of this node has {@linkplain #lendBlocks lent} blocks. A rank calls this method only
     * after it has awaited the other rank's READY word with {@code Team.await}.
     *
     * @param other the other rank's local rank, its index on the node
     * @param bytes the length of a block
     * @return whether the other rank lends its blocks
     */
    public boolean isLendingBlocks(int other, long bytes) {
        return areLong(bytes) && isLending(other, bytes);
    }

    private boolean areLong(long bytes) {
        return areBlocksLong(bytes) && context.nodes() == 1;
    }

    /**
     * Returns whether blocks are long enough to be lent if all ranks are on one node.
     *
     * @param bytes the length of a block
     * @return whether {@link #lendBlocks} may lend such blocks
     */
    public static boolean areBlocksLong(long bytes) {
        return bytes >= BLOCK_BYTES_MIN;
    }

    /**
     * Announces that this rank no longer needs the blocks that other ranks may have lent, by posting DONE. Throws if
     * the communicator is broken. A lender's call may then have failed, so that its blocks may not have been lent all
     * the time.
     *
     * @param bytes the length of a block
     */
    public void finishBlocks(long bytes) {
        if (areLong(bytes)) {
            confirm();
            words.post(StepWords.DONE, FINISHED);
        }
    }

    /**
     * Waits until no other rank needs the blocks that this rank has lent, and ends the loan.
     *
     * @param reader the local rank of the only rank that reads the blocks, or {@link #ALL} if all ranks read them
     */
    public void takeBlocksBack(int reader) {
        if (reader == ALL) {
            words.awaitOthers(StepWords.DONE, FINISHED);
        } else {
            words.await(reader, StepWords.DONE, FINISHED);
        }
        takeBack();
    }

    private boolean lend(long bytes, int sourceWay, Area source, int targetWay, Area target) {
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            return false;
        }
        assert lentIn != operation.sequence && setLent() : operation + " lends twice";
        assert !refers : operation + " lends what an operation before has not taken back";
        long cell = operation.cell(context.localRank);
        machine.storePlain(context.ring, cell + RingLayout.LOANS,
                operation.base + sourceWay + ((long) targetWay << WAY_BITS));
        storeLoan(cell, SOURCE, sourceWay, source);
        storeLoan(cell, TARGET, targetWay, target);
        return sourceWay != NONE;
    }

    /** Remembers that the current operation has lent memory; for assertions. */
    private boolean setLent() {
        lentIn = operation.sequence;
        return true;
    }

    private void storeLoan(long cell, int loan, int way, Area area) {
        if (way != NONE) {
            long start = area.start();
            if (way == BY_ADDRESS) {
                start += context.memory.addressOf(area.segment());
            } else {
                lentSegments[index(context.localRank, loan)] = area.segment();
                refers = true;
            }
            machine.storePlain(context.ring, startOf(cell, loan), start);
        }
    }

    private int way(Area area) {
        if (context.memory.addressOf(area.segment()) != 0) {
            return BY_ADDRESS;
        }
        return lentSegments != null && area.isOpenToAll() ? BY_REFERENCE : NONE;
    }

    /**
     * Returns whether another rank of this node lends memory. A rank calls this method only after it has awaited the
     * other rank's READY word with {@code Team.await}. In this operation the other rank must have called a method that
     * lends.
     *
     * @param other the other rank's local rank, its index on the node
     * @param bytes the length of the memory
     * @return whether the other rank lends memory
     */
    public boolean isLending(int other, long bytes) {
        return bytes > RingLayout.PAYLOAD_BYTES && ways(other) != NONE;
    }

    /**
     * Finds the memory that another rank of this node lends. A rank calls this method only if the other rank
     * {@linkplain #isLending lends} memory.
     *
     * @param other the other rank's local rank, its index on the node
     * @param loan {@link #SOURCE} or {@link #TARGET}
     * @return the memory, valid until {@link #confirm} is called, or until this method has found {@value Areas#KEPT}
     *          more areas
     */
    public Area lent(int other, int loan) {
        int way = ways(other) >>> WAY_BITS * loan & (1 << WAY_BITS) - 1;
        long start = machine.loadPlain(context.ring, startOf(operation.cell(other), loan));
        assert way != NONE && start >= 0
                : operation + " looks for loan " + loan + " of " + other + ", lent in way " + way
                        + " from " + start;
        if (way == BY_ADDRESS) {
            return borrowed.next(context.memory.around(start), context.memory.offset(start));
        }
        MemorySegment segment = lentSegments[index(other, loan)];
        if (segment == null) { // its owner has taken it back
            confirm();
            throw waiting.gone(context.localRanks[other]);
        }
        return borrowed.next(segment, start);
    }

    private int ways(int other) {
        long cell = operation.cell(other);
        return (int) (machine.loadPlain(context.ring, cell + RingLayout.LOANS) - operation.base);
    }

    private static long startOf(long cell, int loan) {
        return cell + RingLayout.LOAN_STARTS + (long) loan * Long.BYTES;
    }

    /**
     * Forgets the memory that other ranks have lent to this rank, and throws if the communicator is broken. In that
     * case the call of a lender may have failed while this rank used the memory, so that the memory may not have been
     * lent all the time.
     */
    public void confirm() {
        forgetBorrowed();
        VarHandle.loadLoadFence();
        waiting.checkAlive();
    }

    /** Forgets the memory that other ranks have lent to this rank, so that their arrays are not kept alive here. */
    public void forgetBorrowed() {
        borrowed.clear();
    }

    /** Ends the loans that this rank has made in the current operation, if there are any. */
    public void takeBack() {
        if (refers) { // cleared only if needed: other ranks write nearby, so a store costs
            for (int loan = 0; loan < PER_RANK; loan++) {
                lentSegments[index(context.localRank, loan)] = null;
            }
            refers = false;
        }
    }

    private int index(int localRank, int loan) {
        return ((int) operation.slotIndex() * context.localSize + localRank) * PER_RANK + loan;
    }
}
