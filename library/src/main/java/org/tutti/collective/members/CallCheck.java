/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.tutti.RankFailedException;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.WaitingCall;

/**
 * Decides whether a one-sided call or a message that waits for another rank must stop waiting. The call ends if a rank
 * has failed, if the awaited rank has left the job, if the thread was interrupted, or if the deadline has passed. An
 * object is reused by one call after another, so that calls allocate nothing.
 */
public class CallCheck extends WaitGuard {
    /** The value in place of an awaited rank if any rank may end the wait. */
    public static final int ANY = -1;

    private static final long BACKGROUND_SLEEP_NANOS = 20_000_000; // an arrival or the end of a call wakes earlier

    private String call;
    private int awaited;
    private long deadlineNanos;
    private boolean endsWhenItLeaves;
    private ProgressPolicy background; // null if the rank itself waits

    /**
     * Creates a check for the calls of a rank, one after another.
     *
     * @param members the states of the communicator's ranks
     * @param rank the rank that calls, a rank of the communicator
     */
    public CallCheck(Members members, int rank) {
        super(members, rank);
    }

    /**
     * Prepares this object for a call that may wait for a rank.
     *
     * @param name the name of the call for messages
     * @param target the rank of the communicator for which the call may wait, or {@link #ANY}
     * @param untilNanos the time of {@link System#nanoTime()} by which the call must end, or {@link Long#MAX_VALUE}
     * @return this object
     */
    public CallCheck begin(String name, int target, long untilNanos) {
        call = name;
        awaited = target;
        deadlineNanos = untilNanos;
        endsWhenItLeaves = true;
        background = null;
        return this;
    }

    /**
     * Makes the waits of a prepared call sleep while the rank computes, because another thread makes the call.
     *
     * @param policy the record of whether the rank waits for the call
     * @return this object
     */
    public CallCheck inBackground(ProgressPolicy policy) {
        background = policy;
        return this;
    }

    /** {@return whether another thread than one of the program makes the call} */
    public boolean isInBackground() {
        return background != null;
    }

    @Override
    public long sleepNanos(long waitedNanos) {
        return background == null || background.isAwaited() ? 0 : BACKGROUND_SLEEP_NANOS;
    }

    /**
     * Prepares this object for a fence, the wait until all earlier puts to a rank are visible there. That rank may
     * leave the job once it has received all puts. Therefore its leaving does not end this wait. If puts are missing,
     * the fabric reports it.
     *
     * @param name the name of the call for messages
     * @param target the rank of the communicator for which the call may wait
     * @param untilNanos the time of {@link System#nanoTime()} by which the call must end, or {@link Long#MAX_VALUE}
     * @return this object
     */
    public CallCheck beginFence(String name, int target, long untilNanos) {
        begin(name, target, untilNanos);
        endsWhenItLeaves = false;
        return this;
    }

    @Override
    protected boolean checkOthers() {
        RuntimeException failure = failure(endsWhenItLeaves ? awaited : ANY);
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    @Override
    protected String called() {
        return call;
    }

    @Override
    protected long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public WaitingCall call() {
        int target = awaited;
        return new WaitingCall(members.job(), members.rankInJob(rank), name(), members.communicator(), 0,
                target == ANY ? WaitingCall.ANYBODY : members.rankInJob(target));
    }

    /** {@return the name of the call for reports of calls that hang} */
    protected String name() {
        return call;
    }

    @Override
    protected String awaited() {
        return awaited == ANY ? "any rank" : members.describe(awaited);
    }

    /**
     * Returns the failure that ends a wait for a rank.
     *
     * @param of the rank of the communicator, or {@link #ANY}
     * @return the exception to throw, or null if the wait may go on
     */
    public RuntimeException failure(int of) {
        return members.failure(of);
    }

    @Override
    protected String afterInterrupt() {
        return "what it has changed there is unknown";
    }

    /**
     * Throws an exception if the fabric has found that the awaited rank's process is gone.
     *
     * @param there whether the process is there
     */
    public void requireThere(boolean there) {
        if (!there) {
            RuntimeException failure = failure(awaited);
            throw failure != null ? failure
                    : new RankFailedException(members.rankInJob(awaited), members.describe(rank) + " cannot reach "
                            + members.describe(awaited) + " in " + call
                            + ": its process has ended, or the connection is lost");
        }
    }
}
