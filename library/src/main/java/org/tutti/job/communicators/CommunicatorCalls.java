/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.lang.foreign.MemorySegment;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.choice.Choice;
import org.tutti.choice.Shortlist;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;
import org.tutti.message.CommunicatorMessages;

/**
 * Makes the calls of a rank on one view of a communicator. A view has its own choice of algorithms and time limit for
 * calls. This class checks arguments, chooses the algorithm and sets the deadline. Then it runs the call on the
 * caller's thread, starts it as a request, or returns it as a prepared call.
 *
 * <p>A blocking call fills the communicator's own {@link Call}, and takes kernels, which combine elements, from the
 * communicator's cache. Therefore it allocates nothing. A started or prepared call is a new {@code Call} with a kernel
 * of its own, because only one thread at a time may use a kernel.
 */
final class CommunicatorCalls {
    private final CommunicatorState state;
    private final Team team;
    private final JobDeadline deadline;
    private final Choice choice;
    private final Shortlist shortlist;
    private final long waitNanosMax;

    /**
     * Creates the calls of a rank on a view of a communicator that sets no time limit of its own for calls.
     *
     * @param state the rank's state of the communicator
     * @param deadline the time until which the rank's calls must end
     * @param choice the requested algorithms
     */
    CommunicatorCalls(CommunicatorState state, JobDeadline deadline, Choice choice) {
        this(state, deadline, choice, choice.shortlist(state.topology()), Long.MAX_VALUE);
    }

    private CommunicatorCalls(CommunicatorState state, JobDeadline deadline, Choice choice, Shortlist shortlist,
            long waitNanosMax) {
        this.state = state;
        this.team = state.team;
        this.deadline = deadline;
        this.choice = choice;
        this.shortlist = shortlist;
        this.waitNanosMax = waitNanosMax;
    }

    /** Returns a view that runs one collective with the given algorithm, and otherwise equals this one. */
    CommunicatorCalls withAlgorithm(Collective collective, String name) {
        Choice changed = choice.with(collective, name);
        return new CommunicatorCalls(state, deadline, changed, changed.shortlist(state.topology()),
                waitNanosMax);
    }

    /** Returns a view that limits the time of each call, and otherwise equals this one. */
    CommunicatorCalls withLimit(long nanosMax) {
        return new CommunicatorCalls(state, deadline, choice, shortlist, nanosMax);
    }

    CommunicatorState state() {
        return state;
    }

    CommunicatorMessages messages() {
        return state.messages;
    }

    int rank() {
        return team.rank();
    }

    int size() {
        return team.size();
    }

    String describe() {
        return team.describe();
    }

    /** Returns the time at which a call that begins now must end. */
    long deadlineNanos() {
        state.checkOpen();
        return deadline.ofCall(waitNanosMax);
    }

    // ---- calls that block

    void runBarrier() {
        run(fillChoice(state.call, Collective.BARRIER, 0, null, 0, deadlineNanos()));
    }

    /**
     * Runs a barrier that is part of another call.
     *
     * @param called the name of that other call, for messages
     * @param same a number that must be the same at all ranks, because it is compared between them
     */
    void runBarrierOf(String called, int same, long deadlineNanos) {
        Call barrier = fillChoice(state.call, Collective.BARRIER, 0, null, same, deadlineNanos);
        barrier.setCalled(called);
        run(barrier);
    }

    /** Sums numbers over all ranks, element by element and in place, with an allreduce that is part of another call. */
    void runSumOf(String called, long[] numbers) {
        MemorySegment segment = MemorySegment.ofArray(numbers);
        Call allreduce = fillElements(state.call, Collective.ALLREDUCE, segment, segment, DataType.LONG,
                numbers.length, state.kernels.of(Reduction.SUM, DataType.LONG), 0);
        allreduce.setCalled(called);
        run(allreduce);
    }

    /** Gathers one number from each rank with an allgather that is part of another call. */
    void runGatherOf(String called, long number, long[] numbers) {
        Call allgather = fillElements(state.call, Collective.ALLGATHER, MemorySegment.ofArray(new long[]{number}),
                MemorySegment.ofArray(numbers), DataType.LONG, 1, null, 0);
        allgather.setCalled(called);
        run(allgather);
    }

    void run(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root) {
        Kernel kernel = called.combines() ? state.kernels.of(reduction, type) : null;
        run(fillElements(state.call, called, source, target, type, count, kernel, root));
    }

