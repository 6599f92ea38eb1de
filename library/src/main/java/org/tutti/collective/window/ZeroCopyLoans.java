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
 * The callers' memory that the ranks of one node lend each other in the operations in flight, so that other ranks read
 * it without a copy: a source and a target for each rank. Memory that is a part of the node's memory is lent by its
 * address, to all ranks of the node. Any other memory is lent by reference, to ranks of the same process, if every
 * thread may access it. A team has one such object.
 *
 * <p>The lender waits until all others have said that they no longer need the memory, and then {@linkplain #takeBack
 * takes it back}. Other ranks see by {@link #isLending} that it lends, and find the memory by {@link #lent}.
 *
 * <p>Memory ordering: a loan is stored before READY, with release order, and is read after READY was awaited, with
 * acquire order. It is cleared after all readers have said that they are done. When the lender's call fails, the broken
 * word is set before the loan is cleared, and before the lender's caller does anything else. A reader that sees the
 * cleared loan, or the effects of that caller, therefore sees the broken word, too.
 */
public final class ZeroCopyLoans {
    /** The memory from which an operation takes its data. */
    public static final int SOURCE = 0;

    /** The memory into which an operation's result goes. */
    public static final int TARGET = 1;

    /** All ranks of a node. */
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
     * The length of the shortest block that is lent: for a shorter one, waiting for the readers takes longer than a
     * copy.
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

    /** Called once, when a team is made. */
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
     * Lends the caller's memory to the other ranks of this node, if they can reach it. Once an operation, before the
     * first {@code Team.post} of READY.
     *
     * @param bytes the length of the memory; memory that fits into the line of READY is not lent
     * @param source the memory to be read
     * @return whether it is lent
     */
    public boolean lend(long bytes, Area source) {
        return lend(bytes, way(source), source, NONE, null);
    }

    /**
     * Lends memory as {@link #lend(long, Area)} does: a source and a target, or neither.
     *
     * @param bytes the length of each
     * @param source the memory to be read
     * @param target the memory in which other ranks read the result; only its owner writes there, because a call that
     *            fails cannot stop other writers
     * @return whether both are lent
     */
    public boolean lend(long bytes, Area source, Area target) {
        int sourceWay = way(source);
        int targetWay = way(target);
        return sourceWay == NONE || targetWay == NONE ? lend(bytes, NONE, null, NONE, null)
                : lend(bytes, sourceWay, source, targetWay, target);
    }

    /**
     * Lends the caller's memory that contains blocks, if that is worth it: long blocks, on one node. Once an operation,
     * before the first {@code Team.post} of READY. Other ranks ask {@link #isLendingBlocks}.
     *
     * @param bytes the length of a block
     * @param source the memory to be read
     * @param writes whether this rank writes there while others read
     * @return whether it is lent; then this rank has to {@linkplain #takeBlocksBack take it back}
     */
    public boolean lendBlocks(long bytes, Area source, boolean writes) {
        return areLong(bytes) && lend(bytes, writes ? NONE : way(source), source, NONE, null);
    }

    /**
     * Tells whether another rank of this node has {@linkplain #lendBlocks lent} blocks. Only after {@code Team.await}
     * of its READY.
     *
     * @param other the other rank's local rank
     * @param bytes the length of a block
     * @return whether it has
     */
    public boolean isLendingBlocks(int other, long bytes) {
        return areLong(bytes) && isLending(other, bytes);
    }

    private boolean areLong(long bytes) {
        return bytes >= BLOCK_BYTES_MIN && context.nodes() == 1;
    }

    /**
     * Says that this rank no longer needs the blocks that others may have lent.
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
     * Waits until no rank needs the blocks that this rank has lent, and takes them back.
     *
     * @param reader the local rank of the only reader, or {@link #ALL}
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

    /** Notes that the current operation has lent; for assertions. */
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
     * Tells whether another rank of this node lends memory. Only after {@code Team.await} of its READY, and only if it
     * has said whether it does.
     *
     * @param other the other rank's local rank
     * @param bytes the length of the memory
     * @return whether it does
     */
    public boolean isLending(int other, long bytes) {
        return bytes > RingLayout.PAYLOAD_BYTES && ways(other) != NONE;
    }

    /**
     * Finds the memory that another rank of this node lends. Only if it {@linkplain #isLending does}.
     *
     * @param other the other rank's local rank
     * @param loan {@link #SOURCE} or {@link #TARGET}
     * @return the memory, valid until {@link #confirm}, or until {@value Areas#KEPT} more were found
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
     * Forgets lent memory that this rank has used, and throws if its owner's call has failed meanwhile, so that the
     * memory may not have been lent all the time.
     */
    public void confirm() {
        forgetBorrowed();
        VarHandle.loadLoadFence();
        waiting.checkAlive();
    }

    /** Forgets borrowed memory, so that its owner's arrays are not kept alive here. */
    public void forgetBorrowed() {
        borrowed.clear();
    }

    /**
     * Ends this rank's loans, if there are any.
     */
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
