/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;

import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Topology;
import org.tutti.choice.Choice;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Area;
import org.tutti.collective.Label;
import org.tutti.collective.Team;
import org.tutti.collective.allreduce.Allreduce;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.reduce.Reduce;

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
    private final long waitNanosMax;
    private final Area source;
    private final Area target;
    private final Kernel[] kernels;

    LiveCommunicator(LiveJob job, Team team, Topology topology, Choice choice) {
        this.job = job;
        this.team = team;
        this.topology = topology;
        this.choice = choice;
        this.waitNanosMax = Long.MAX_VALUE;
        this.source = new Area();
        this.target = new Area();
        this.kernels = new Kernel[KERNELS_KEPT];
    }

    private LiveCommunicator(LiveCommunicator viewed, Choice choice, long waitNanosMax) {
        super(viewed);
        this.job = viewed.job;
        this.team = viewed.team;
        this.topology = viewed.topology;
        this.choice = choice;
        this.waitNanosMax = waitNanosMax;
        this.source = viewed.source;
        this.target = viewed.target;
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
    public void barrier() {
        Barrier algorithm = choice.barrier();
        team.enter(Collective.BARRIER, algorithm.label(), null, Label.NONE, 0, 0, deadlineNanos());
        try {
            if (team.size() > 1) {
                algorithm.run(team);
            }
            team.leave();
        } catch (Throwable failure) {
            team.breakOff(failure);
            throw failure;
        }
    }

    @Override
    protected void broadcast(MemorySegment data, DataType type, long count, int root) {
        checkRoot(root);
        if (rank() != root && data.isReadOnly()) {
            throw new IllegalArgumentException("rank " + rank() + " cannot receive into read-only memory: " + data);
        }
        Broadcast algorithm = choice.broadcast(topology);
        long bytes = count * type.bytes();
        long deadlineNanos = deadlineNanos();
        long at = 0;
        do {
            long length = Math.min(bytes - at, team.operationBytesMax());
            team.enter(Collective.BROADCAST, algorithm.label(), type, Label.NONE, count, root, deadlineNanos);
            try {
                source.set(data, at);
                if (team.size() > 1) {
                    algorithm.run(team, source, length, root);
                }
                team.leave();
            } catch (Throwable failure) {
                team.breakOff(failure);
                throw failure;
            } finally { // the caller's memory is not ours to keep
                source.clear();
                target.clear();
            }
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
        Kernel kernel = kernel(reduction, type, count);
        boolean receives = called == Collective.ALLREDUCE || rank() == root;
        if (receives && to.isReadOnly()) {
            throw new IllegalArgumentException("rank " + rank() + " cannot receive into read-only memory: " + to);
        }
        long bytes = count * type.bytes();
        long lengthMax = kernel.wholeUnits(team.operationBytesMax());
        long deadlineNanos = deadlineNanos();
        long at = 0;
        do {
            long length = Math.min(bytes - at, lengthMax);
            Algorithm algorithm = called == Collective.REDUCE ? choice.reduce(topology, length, kernel)
                    : choice.allreduce(topology, length, kernel);
            team.enter(called, algorithm.label(), type, kernel.label(), count, root, deadlineNanos);
            try {
                source.set(from, at);
                target.set(to, at);
                if (team.size() == 1) {
                    copyAlone(length);
                } else if (algorithm instanceof Reduce reduce) {
                    reduce.run(team, source, target, length, kernel, root);
                } else {
                    ((Allreduce) algorithm).run(team, source, target, length, kernel);
                }
                team.leave();
            } catch (Throwable failure) {
                team.breakOff(failure);
                throw failure;
            } finally { // the caller's memory is not ours to keep
                source.clear();
                target.clear();
            }
            at += length;
        } while (at < bytes);
    }

    private void copyAlone(long length) {
        if (!source.isSameAs(target)) {
            team.copy(source, 0, target, 0, length);
        }
    }

    private long deadlineNanos() {
        return job.deadlineNanos(waitNanosMax);
    }

    private void checkRoot(int root) {
        if (root < 0 || root >= team.size()) {
            throw new IllegalArgumentException(
                    "root " + root + " is not a rank of this communicator, which has ranks 0 to "
                            + (team.size() - 1));
        }
    }

    private Kernel kernel(Reduction reduction, DataType type, long count) {
        Kernel kernel = kept(reduction, type);
        if (count % reduction.unit() != 0) {
            throw new IllegalArgumentException("the operator " + reduction + " works on units of " + reduction.unit()
                    + " elements, and " + count + " elements are no whole number of them");
        }
        return kernel;
    }

    /** The kernels of the latest operators, the newest first, so that calls with the same few allocate nothing. */
    private Kernel kept(Reduction reduction, DataType type) {
        for (Kernel kernel : kernels) {
            if (kernel != null && kernel.isOf(reduction, type)) {
                return kernel;
            }
        }
        if (!Objects.requireNonNull(reduction, "reduction").supports(type)) {
            throw new IllegalArgumentException(
                    "the operator " + reduction + " does not work on elements of type " + type
                            + "; the table at org.tutti.Reduction says which do");
        }
        System.arraycopy(kernels, 0, kernels, 1, KERNELS_KEPT - 1);
        kernels[0] = Kernel.of(reduction, type);
        return kernels[0];
    }
}
