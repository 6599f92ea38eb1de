/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.OperationSequence;

/**
 * One call of a collective at one rank: its arguments ({@link CallArguments}), and the algorithm that runs it.
 *
 * <p>A communicator fills one call object again for each blocking call. It makes another object for each non-blocking
 * call, and for each prepared call, which the program can make any number of times. The caller's thread fills the
 * object and {@linkplain #draw draws} the numbers of its operations, so that the numbers follow the order of the calls,
 * which is the same at all ranks. Then one thread {@linkplain #run runs} the call. For a blocking call this is the
 * caller's thread. For a non-blocking call it is a thread of {@code RequestRunner}, or the thread that awaits the
 * request.
 *
 * <p>If the message is longer than one operation can carry, the call is cut into several operations. Each of them is
 * begun, run and left before the next one begins. If one of them throws an exception, the call ends, and the
 * communicator is broken.
 */
public final class Call extends CallArguments {
    private Algorithm algorithm;

    /**
     * Sets the algorithm, root and deadline of the call. {@link #setElements} sets the elements of a collective that
     * has elements.
     *
     * @param newAlgorithm the algorithm, which determines the collective
     * @param newRoot the root, or 0 if the collective has none; for a barrier, a number that must be the same at all
     *            ranks
     * @param newDeadlineNanos the deadline of the call, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            if it has none
     */
    public void set(Algorithm newAlgorithm, int newRoot, long newDeadlineNanos) {
        algorithm = newAlgorithm;
        set(newAlgorithm.collective(), newAlgorithm.label(), newRoot, newDeadlineNanos);
    }

    /**
     * Copies the algorithm, root, elements and blocks of another call.
     *
     * @param other the other call, which must not have drawn its numbers
     * @param newDeadlineNanos the deadline of this call, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            if it has none
     */
    public void setLike(Call other, long newDeadlineNanos) {
        set(other.algorithm, other.root(), newDeadlineNanos);
        setElementsLike(other);
    }

    /** {@return the algorithm that runs the call} */
    public Algorithm algorithm() {
        return algorithm;
    }

    /**
     * Draws the numbers of this call's operations, and extends the history of calls by their fingerprints. The caller's
     * thread calls this method, for all its calls in an order that must be the same at all ranks. It also notes that a
     * blocking call begins, until {@link #run} ends.
     *
     * @param team the team that will run the call
     * @throws IllegalArgumentException if a block is longer than an operation can carry; no number is drawn then
     */
    public void draw(Team team) {
        long bytesMax = operationBytesMax(team);
        team.context.enter(called());
        draw(team.context.operations, bytesMax);
    }

    /**
     * Draws the numbers as {@link #draw(Team)} does, for a call that runs on another thread or after a later call. A
     * team that {@link Team#forBackground} has made will run the call.
     *
     * @param team any team of the communicator at this rank
     * @throws IllegalArgumentException if a block is longer than an operation can carry; no number is drawn then
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

    /**
     * Throws if a block is longer than an operation can carry, for a call that cannot be cut into several operations.
     */
    private void checkBlocks(long bytesMax, Team team) {
        long longest = longestBlockBytes(team.size());
        if (longest > bytesMax) {
            throw new IllegalArgumentException(team.describe() + " called " + called() + " with a block of " + longest
                    + " bytes; with " + team.size() + " ranks it may have " + bytesMax + ", so use several calls");
        }
    }

    /**
     * Runs this call on the calling thread: begins, runs and leaves each of its operations. The call must have drawn
     * its numbers. If an operation throws an exception, this method breaks the communicator and throws the exception.
     *
     * @param team the team that runs the call
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
     * Begins the current operation. {@link #run} calls this method; tests call it to stop inside an operation.
     *
     * @param team the team that runs the call
     */
    public void begin(Team team) {
        OperationLifecycle lifecycle = team.lifecycle;
        lifecycle.begin(this, lifecycle.mayClaim() && algorithm.usesEagerBuffers(bytes()));
    }

    /** Runs the call of a communicator of one rank: copies the rank's contribution to the result. */
    private void runAlone(Team team) {
        if (collective().receives(0, root()) && !source().isSameAs(target())) {
            team.copy(source(), sourceAt(0), target(), targetAt(0),
                    collective().combines() ? blockBytes(0) : sourceBytes(0));
        }
    }
}
