/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Label;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.kernel.Kernel;

/**
 * The communicator's second face: checks arguments, chooses algorithms and draws the numbers of all operations of a
 * call
 * on the caller's thread, and runs them one after the other on a virtual one.
 */
final class LiveNonBlocking extends NonBlockingCommunicator {
    private final LiveCommunicator communicator;
    private final Background background;

    LiveNonBlocking(LiveCommunicator communicator, Background background) {
        this.communicator = communicator;
        this.background = background;
    }

    @Override
    protected int rank() {
        return communicator.rank();
    }

    @Override
    public Request barrier() {
        Barrier algorithm = communicator.choice().barrier();
        long deadlineNanos = communicator.deadlineNanos();
        background.reserve(Collective.BARRIER);
        Stage stage = background.stage();
        return start(Collective.BARRIER, List.of(stage), () -> stage.team().draw(Collective.BARRIER,
                algorithm.label(), null, Label.NONE, 0, 0, deadlineNanos), () -> {
                    stage.team().begin();
                    stage.barrier(algorithm);
                });
    }

    @Override
    protected Request broadcast(MemorySegment data, DataType type, long count, int root, Runnable afterwards) {
        communicator.checkBroadcast(data, root);
        Broadcast algorithm = communicator.choice().broadcast(communicator.topology());
        long bytes = count * type.bytes();
        long deadlineNanos = communicator.deadlineNanos();
        long lengthMax = communicator.operationBytesMax();
        background.reserve(Collective.BROADCAST);
        List<Stage> stages = stages(bytes, lengthMax);
        return start(Collective.BROADCAST, stages, () -> {
            for (Stage stage : stages) {
                stage.team().draw(Collective.BROADCAST, algorithm.label(), type, Label.NONE, count, root,
                        deadlineNanos);
            }
        }, () -> {
            long at = 0;
            for (Stage stage : stages) {
                stage.team().begin();
                stage.broadcast(algorithm, data, at, Math.min(bytes - at, lengthMax), root);
                at += lengthMax;
            }
            afterwards.run();
        });
    }

    @Override
    protected Request reduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root, Runnable afterwards) {
        communicator.checkRoot(root);
        return combine(Collective.REDUCE, source, target, type, count, reduction, root, afterwards);
    }

    @Override
    protected Request allreduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, Runnable afterwards) {
        return combine(Collective.ALLREDUCE, source, target, type, count, reduction, 0, afterwards);
    }

    private Request combine(Collective called, MemorySegment from, MemorySegment to, DataType type, long count,
            Reduction reduction, int root, Runnable afterwards) {
        LiveCommunicator.checkCombine(reduction, type, count);
        communicator.checkTarget(called, to, root);
        Kernel kernel = Kernel.of(reduction, type); // of its own: one thread at a time uses it
        long bytes = count * type.bytes();
        long lengthMax = kernel.wholeUnits(communicator.operationBytesMax());
        long deadlineNanos = communicator.deadlineNanos();
        int operations = (int) Math.max(1, Math.ceilDiv(bytes, lengthMax));
        Algorithm[] algorithms = new Algorithm[operations];
        for (int i = 0; i < operations; i++) {
            algorithms[i] = communicator.algorithm(called, Math.min(bytes - i * lengthMax, lengthMax), kernel);
        }
        background.reserve(called);
        List<Stage> stages = stages(bytes, lengthMax);
        return start(called, stages, () -> {
            for (int i = 0; i < operations; i++) {
                stages.get(i).team().draw(called, algorithms[i].label(), type, kernel.label(), count, root,
                        deadlineNanos);
            }
        }, () -> {
            for (int i = 0; i < operations; i++) {
                long at = i * lengthMax;
                stages.get(i).team().begin();
                stages.get(i).combine(algorithms[i], from, to, at, Math.min(bytes - at, lengthMax), kernel, root);
            }
            afterwards.run();
        });
    }

    private List<Stage> stages(long bytes, long lengthMax) {
        List<Stage> stages = new ArrayList<>();
        for (long i = 0; i < Math.max(1, Math.ceilDiv(bytes, lengthMax)); i++) {
            stages.add(background.stage());
        }
        return stages;
    }

    private Request start(Collective called, List<Stage> stages, Runnable draw, Runnable operation) {
        try {
            draw.run();
        } catch (Throwable failure) {
            background.release();
            throw failure;
        }
        return background.start(called, stages, operation);
    }
}
