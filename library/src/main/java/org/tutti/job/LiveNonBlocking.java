/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;

import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Label;
import org.tutti.collective.Team;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.kernel.Kernel;

/**
 * The communicator's second face: checks arguments, chooses algorithms and draws the numbers of all operations of a
 * call on the caller's thread, and runs them one after the other on a virtual one.
 */
final class LiveNonBlocking extends NonBlockingCommunicator {
    private static final Runnable NOTHING = () -> {
    };

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
        Barrier algorithm = communicator.choice().barrier(communicator.topology());
        long deadlineNanos = communicator.deadlineNanos();
        return start(Collective.BARRIER, 1, (team, _) -> team.draw(Collective.BARRIER, algorithm.label(), null,
                Label.NONE, 0, 0, deadlineNanos), (stage, _) -> stage.barrier(algorithm), NOTHING);
    }

    @Override
    protected Request broadcast(MemorySegment data, DataType type, long count, int root, Runnable afterwards) {
        communicator.checkBroadcast(data, root);
        long bytes = count * type.bytes();
        long lengthMax = communicator.operationBytesMax();
        Broadcast algorithm = communicator.choice().broadcast(communicator.topology(), Math.min(bytes, lengthMax));
        long deadlineNanos = communicator.deadlineNanos();
        int operations = (int) Math.max(1, Math.ceilDiv(bytes, lengthMax));
        return start(Collective.BROADCAST, operations,
                (team, _) -> team.draw(Collective.BROADCAST, algorithm.label(), type, Label.NONE, count, root,
                        deadlineNanos),
                (stage, i) -> stage.broadcast(algorithm, data, i * lengthMax,
                        Math.min(bytes - i * lengthMax, lengthMax), root),
                afterwards);
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
        return start(called, operations,
                (team, i) -> team.draw(called, algorithms[i].label(), type, kernel.label(), count, root,
                        deadlineNanos),
                (stage, i) -> stage.combine(algorithms[i], from, to, i * lengthMax,
                        Math.min(bytes - i * lengthMax, lengthMax), kernel, root),
                afterwards);
    }

    /** What is done for one of the operations of a call. */
    @FunctionalInterface
    private interface Part<T> {
        void run(T on, int operation);
    }

    /**
     * Draws the numbers of all operations of a call, here and now, and has them run one after the other. A call that is
     * refused draws none; what fails later breaks the communicator, as nobody else would run what was drawn.
     */
    private Request start(Collective called, int operations, Part<Team> draw, Part<Stage> run, Runnable afterwards) {
        Stage stage = background.take(called);
        Team team = stage.team();
        int drawn = 0;
        try {
            Team.Drawn[] all = new Team.Drawn[operations];
            while (drawn < operations) {
                draw.run(team, drawn);
                all[drawn] = team.drawn();
                drawn++;
            }
            return background.start(called, stage, () -> {
                for (int i = 0; i < operations; i++) {
                    team.begin(all[i]);
                    run.run(stage, i);
                }
                afterwards.run();
            });
        } catch (Throwable failure) {
            if (drawn > 0) {
                team.breakOff(failure);
            }
            background.putBack(stage);
            throw failure;
        }
    }
}
