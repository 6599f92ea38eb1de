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
 * Compares the calls that this rank has made on a communicator with the calls of another rank. If the calls differ,
 * this class creates the exception that names both. It compares descriptors. A descriptor is the description of a call
 * that each rank writes into its cell, the memory that an operation has for that rank.
 */
public final class CallComparison {
    private final TeamContext context;
    private final Waiter.Check check;
    private final Machine machine;
    private final MemorySegment ring;
    private final Operation operation;

    /**
     * Creates an object that compares the calls of one rank with those of others.
     *
     * @param context the communicator at this rank
     * @param check a check that may end a look at another node by throwing
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
     * Returns whether this rank has written the descriptor of its call in an operation. A rank that still waits until
     * its slot, the memory of the operation, is free has not written it. Its history cannot be compared yet.
     */
    boolean isDescribed(long operation) {
        return machine.loadPlain(ring, descriptor(operation, context.localRank)) == operation + 1;
    }

    /**
     * Returns whether another rank of this node has written its descriptor of an operation, and has not yet overwritten
     * it with that of a later operation.
     */
    boolean isDescribedBy(int other, long operation) {
        return machine.load(ring, descriptor(operation, context.localRankHere(other))) == operation + 1;
    }

    /**
     * Returns whether another rank's history of calls, up to an operation, differs from a given history. A history is
     * kept as a hash. Returns false if the other rank's descriptor of that operation is not there, or cannot be
     * fetched.
     */
    boolean differs(long operation, int other, long history) {
        int local = context.localRankHere(other);
        return local >= 0 ? differs(ring, descriptor(operation, local), operation, history)
                : fetch(operation, other) && differs(context.fetched, RingLayout.DESCRIPTOR, operation, history);
    }

    /**
     * Gets the cell that a rank on another node has in an operation's slot, and returns whether that node has given it.
     */
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
     * Creates the exception for two ranks that have made different calls. The exception names the oldest calls that
     * differ, if their descriptors are still in memory. Otherwise it says that the ranks differed some calls ago.
     *
     * @param sequence the number of the operation in which the difference was seen
     * @param other the other rank, as a rank of the communicator
     */
    CollectiveMismatchException mismatch(long sequence, int other) {
        CollectiveMismatchException named = find(sequence, other);
        return named != null ? named
                : mismatch(context.describe() + " and " + context.members.describe(other)
                        + " called different collectives, or disagreed on an argument, some calls ago" + seen());
    }

    /**
     * Finds the oldest call in which this rank and another rank differ, and returns the exception that names both
     * calls. The search goes back as far as the slots still hold descriptors. During the search, the other rank may run
     * ahead and overwrite its old descriptors. Therefore this method reads a descriptor, and then checks that the same
     * descriptor is still there. Otherwise the content that it has read does not count.
     *
     * @param sequence the number of the last operation to look at
     * @param other the other rank, as a rank of the communicator
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
                String own = Descriptor.text(context, ring, mine);
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

    /** Returns a description of another rank's call by which a reader can distinguish it from this rank's call. */
    private String difference(String own, long mine, MemorySegment cells, long theirs) {
        String called = Descriptor.text(context, cells, theirs);
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
     * Compares all calls of this rank on the communicator with all calls of another rank. Both ranks must have made
     * their last call.
     *
     * @param other the other rank, as a rank of the communicator
     * @param drawnThere the number of operations that all calls of the other rank consist of
     * @param historyThere the fingerprint, a hash, of all calls of the other rank
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
     * Returns a description of the call of a rank in an operation, for messages. The description is "a collective" if
     * the descriptor has been overwritten, or if the rank is on another node.
     */
    private String describedAt(long number, int rank) {
        int local = context.localRankHere(rank);
        if (local >= 0 && isDescribedBy(rank, number)) {
            String called = Descriptor.text(context, ring, descriptor(number, local));
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
