/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import org.tutti.CollectiveMismatchException;
import org.tutti.collective.layout.Label;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.memory.CallSite;
import org.tutti.memory.Waiter;

/**
 * Compares the calls of this rank with those of another rank, by their descriptors. If the calls differ, it creates the
 * exception that names both. A descriptor is the description of a call that a rank writes into its cell.
 */
public final class CallComparison {
    private final TeamContext context;
    private final Waiter.Check check;
    private final Machine machine;
    private final MemorySegment ring;
    private final Operation operation;

    /**
     * Creates the comparisons of a rank.
     *
     * @param context the communicator at this rank
     * @param check ends a look at another node by throwing
     * @param operation the operation that the rank is in; messages name the source line of its call. Null if the rank
     *            closes the communicator, and is in no call of it
     */
    public CallComparison(TeamContext context, Waiter.Check check, Operation operation) {
        this.context = context;
        this.check = check;
        this.operation = operation;
        this.machine = context.machine;
        this.ring = context.ring;
    }

    private long descriptor(long operation, int local) {
        return RingLayout.cell(context.layout.slot(context.layout.slotIndex(operation)), local) + RingLayout.DESCRIPTOR;
    }

    /**
     * Returns whether this rank has described its call in an operation. A rank that still waits for its slot has not
     * described its call, so its history cannot be compared.
     */
    boolean isDescribed(long operation) {
        return machine.loadPlain(ring, descriptor(operation, context.localRank)) == operation + 1;
    }

    /**
     * Returns whether the descriptor of another rank of this node describes an operation, and not yet a later operation
     * of the same slot.
     */
    boolean isDescribedBy(int other, long operation) {
        return machine.load(ring, descriptor(operation, context.localRankHere(other))) == operation + 1;
    }

    /**
     * Returns whether another rank has described an operation, and its history up to that operation differs from a
     * given one.
     */
    boolean differs(long operation, int other, long history) {
        int local = context.localRankHere(other);
        return local >= 0 ? differs(ring, descriptor(operation, local), operation, history)
                : fetch(operation, other) && differs(context.fetched, RingLayout.DESCRIPTOR, operation, history);
    }

    /** Gets the cell that a rank on another node has in an operation's slot, and returns whether this was possible. */
    private boolean fetch(long operation, int other) {
        RingLayout theirs = context.layoutAt(other);
        long slot = theirs.slot(theirs.slotIndex(operation));
        return context.get(other, RingLayout.cell(slot, context.topology.localRankOf(other)), RingLayout.CELL_BYTES,
                check) == Machine.Reply.GIVEN;
    }

