/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.tutti.CallInterruptedException;
import org.tutti.DeadlineExceededException;
import org.tutti.memory.Waiter;

/**
 * Decides whether a wait of a rank ends before the awaited event, and why: because of another rank (a failure, an
 * abort, a broken communicator, a different call), because the thread is interrupted, or because the deadline of the
 * call has passed. A guard looks for these reasons in that order, now and then while the rank waits.
 *
 * <p>Every wait of a rank has a guard. Each kind of wait extends this class: it looks at other ranks, and names the
 * call and the awaited event for messages.
 */
public abstract class WaitGuard implements Waiter.Check {
    /** The lives of the communicator's ranks. */
    protected final Members members;

    /** The rank that waits, a rank of the communicator. */
    protected final int rank;

    /**
     * Makes the guard of a rank's waits.
     *
     * @param members what is known of the ranks' lives
     * @param rank the rank that waits, a rank of the communicator
     */
    protected WaitGuard(Members members, int rank) {
        this.members = members;
        this.rank = rank;
    }

    @Override
    public void check() {
        if (!checkOthers()) {
            return;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted();
        }
        long deadlineNanos = deadlineNanos();
        if (deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0) {
            throw late();
        }
    }

    /**
     * Throws if another rank ends the wait.
     *
     * @return whether the rank still waits; false when it has seen the awaited event meanwhile
     */
    protected abstract boolean checkOthers();

    /**
     * {@return the name of the call for messages, such as "barrier"}
     */
    protected abstract String called();

    /**
     * {@return the name of the awaited event or rank for messages}
     */
    protected abstract String awaited();

    /**
     * {@return when the call must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE} for never}
     */
    protected abstract long deadlineNanos();

    /**
     * {@return the consequence of an interrupt, for messages}
     */
    protected String afterInterrupt() {
        return "the communicator cannot be used any more";
    }

    /**
     * {@return the advice to a user for a call that has waited too long, for messages}
     */
    protected String advice() {
        return "see what that rank does";
    }

    /**
     * {@return the exception of a wait that is interrupted}
     */
    protected RuntimeException interrupted() {
        return new CallInterruptedException(members.describe(rank) + " was interrupted in " + called()
                + " while it waited for " + awaited() + "; " + afterInterrupt());
    }

    /**
     * {@return the exception of a wait that has passed its deadline}
     */
    protected RuntimeException late() {
        return new DeadlineExceededException(members.describe(rank) + " passed its deadline in " + called()
                + " while it waited for " + awaited() + "; " + advice() + ", or allow more time"
                + members.location(rank));
    }
}
