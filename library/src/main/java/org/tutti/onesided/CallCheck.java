/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.CallInterruptedException;
import org.tutti.DeadlineExceededException;
import org.tutti.RankFailedException;
import org.tutti.collective.members.Members;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;

/**
 * Looks for reasons to end a call that waits for another node. One call at a time uses it, again and again, so that
 * calls allocate nothing.
 */
class CallCheck implements Waiter.Check {
    /** Awaited when any rank may end the wait. */
    static final int ANY = -1;

    final Members members;
    private final int rank;
    private String call;
    private int awaited;
    private long deadlineNanos;
    private boolean endsWhenItLeaves;

    CallCheck(Members members, int rank) {
        this.members = members;
        this.rank = rank;
    }

    /** A call begins, which may wait for a rank. */
    CallCheck begin(String name, int target, long untilNanos) {
        call = name;
        awaited = target;
        deadlineNanos = untilNanos;
        endsWhenItLeaves = true;
        return this;
    }

    /** A fence begins. A rank may leave once it has what it was put; the fabric says if it has not got all of it. */
    CallCheck beginFence(String name, int target, long untilNanos) {
        begin(name, target, untilNanos);
        endsWhenItLeaves = false;
        return this;
    }

    @Override
    public void check() {
        RuntimeException failure = failure(endsWhenItLeaves ? awaited : ANY);
        if (failure != null) {
            throw failure;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(members.describe(rank) + " was interrupted in " + call
                    + " while it waited for " + awaited() + "; " + afterInterrupt());
        }
        if (deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0) {
            throw new DeadlineExceededException(members.describe(rank) + " passed its deadline in " + call
                    + " while it waited for " + awaited() + "; " + advice() + ", or allow more time"
                    + members.whereabouts(rank));
        }
    }

    @Override
    public WaitingCall call() {
        int target = awaited;
        return new WaitingCall(members.job(), members.rankInJob(rank), name(), members.communicator(), 0,
                target == ANY ? WaitingCall.ANYBODY : members.rankInJob(target));
    }

    /** The call, as it is told to others while it waits. */
    String name() {
        return call;
    }

    /** For what it waits, for messages. */
    String awaited() {
        return awaited == ANY ? "any rank" : members.describe(awaited);
    }

    /** What to look for when it waits too long. */
    String advice() {
        return "see what that rank does";
    }

    /** Looks for a reason to give up while a rank is awaited. */
    RuntimeException failure(int of) {
        return members.failure(of);
    }

    /** What a message says of the state after an interrupt. */
    String afterInterrupt() {
        return "what it has changed there is unknown";
    }

    /** Ends the call when the fabric says that the awaited rank's process is gone. */
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
