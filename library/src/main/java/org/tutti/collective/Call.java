/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.OperationSequence;

/**
 * A call of a collective with its arguments and the algorithm that runs it: a blocking call draws and runs it on the
 * caller's thread, a non-blocking one draws it there and runs it on another thread.
 */
public final class Call extends CallArguments {
    private Algorithm algorithm;

    /**
     * Says what is called; a call of a collective with elements has them from {@link #setElements}.
     *
     * @param newAlgorithm the algorithm
     * @param newRoot the root, or 0; of a barrier what else must be the same at all ranks
     * @param newDeadlineNanos when it must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            for never
     */
    public void set(Algorithm newAlgorithm, int newRoot, long newDeadlineNanos) {
        algorithm = newAlgorithm;
        set(newAlgorithm.collective(), newAlgorithm.label(), newRoot, newDeadlineNanos);
    }

    /**
     * Says that the same is called as by another call, of which nothing has been drawn.
     *
     * @param other the other call
     * @param newDeadlineNanos when it must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            for never
     */
    public void setLike(Call other, long newDeadlineNanos) {
        set(other.algorithm, other.root(), newDeadlineNanos);
        setElementsLike(other);
    }

    /**
     * {@return the algorithm}
     */
    public Algorithm algorithm() {
        return algorithm;
    }

    /**
     * Gives the operations of this call their numbers and their place in the history: on the thread of the caller,
     * whose order of calls must be the same at all ranks.
     *
     * @param team the team that runs it
     * @throws IllegalArgumentException when a block is longer than an operation can have; nothing is drawn
     */
    public void draw(Team team) {
        long bytesMax = operationBytesMax(team);
        team.context.enter(called());
        draw(team.context.operations, bytesMax);
    }

    /**
     * As {@link #draw}, for a call that is run on another thread or later than the next one, by a team {@linkplain
     * Team#forBackground for that}.
     *
     * @param team a team of the communicator at this rank
     * @throws IllegalArgumentException when a block is longer than an operation can have; nothing is drawn
     */
    public void drawForOther(Team team) {
        long bytesMax = operationBytesMax(team);
        team.context.operations.expectOtherThreads();
        draw(team.context.operations, bytesMax);
    }

    void draw(OperationSequence operations, long bytesMax) {
        long count = cut(bytesMax);
        long history = operations.history();
        number(operations.draw(hash, count), history);
    }

    private long operationBytesMax(Team team) {
        if (team.size() == 1) {
            return Long.MAX_VALUE; // a lone rank copies
        }
        long bytesMax = algorithm.operationBytesMax(team, kernel());
        if (isUnequal() && !collective().combines()) {
            checkBlocks(bytesMax, team);
        }
        return bytesMax;
    }

    /** Makes sure that no block is longer than an operation can have, where a call is one operation. */
    private void checkBlocks(long bytesMax, Team team) {
        long longest = longestBlockBytes(team.size());
        if (longest > bytesMax) {
            throw new IllegalArgumentException(team.describe() + " called " + called() + " with a block of " + longest
                    + " bytes; with " + team.size() + " ranks it may have " + bytesMax + ", so use several calls");
        }
    }

    /**
     * Runs this call, which was drawn, on this thread. An exception has broken the communicator.
     *
     * @param team the team that runs it
     */
    public void run(Team team) {
        OperationLifecycle lifecycle = team.lifecycle;
        try {
            do { // most calls are a single operation
                begin(team);
                if (team.size() > 1) {
                    algorithm.run(team, this);
                } else {
                    runAlone(team);
                }
                assert team.areFlowsDone()
                        : team.describe() + " leaves " + called() + " before all has been sent or taken";
                lifecycle.leave();
            } while (next());
        } catch (Throwable failure) {
            lifecycle.breakOff(failure);
            throw failure;
        } finally {
            team.context.leave();
        }
    }

    /** Begins the present operation. */
    public void begin(Team team) {
        OperationLifecycle lifecycle = team.lifecycle;
        lifecycle.begin(this, lifecycle.mayClaim() && algorithm.usesEagerBuffers(bytes()));
    }

    /** A lone rank's contribution is its result. */
    private void runAlone(Team team) {
        if (collective().receives(0, root()) && !source().isSameAs(target())) {
            team.copy(source(), sourceAt(0), target(), targetAt(0),
                    collective().combines() ? blockBytes(0) : sourceBytes(0));
        }
    }
}
