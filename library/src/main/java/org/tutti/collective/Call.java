/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.OperationSequence;

/**
 * One call of a collective at one rank: its arguments ({@link CallArguments}) and the algorithm that runs it.
 *
 * <p>A communicator has one call object, which it fills again for each blocking call, and makes another one for each
 * non-blocking or prepared call. The caller's thread fills the object and {@linkplain #draw draws} the numbers of its
 * operations, so that the numbers follow the order of the calls, which is the same at all ranks. Then one thread
 * {@linkplain #run runs} it: the caller's own for a blocking call, a thread of {@code RequestRunner} or the awaiting
 * one for a non-blocking call.
 */
public final class Call extends CallArguments {
    private Algorithm algorithm;

    /**
     * Sets what is called. {@link #setElements} sets the elements of a collective that has elements.
     *
     * @param newAlgorithm the algorithm
     * @param newRoot the root, or 0; for a barrier, a number that must be the same at all ranks
     * @param newDeadlineNanos when the call must have ended, in terms of {@link System#nanoTime()}; {@link
     *            Long#MAX_VALUE} for never
     */
    public void set(Algorithm newAlgorithm, int newRoot, long newDeadlineNanos) {
        algorithm = newAlgorithm;
        set(newAlgorithm.collective(), newAlgorithm.label(), newRoot, newDeadlineNanos);
    }

    /**
     * Copies the algorithm, root, elements and blocks of another call, which must not have drawn its numbers.
     *
     * @param other the other call
     * @param newDeadlineNanos when the call must have ended, in terms of {@link System#nanoTime()}; {@link
     *            Long#MAX_VALUE} for never
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
     * Gives the operations of this call their numbers and their fingerprints in the history. The caller's thread calls
     * this, in an order of calls that must be the same at all ranks.
     *
     * @param team the team that will run the call
     * @throws IllegalArgumentException when a block is longer than an operation can have; nothing is drawn
     */
    public void draw(Team team) {
        long bytesMax = operationBytesMax(team);
        team.context.enter(called());
        draw(team.context.operations, bytesMax);
    }

    /**
     * Draws the numbers as {@link #draw} does, for a call that runs on another thread or after a later call, by a team
     * that {@link Team#forBackground} has made.
     *
     * @param team any team of the communicator at this rank
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

    /** Checks that no block is longer than an operation can have, for a call that is one operation. */
    private void checkBlocks(long bytesMax, Team team) {
        long longest = longestBlockBytes(team.size());
        if (longest > bytesMax) {
            throw new IllegalArgumentException(team.describe() + " called " + called() + " with a block of " + longest
                    + " bytes; with " + team.size() + " ranks it may have " + bytesMax + ", so use several calls");
        }
    }

    /**
     * Runs this call, which has drawn its numbers, on this thread. An exception breaks the communicator.
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

    /**
     * Begins the current operation. {@link #run} does so itself; tests call it to stop inside an operation.
     *
     * @param team the team that runs it
     */
    public void begin(Team team) {
        OperationLifecycle lifecycle = team.lifecycle;
        lifecycle.begin(this, lifecycle.mayClaim() && algorithm.usesEagerBuffers(bytes()));
    }

    /** Runs the call of a lone rank: the rank's contribution is the result. */
    private void runAlone(Team team) {
        if (collective().receives(0, root()) && !source().isSameAs(target())) {
            team.copy(source(), sourceAt(0), target(), targetAt(0),
                    collective().combines() ? blockBytes(0) : sourceBytes(0));
        }
    }
}