    void runWithBlocks(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Blocks sourceBlocks, Blocks targetBlocks, Reduction reduction, int root) {
        Kernel kernel = called.combines() ? state.kernels.of(reduction, type) : null;
        run(fillBlocks(state.call, called, source, target, type, count, sourceBlocks, targetBlocks, kernel, root));
    }

    /**
     * Runs a prepared call. The communicator's own {@code Call} runs with a copy of the prepared call's arguments.
     * Therefore only the {@code PreparedCall} keeps the memory of the arguments reachable.
     */
    void runKept(Call kept) {
        run(fillLike(state.call, kept));
    }

    private void run(Call filled) {
        try {
            filled.draw(team);
            filled.run(team);
        } finally {
            filled.clear();
        }
    }

    // ---- calls that are started or kept

    Call newBarrier() {
        return fillChoice(new Call(), Collective.BARRIER, 0, null, 0, deadlineNanos());
    }

    Call newCall(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root) {
        return fillElements(new Call(), called, source, target, type, count, newKernel(called, type, reduction), root);
    }

    Call newCallWithBlocks(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Blocks sourceBlocks, Blocks targetBlocks, Reduction reduction, int root) {
        return fillBlocks(new Call(), called, source, target, type, count, sourceBlocks, targetBlocks,
                newKernel(called, type, reduction), root);
    }

    private static Kernel newKernel(Collective called, DataType type, Reduction reduction) {
        return called.combines() ? Kernels.of(reduction, type) : null;
    }

    /** Starts a new call. */
    Request start(Call call, Runnable afterwards) {
        return state.runner.start(call, afterwards, () -> {
        });
    }

    /** Starts a prepared call as a new call. */
    Request startKept(Call kept, Runnable afterwards, Runnable atLast) {
        return state.runner.start(fillLike(new Call(), kept), afterwards, atLast);
    }

    // ---- filling a call

    /** Fills a call in which blocks may differ in length. */
    private Call fillBlocks(Call empty, Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count, Blocks sourceBlocks, Blocks targetBlocks, Kernel kernel, int root) {
        check(called, target, root);
        long longest = 0;
        for (int other = 0; kernel != null && other < size(); other++) {
            kernel.checkUnits(sourceBlocks.count(other));
            longest = Math.max(longest, sourceBlocks.count(other));
        }
        long deadlineNanos = deadlineNanos();
        team.checkIdle(called.label());
        boolean commutes = kernel == null || kernel.isCommutative();
        empty.set(shortlist.ofBlocks(called, longest * type.bytes(), commutes), root, deadlineNanos);
        empty.setElements(source, target, type, count, kernel);
        empty.setBlocks(rank(), sourceBlocks, targetBlocks, true);
        return empty;
    }

    /** Fills a call in which every rank has the same number of elements. */
    private Call fillElements(Call empty, Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count, Kernel kernel, int root) {
        check(called, target, root);
        if (kernel != null) {
            kernel.checkUnits(count);
        }
        Call filled = fillChoice(empty, called, count * type.bytes(), kernel, root, deadlineNanos());
        filled.setElements(source, target, type, count, kernel);
        if (called.hasBlocks()) {
            filled.setBlocks(rank(), null, null, false);
        }
        return filled;
    }

    /**
     * Sets the algorithm, the root and the deadline of a call. All checks come before the first write to the call,
     * because another thread may be running it.
     */
    private Call fillChoice(Call empty, Collective called, long bytes, Kernel kernel, int root, long deadlineNanos) {
        Algorithm algorithm = shortlist.algorithm(called, Math.min(bytes, team.operationBytesMax()),
                kernel == null || kernel.isCommutative());
        team.checkIdle(called.label());
        empty.set(algorithm, root, deadlineNanos);
        return empty;
    }

    private Call fillLike(Call empty, Call kept) {
        long deadlineNanos = deadlineNanos();
        if (!kept.hasMemory()) {
            throw new IllegalStateException(team.describe() + " called " + kept.collective().label()
                    + " by a prepared call whose memory lies in an arena that has been closed; prepare another one");
        }
        team.checkIdle(kept.collective().label());
        empty.setLike(kept, deadlineNanos);
        return empty;
    }

    private void check(Collective called, MemorySegment target, int root) {
        if (called.hasRoot()) {
            checkRoot(root);
        }
        if (called.receives(rank(), root) && target.isReadOnly()) {
            throw new IllegalArgumentException(team.describe() + " cannot receive into read-only memory: " + target);
        }
    }

    private void checkRoot(int root) {
        if (root < 0 || root >= team.size()) {
            throw new IllegalArgumentException(
                    "root " + root + " is not a rank of this communicator, which has ranks 0 to "
                            + (team.size() - 1));
        }
    }
}
