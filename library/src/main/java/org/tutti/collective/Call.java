/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.RunningCall;

/**
 * A call of a collective at one rank. It has the arguments ({@link CallArguments}) and the algorithm that runs the
 * call.
 *
 * <p>A communicator uses one call object for all its blocking calls. It makes another object for each non-blocking
 * call, and for each prepared call, which the program can make any number of times. The caller's thread fills the
 * object. It also {@linkplain #draw draws} the numbers of the call's operations, so that the numbers follow the order
 * of the calls. This order is the same at all ranks. Then one thread {@linkplain #run runs} the call. For a blocking
 * call this is the caller's thread. For a non-blocking call it is a thread of {@code RequestRunner}, or the thread that
 * awaits the request.
 *
 * <p>If the message is longer than one operation can carry, the call is cut into several operations. Each of them is
 * begun, run and left before the next one begins. If one of them throws an exception, the call ends, and the
 * communicator is broken.
 */
public final class Call extends CallArguments {
    private Algorithm algorithm;

    /**
     * Sets the algorithm, the root and the deadline of the call. The elements, if the collective has any, are set by
     * {@link #setElements}.
     *
     * @param newAlgorithm the algorithm that will run the call; it determines the collective
     * @param newRoot the root, or 0 if the collective has none. For a barrier this is a number that must be the same at
     *            all ranks.
     * @param newDeadlineNanos the deadline as a value of {@link System#nanoTime()}, or {@link Long#MAX_VALUE} if the
     *            call has none
     */
    public void set(Algorithm newAlgorithm, int newRoot, long newDeadlineNanos) {
        algorithm = newAlgorithm;
        set(newAlgorithm.collective(), newAlgorithm.label(), newRoot, newDeadlineNanos);
    }

    /**
     * Copies the algorithm, the root, the elements and the blocks of another call into this call, and sets the
     * deadline.
     *
     * @param other the other call, which must not have drawn the numbers of its operations
     * @param newDeadlineNanos the deadline as a value of {@link System#nanoTime()}, or {@link Long#MAX_VALUE} if this
     *            call has none
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
     * Draws the numbers of this call's operations, and adds the call to the history, a hash that ranks compare to find
     * mismatched calls. The caller's thread draws the numbers of its calls one after the other, in an order that must
     * be the same at all ranks. From this method until the end of {@link #run}, the communicator is known to be in a
     * blocking call.
     *
     * @param team the team that will run the call
     * @throws IllegalArgumentException if a block is longer than an operation can carry; no number is drawn then
     */
    public void draw(Team team) {
        long bytesMax = operationBytesMax(team);
        long further = furtherOperations(team);
        team.context.enter(called());
        draw(team.context.operations, bytesMax, further);
        team.running.drawn(this, true);
    }

    /**
     * Draws the numbers of this call's operations, for a call that runs on another thread or after a later call. A team
     * that {@link Team#forBackground} has made will run the call.
     *
     * @param team any team of the communicator at this rank
     * @throws IllegalArgumentException if a block is longer than an operation can carry; no number is drawn then
     */
    public void drawForOther(Team team) {
        long bytesMax = operationBytesMax(team);
        long further = furtherOperations(team);
        team.context.operations.expectOtherThreads();
        draw(team.context.operations, bytesMax, further);
        team.running.drawn(this, false);
    }

    void draw(OperationSequence operations, long bytesMax, long further) {
        long count = cut(bytesMax, further);
        long history = operations.history();
        number(operations.draw(hash, count), history);
    }

    private long operationBytesMax(Team team) {
        if (team.size() == 1) {
            return Long.MAX_VALUE; // a lone rank copies
        }
        long bytesMax = algorithm.operationBytesMax(team, kernel());
        if (exchangesUnequal()) {
            checkBlocks(bytesMax, team);
        }
        return bytesMax;
    }

    private long furtherOperations(Team team) {
        return exchangesUnequal() && team.size() > 1 ? algorithm.furtherOperations(team, this) : 0;
    }

    /** Returns whether blocks may differ in length, and nothing is combined. */
    private boolean exchangesUnequal() {
        return isUnequal() && !collective().combines();
    }

    /**
     * Cuts this call into operations without drawing their numbers. The operations of another call will hand this call
     * to an algorithm, as the elements that the algorithm moves.
     *
     * @param team the team that runs the other call, of two or more ranks
     */
    public void cutWithin(Team team) {
        cut(operationBytesMax(team), 0);
    }

    /**
     * Throws an exception if a block is longer than an operation can carry. A call with blocks of different lengths
     * that combines nothing cannot be cut into several operations.
     */
    private void checkBlocks(long bytesMax, Team team) {
        long longest = longestBlockBytes(team.size());
        if (longest > bytesMax) {
            throw new IllegalArgumentException(team.describe() + " called " + called() + " with a block of " + longest
                    + " bytes; with " + team.size() + " ranks it may have " + bytesMax + ", so use several calls");
        }
    }

    /**
     * Runs this call on the calling thread. The method begins, runs and leaves the call's operations one after the
     * other. Their numbers must have been drawn. If an operation throws an exception, this method breaks the
     * communicator and throws the exception.
     *
     * @param team the team that runs the call
     */
    public void run(Team team) {
        OperationLifecycle lifecycle = team.lifecycle;
        RunningCall running = team.running;
        running.begin(this);
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
            running.end(this, false);
        } catch (Throwable failure) {
            lifecycle.breakOff(failure);
            running.end(this, true);
            throw failure;
        } finally {
            team.context.leave();
        }
    }

    /**
     * Begins the current operation of this call. Besides {@link #run}, tests call this method, to stop inside an
     * operation.
     *
     * @param team the team that runs the call
     */
    public void begin(Team team) {
        OperationLifecycle lifecycle = team.lifecycle;
        lifecycle.begin(this, lifecycle.mayClaim() && algorithm.usesEagerBuffers(team, this));
    }

    /** Runs the call of a communicator of one rank: copies the rank's contribution to the result. */
    private void runAlone(Team team) {
        if (collective().receives(0, root()) && !source().isSameAs(target())) {
            team.copy(source(), sourceAt(0), target(), targetAt(0),
                    collective().combines() ? blockBytes(0) : sourceBytes(0));
        }
    }
}
