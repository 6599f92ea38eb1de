/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.RankFailedException;
import org.tutti.collective.members.Members;
import org.tutti.collective.members.WaitGuard;
import org.tutti.memory.WaitingCall;

/**
 * Looks for reasons to end a call that waits for another node. It is reused, by one call at a time, so that calls
 * allocate nothing.
 */
class CallCheck extends WaitGuard {
    /** The awaited rank when any rank may end the wait. */
    static final int ANY = -1;

    private String call;
    private int awaited;
    private long deadlineNanos;
    private boolean endsWhenItLeaves;

    CallCheck(Members members, int rank) {
        super(members, rank);
    }

    /** Begins a call that may wait for a rank. */
    CallCheck begin(String name, int target, long untilNanos) {
        call = name;
        awaited = target;
        deadlineNanos = untilNanos;
        endsWhenItLeaves = true;
        return this;
    }

    /**
     * Begins a fence. The awaited rank may leave the job without ending this wait, because it may leave when it has got
     * all puts. If puts are missing, the fabric says so.
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

    /** The name of the call for hang reports. */
    String name() {
        return call;
    }

    @Override
    protected String awaited() {
        return awaited == ANY ? "any rank" : members.describe(awaited);
    }

    /** Looks for a failure that ends a wait for a rank. */
    RuntimeException failure(int of) {
        return members.failure(of);
    }

    @Override
    protected String afterInterrupt() {
        return "what it has changed there is unknown";
    }

    /** Throws when the fabric has returned that the awaited rank's process is gone. */
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