    private boolean differs(MemorySegment cells, long descriptor, long operation, long history) {
        return machine.load(cells, descriptor) == operation + 1
                && machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_FINGERPRINT) != history;
    }

    /**
     * Returns the exception for two ranks with different histories. It names the oldest calls that differ, if their
     * descriptors are still there.
     *
     * @param sequence the operation in which the difference was seen
     * @param other the other rank
     */
    CollectiveMismatchException mismatch(long sequence, int other) {
        CollectiveMismatchException named = find(sequence, other);
        return named != null ? named
                : mismatch(context.describe() + " and " + context.members.describe(other)
                        + " called different collectives, or disagreed on an argument, some calls ago" + seen());
    }

    /**
     * Finds the oldest call in which two ranks differ, and returns the exception that names both calls. The search goes
     * back as far as the slots hold descriptors. Meanwhile the other rank may run ahead and overwrite its old
     * descriptors. Therefore the content that was read of a descriptor counts only if the same descriptor is still
     * there afterwards.
     *
     * @param sequence the last operation to look at
     * @param other the other rank
     * @return the exception, or null if no difference is found
     */
    CollectiveMismatchException find(long sequence, int other) {
        int local = context.localRankHere(other);
        for (long number = Math.max(0, sequence - context.layout.slots() + 1); number <= sequence; number++) {
            if (local < 0 && !fetch(number, other)) {
                break;
            }
            MemorySegment cells = local < 0 ? context.fetched : ring;
            long mine = descriptor(number, context.localRank);
            long theirs = local < 0 ? RingLayout.DESCRIPTOR : descriptor(number, local);
            if (isDescribed(number) && machine.load(cells, theirs) == number + 1
                    && machine.loadPlain(ring, mine + RingLayout.DESCRIPTOR_CALL) != machine.loadPlain(cells,
                            theirs + RingLayout.DESCRIPTOR_CALL)) {
                String own = Descriptor.text(machine, ring, mine);
                String called = difference(own, mine, cells, theirs);
                boolean isHere = operation != null && number == sequence;
                VarHandle.loadLoadFence();
                if (machine.load(cells, theirs) == number + 1) {
                    return mismatch(context.describe() + " called " + own + (isHere ? lengths() + CallSite.here() : "")
                            + " as call number " + (number + 1) + " on its communicator, but "
                            + context.members.describe(other) + " called " + called + (isHere ? "" : seen()));
                }
            }
        }
        return null;
    }

    /** Describes the call of another rank so that a reader can distinguish it from this rank's call. */
    private String difference(String own, long mine, MemorySegment cells, long theirs) {
        String called = Descriptor.text(machine, cells, theirs);
        if (!called.equals(own)) {
            return called;
        }
        return machine.loadPlain(ring, mine + RingLayout.DESCRIPTOR_COUNT) == machine.loadPlain(cells,
                theirs + RingLayout.DESCRIPTOR_COUNT)
                        ? "it with an operator or algorithm whose name differs after " + Label.LENGTH + " bytes"
                        : "it with other lengths of the blocks";
    }

    /** Describes the lengths of the blocks of the current call, if all ranks must know the same lengths. */
    private String lengths() {
        return operation.call.hasCommonBlocks() ? " with blocks of " + operation.call.blockLengths() + " elements" : "";
    }

    /**
     * Compares all calls of this rank with all calls of another rank, after the last call of both.
     *
     * @param other the other rank
     * @param drawnThere the number of operations that the other rank has drawn
     * @param historyThere the fingerprint of all calls of the other rank
     * @return the exception that names the calls that differ, or null if all calls are the same
     */
    public CollectiveMismatchException compareEnds(int other, long drawnThere, long historyThere) {
        long drawn = context.operations.drawn();
        if (drawn == drawnThere && context.operations.history() == historyThere) {
            return null;
        }
        long common = Math.min(drawn, drawnThere);
        CollectiveMismatchException named = context.localRankHere(other) < 0 ? null : find(common - 1, other);
        if (named != null) {
            return named;
        }
        String self = context.describe();
        String them = context.members.describe(other);
        if (drawn == drawnThere) {
            return mismatch(self + " and " + them + " both made " + calls(drawn) + " on their communicator, but not the"
                    + " same ones; the last one of " + self + " was " + describedAt(drawn - 1, context.rank) + seen());
        }
        String one = drawn > drawnThere ? self : them;
        return mismatch(one + " called " + describedAt(common, drawn > drawnThere ? context.rank : other)
                + " as call number " + (common + 1) + " on its communicator, but " + (drawn > drawnThere ? them : self)
                + " made " + calls(common) + " there in all" + seen());
    }

    /**
     * Describes the call of a rank in an operation. If the descriptor is overwritten, or the rank is on another node,
     * the description is "a collective".
     */
    private String describedAt(long number, int rank) {
        int local = context.localRankHere(rank);
        if (local >= 0 && isDescribedBy(rank, number)) {
            String called = Descriptor.text(machine, ring, descriptor(number, local));
            VarHandle.loadLoadFence();
            if (isDescribedBy(rank, number)) {
                return called;
            }
        }
        return "a collective";
    }

    private static String calls(long number) {
        return number == 1 ? "1 call" : number + " calls";
    }

    private static CollectiveMismatchException mismatch(String difference) {
        return new CollectiveMismatchException(difference
                + "; all ranks must call the same collectives in the same order, with the same arguments", true);
    }

    private static String seen() {
        String site = CallSite.here();
        return site.isEmpty() ? "" : ", as was seen" + site;
    }
}
