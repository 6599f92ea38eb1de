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
import org.tutti.collective.Algorithm;
import org.tutti.collective.Label;
import org.tutti.collective.Machine;
import org.tutti.collective.Team;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.kernel.Kernel;
import org.tutti.onesided.Allocator;

/**
 * The communicator behind the face: checks arguments, chooses an algorithm, and runs it as one operation of its team,
 * on the caller's thread. Very long messages are several operations.
 */
final class LiveCommunicator extends Communicator {
    private static final int KERNELS_KEPT = 8;

    private final LiveJob job;
    private final Team team;
    private final Topology topology;
    private final Choice choice;
    private final Allocator allocator;
    private final long waitNanosMax;
    private final Stage stage;
    private final Background background;
    private final LiveNonBlocking nonBlocking;
    private final Kernel[] kernels;

    LiveCommunicator(LiveJob job, Team team, Machine backgroundMachine, Topology topology, Choice choice,
            Allocator allocator) {
        this.job = job;
        this.team = team;
        this.topology = topology;
        this.choice = choice;
        this.allocator = allocator;
        this.waitNanosMax = Long.MAX_VALUE;
        this.stage = new Stage(team);
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
        this.allocator = viewed.allocator;
        this.waitNanosMax = waitNanosMax;
        this.stage = viewed.stage;
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
    public void barrier() {
        Barrier algorithm = choice.barrier(topology);
        team.enter(Collective.BARRIER, algorithm.label(), null, Label.NONE, 0, 0, deadlineNanos());
        stage.barrier(algorithm);
    }

    @Override
    public RemoteMemory allocate(long bytes) {
        return allocator.allocate(this, bytes, this::deadlineNanos);
    }

    @Override
    protected void broadcast(MemorySegment data, DataType type, long count, int root) {
        checkBroadcast(data, root);
        long bytes = count * type.bytes();
        Broadcast algorithm = choice.broadcast(topology, Math.min(bytes, team.operationBytesMax()));
        long deadlineNanos = deadlineNanos();
        long at = 0;
        do {
            long length = Math.min(bytes - at, team.operationBytesMax());
            team.enter(Collective.BROADCAST, algorithm.label(), type, Label.NONE, count, root, deadlineNanos);
            stage.broadcast(algorithm, data, at, length, root);
            at += length;
        } while (at < bytes);
    }

    @Override
    protected void reduce(MemorySegment from, MemorySegment to, DataType type, long count, Reduction reduction,
            int root) {
        checkRoot(root);
        combine(Collective.REDUCE, from, to, type, count, reduction, root);
    }

    @Override
    protected void allreduce(MemorySegment from, MemorySegment to, DataType type, long count, Reduction reduction) {
        combine(Collective.ALLREDUCE, from, to, type, count, reduction, 0);
    }

    private void combine(Collective called, MemorySegment from, MemorySegment to, DataType type, long count,
            Reduction reduction, int root) {
        checkCombine(reduction, type, count);
        checkTarget(called, to, root);
        Kernel kernel = kept(reduction, type);
        long bytes = count * type.bytes();
        long lengthMax = kernel.wholeUnits(team.operationBytesMax());
        long deadlineNanos = deadlineNanos();
        long at = 0;
        do {
            long length = Math.min(bytes - at, lengthMax);
            Algorithm algorithm = algorithm(called, length, kernel);
            team.enter(called, algorithm.label(), type, kernel.label(), count, root, deadlineNanos);
            stage.combine(algorithm, from, to, at, length, kernel, root);
            at += length;
        } while (at < bytes);
    }

    Choice choice() {
        return choice;
    }

    Algorithm algorithm(Collective called, long length, Kernel kernel) {
        return called == Collective.REDUCE ? choice.reduce(topology, length, kernel)
                : choice.allreduce(topology, length, kernel);
    }

    long operationBytesMax() {
        return team.operationBytesMax();
    }

    long deadlineNanos() {
        return job.deadlineNanos(waitNanosMax);
    }

    /** The rank leaves its job: its requests in flight are to end. */
    void end() {
        allocator.end();
        team.end();
    }

    void checkBroadcast(MemorySegment data, int root) {
        checkRoot(root);
        if (rank() != root && data.isReadOnly()) {
            throw new IllegalArgumentException("rank " + rank() + " cannot receive into read-only memory: " + data);
        }
    }

    void checkRoot(int root) {
        if (root < 0 || root >= team.size()) {
            throw new IllegalArgumentException(
                    "root " + root + " is not a rank of this communicator, which has ranks 0 to "
                            + (team.size() - 1));
        }
    }

    void checkTarget(Collective called, MemorySegment to, int root) {
        boolean receives = called == Collective.ALLREDUCE || rank() == root;
        if (receives && to.isReadOnly()) {
            throw new IllegalArgumentException("rank " + rank() + " cannot receive into read-only memory: " + to);
        }
    }

    static void checkCombine(Reduction reduction, DataType type, long count) {
        if (!Objects.requireNonNull(reduction, "reduction").supports(type)) {
            throw new IllegalArgumentException(
                    "the operator " + reduction + " does not work on elements of type " + type
                            + "; the table at org.tutti.Reduction says which do");
        }
        if (count % reduction.unit() != 0) {
            throw new IllegalArgumentException("the operator " + reduction + " works on units of " + reduction.unit()
                    + " elements, and " + count + " elements are no whole number of them");
        }
    }

    /** The kernels of the latest operators, the newest first, so that calls with the same few allocate nothing. */
    private Kernel kept(Reduction reduction, DataType type) {
        for (Kernel kernel : kernels) {
            if (kernel != null && kernel.isOf(reduction, type)) {
                return kernel;
            }
        }
        System.arraycopy(kernels, 0, kernels, 1, KERNELS_KEPT - 1);
        kernels[0] = Kernel.of(reduction, type);
        return kernels[0];
    }
}
