/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.CallInterruptedException;
import org.tutti.DeadlineExceededException;
import org.tutti.RankFailedException;
import org.tutti.collective.Members;
import org.tutti.memory.Waiter;

/**
 * Looks for reasons to end a call that waits for another node. There is one for each remote memory, used again and
 * again, so that calls allocate nothing.
 */
final class CallCheck implements Waiter.Check {
    private final Members members;
    private final int rank;
    private String call;
    private int awaited;
    private long deadlineNanos;

    CallCheck(Members members, int rank) {
        this.members = members;
        this.rank = rank;
    }

    /** A call begins, which may wait for a rank. */
    CallCheck begin(String name, int target, long untilNanos) {
        call = name;
        awaited = target;
        deadlineNanos = untilNanos;
        return this;
    }

    @Override
    public void check() {
        RuntimeException failure = members.failure(awaited);
        if (failure != null) {
            throw failure;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(members.describe(rank) + " was interrupted in " + call
                    + " while it waited for " + members.describe(awaited) + "; what it has changed there is unknown");
        }
        if (deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0) {
            throw new DeadlineExceededException(members.describe(rank) + " passed its deadline in " + call
                    + " while it waited for " + members.describe(awaited)
                    + "; see what that rank does, or allow more time");
        }
    }

    /** Ends the call when the fabric says that the awaited rank's process is gone. */
    void requireThere(boolean there) {
        if (!there) {
            RuntimeException failure = members.failure(awaited);
            throw failure != null ? failure
                    : new RankFailedException(awaited, members.describe(rank) + " cannot reach "
                            + members.describe(awaited) + " in " + call
                            + ": its process has ended, or the connection is lost");
        }
    }
}
