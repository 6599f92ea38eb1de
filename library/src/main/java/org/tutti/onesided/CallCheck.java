/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.RankFailedException;
import org.tutti.collective.members.Members;
import org.tutti.collective.members.WaitGuard;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.WaitingCall;

/**
 * Decides whether a one-sided call that waits for another rank must stop waiting. The call ends if a rank has failed,
 * if the awaited rank has left the job, if the thread was interrupted, or if the deadline has passed. An object is
 * reused by one call after another, so that calls allocate nothing.
 */
class CallCheck extends WaitGuard {
    /** The value in place of an awaited rank if any rank may end the wait. */
    static final int ANY = -1;

    private static final long BACKGROUND_SLEEP_NANOS = 20_000_000; // an arrival or the end of a call wakes earlier

    private String call;
    private int awaited;
    private long deadlineNanos;
    private boolean endsWhenItLeaves;
    private ProgressPolicy background; // null if the rank itself waits

    CallCheck(Members members, int rank) {
        super(members, rank);
    }

    /** Prepares this object for a call that may wait for a rank. */
    CallCheck begin(String name, int target, long untilNanos) {
        call = name;
        awaited = target;
        deadlineNanos = untilNanos;
        endsWhenItLeaves = true;
        background = null;
        return this;
    }

    /** Makes the waits of a prepared call sleep while the rank computes, because another thread makes the call. */
    CallCheck inBackground(ProgressPolicy policy) {
        background = policy;
        return this;
    }

    /** Returns whether another thread than one of the program makes the call. */
    boolean isInBackground() {
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
     */
    CallCheck beginFence(String name, int target, long untilNanos) {
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

    /** Returns the name of the call for reports of calls that hang. */
    String name() {
        return call;
    }

    @Override
    protected String awaited() {
        return awaited == ANY ? "any rank" : members.describe(awaited);
    }

    /** Returns the failure that ends a wait for a rank, or null if the wait may go on. */
    RuntimeException failure(int of) {
        return members.failure(of);
    }

    @Override
    protected String afterInterrupt() {
        return "what it has changed there is unknown";
    }

    /** Throws an exception if the fabric has found that the awaited rank's process is gone. */
    void requireThere(boolean there) {
        if (!there) {
            RuntimeException failure = failure(awaited);
            throw failure != null ? failure
                    : new RankFailedException(members.rankInJob(awaited), members.describe(rank) + " cannot reach "
                            + members.describe(awaited) + " in " + call
                            + ": its process has ended, or the connection is lost");
        }
    }
}
