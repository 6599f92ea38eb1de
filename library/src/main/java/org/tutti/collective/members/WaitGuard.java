/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.tutti.CallInterruptedException;
import org.tutti.DeadlineExceededException;
import org.tutti.memory.Waiter;

/**
 * Ends a wait of a rank with an exception if the awaited event may never come. A guard checks for three reasons, in
 * this order, from time to time while the rank waits. The first is another rank: a failure, an abort, a broken
 * communicator, or a different call. The second is an interrupt of the waiting thread. The third is that the deadline
 * of the call has passed.
 *
 * <p>Every wait of a rank has a guard. Each kind of wait has a subclass, which checks the other ranks. The subclass
 * also supplies the names of the call and of the awaited event for messages.
 */
public abstract class WaitGuard implements Waiter.Check {
    /** The state of the communicator's ranks. */
    protected final Members members;

    /** The rank that waits, a rank of the communicator. */
    protected final int rank;

    /**
     * Creates the guard of a rank's waits.
     *
     * @param members the state of the communicator's ranks
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
     * Throws if the wait must end because of another rank, for example because that rank has failed.
     *
     * @return true if the rank must go on waiting; false if this check has seen the awaited event
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
     * {@return the time at which the call must have ended, as a value of {@link System#nanoTime()}, or {@link
     * Long#MAX_VALUE} if there is no deadline}
     */
    protected abstract long deadlineNanos();

    /** {@return the consequence of an interrupt of the waiting thread, for the message of the exception} */
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
