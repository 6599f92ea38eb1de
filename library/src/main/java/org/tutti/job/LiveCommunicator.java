/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;

import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Topology;
import org.tutti.choice.Choice;
import org.tutti.choice.Shortlist;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Machine;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.onesided.Allocator;

/**
 * The communicator behind the face: checks arguments, chooses an algorithm, and runs the call on the caller's thread.
 */
final class LiveCommunicator extends Communicator {
    private static final int KERNELS_KEPT = 8;

    private final LiveJob job;
    private final Team team;
    private final Topology topology;
    private final Choice choice;
    private final Shortlist shortlist;
    private final Allocator allocator;
    private final long waitNanosMax;
    private final Call call;
    private final Background background;
    private final LiveNonBlocking nonBlocking;
    private final Kernel[] kernels;

    LiveCommunicator(LiveJob job, Team team, Machine backgroundMachine, Topology topology, Choice choice,
            Allocator allocator) {
        this.job = job;
        this.team = team;
        this.topology = topology;
        this.choice = choice;
        this.shortlist = choice.shortlist(topology);
        this.allocator = allocator;
        this.waitNanosMax = Long.MAX_VALUE;
        this.call = new Call();
        this.background = new Background(team, () -> team.forBackground(backgroundMachine));
        this.nonBlocking = new LiveNonBlocking(this, background);
        this.kernels = new Kernel[KERNELS_KEPT];
    }

    private LiveCommunicator(LiveCommunicator viewed, Choice choice, long waitNanosMax) {
        super(viewed);
        this.job = viewed.job;
        this.team = viewed.team;
        this.topology = viewed.topology;
        this.choice = choice;
        this.shortlist = choice == viewed.choice ? viewed.shortlist : choice.shortlist(topology);
        this.allocator = viewed.allocator;
        this.waitNanosMax = waitNanosMax;
        this.call = viewed.call;
        this.background = viewed.background;
        this.nonBlocking = new LiveNonBlocking(this, background);
        this.kernels = viewed.kernels;
    }

    @Override
    public int rank() {
        return team.rank();
    }

    @Override
    public int size() {
        return team.size();
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public Communicator withAlgorithm(Collective collective, String name) {
        return new LiveCommunicator(this, choice.with(Objects.requireNonNull(collective, "collective"), name),
                waitNanosMax);
    }

    @Override
    public Communicator withDeadline(Duration deadline) {
        if (!deadline.isPositive()) {
            throw new IllegalArgumentException("a deadline must be more than zero, not " + deadline);
        }
        return new LiveCommunicator(this, choice, nanos(deadline));
    }

    static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException _) {
            return Long.MAX_VALUE; // more than 292 years
        }
    }

    @Override
    public NonBlockingCommunicator nonBlocking() {
        return nonBlocking;
    }

    @Override
    public RemoteMemory allocate(long bytes) {
        return allocator.allocate(this, bytes, this::deadlineNanos);
    }

    @Override
    public void barrier() {
        run(prepare(call, Collective.BARRIER, 0, null, 0));
    }

    @Override
    protected void broadcast(MemorySegment data, DataType type, long count, int root) {
        run(prepare(call, Collective.BROADCAST, data, data, type, count, null, root));
    }

    @Override
    protected void reduce(MemorySegment source, MemorySegment target, DataType type, long count, Reduction reduction,
            int root) {
        run(prepare(call, Collective.REDUCE, source, target, type, count, kept(reduction, type), root));
    }

    @Override
    protected void allreduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction) {
        run(prepare(call, Collective.ALLREDUCE, source, target, type, count, kept(reduction, type), 0));
    }

    private void run(Call prepared) {
        try {
            team.draw(prepared);
            team.run(prepared);
        } finally {
            prepared.clear();
        }
    }

    Call prepare(Call empty, Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Kernel kernel, int root) {
        if (called.hasRoot()) {
            checkRoot(root);
        }
        if (kernel != null) {
            kernel.checkUnits(count);
        }
        if (called.receives(rank(), root) && target.isReadOnly()) {
            throw new IllegalArgumentException("rank " + rank() + " cannot receive into read-only memory: " + target);
        }
        Call prepared = prepare(empty, called, count * type.bytes(), kernel, root);
        prepared.setElements(source, target, type, count, kernel);
        return prepared;
    }

    /** Touches the call only when nothing can be wrong any more: it may be the one that another thread is inside. */
    Call prepare(Call empty, Collective called, long bytes, Kernel kernel, int root) {
        Algorithm algorithm = shortlist.algorithm(called, Math.min(bytes, team.operationBytesMax()),
                kernel == null || kernel.isCommutative());
        long deadlineNanos = deadlineNanos();
        team.checkIdle(called);
        empty.set(algorithm, root, deadlineNanos);
        return empty;
    }

    long deadlineNanos() {
        return job.deadlineNanos(waitNanosMax);
    }

    /** The rank leaves its job: its requests in flight are to end. */
    void end() {
        allocator.end();
        team.end();
    }

    /** The rank has left its job: the others await nothing of it, and may use again what they have shown. */
    void leaveAll() {
        team.leaveAll();
    }

    private void checkRoot(int root) {
        if (root < 0 || root >= team.size()) {
            throw new IllegalArgumentException(
                    "root " + root + " is not a rank of this communicator, which has ranks 0 to "
                            + (team.size() - 1));
        }
    }

    /** The kernels of the latest operators, the newest first, so that calls with the same few allocate nothing. */
    private Kernel kept(Reduction reduction, DataType type) {
        for (Kernel kernel : kernels) {
            if (kernel != null && kernel.isOf(reduction, type)) {
                return kernel;
            }
        }
        Kernel kernel = Kernel.of(reduction, type);
        System.arraycopy(kernels, 0, kernels, 1, KERNELS_KEPT - 1);
        kernels[0] = kernel;
        return kernel;
    }
}
