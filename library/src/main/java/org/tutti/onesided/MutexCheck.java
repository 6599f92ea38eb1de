/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.Mutexes.HolderFailure;
import org.tutti.RankFailedException;
import org.tutti.collective.members.Members;

/**
 * Looks for reasons to end the wait for a mutex. It adds two reasons to those of any call: the timeout of a timed lock,
 * and the time to look whether the holder is gone. They are no failures, so their exceptions have no trace.
 *
 * <p>It also tells how long the rank may sleep. If the mutex is on this node, QUEUE tells how many ranks are ahead
 * ({@link QueuePace}). Otherwise the arrival of the WAKE word wakes this rank.
 *
 * <p>A rank that has left the job counts as failed here, because it has not closed the mutexes together with the
 * waiting rank.
 */
final class MutexCheck extends CallCheck {
    private static final long LOOK_NANOS = 100_000_000;
    private static final long FAR_AWAKE_NANOS = 2_000_000; // a sleeping rank has to be woken by another thread

    private final int size;
    private final HolderFailure policy;
    private final long changesAtFirst;
    private final QueuePace pace = new QueuePace();
    private long timeoutAtNanos;
    private long looksAtNanos;
    private MutexHome home; // null while the thread waits for another thread of its rank
    private long mutex;
    private int ticket;

    /**
     * @param changesAtFirst the value of {@link Members#changes} when the mutexes were made
     */
    MutexCheck(Members members, int rank, int size, HolderFailure policy, long changesAtFirst) {
        super(members, rank);
        this.size = size;
        this.policy = policy;
        this.changesAtFirst = changesAtFirst;
    }

    /**
     * Sets the time at which the next wait times out, {@link Long#MAX_VALUE} for never. The wait begins in no queue.
     */
    void limit(long atNanos) {
        timeoutAtNanos = atNanos;
        looksAtNanos = 0;
        home = null;
    }

    /** Sets the queue of the next wait. */
    void queue(MutexHome at, long itsMutex, int itsTicket) {
        home = at;
        mutex = itsMutex;
        ticket = itsTicket;
        if (home.isNear()) {
            pace.begin(ahead(), System.nanoTime());
        }
    }

    /** The number of tickets before this rank's, the holder's included. */
    private int ahead() {
        return ticket - MutexLayout.holdingTicket(home.nearQueue(mutex));
    }

    @Override
    public long sleepNanos(long waitedNanos) {
        long nowNanos = System.nanoTime();
        long nanos = home == null ? super.sleepNanos(waitedNanos) : home.isNear() ? pace.sleepNanos(ahead(), nowNanos)
                : waitedNanos < FAR_AWAKE_NANOS ? 0 : QueuePace.SLEEP_NANOS_MAX;
        return timeoutAtNanos == Long.MAX_VALUE ? nanos : Math.clamp(timeoutAtNanos - nowNanos, 0, nanos);
    }

    /** Whether a rank has failed or left since the mutexes were made. */
    boolean hasAnyGone() {
        return members.changes() != changesAtFirst;
    }

    /** A rank that has failed or left since the mutexes were made, or −1. */
    int anyGone() {
        for (int each = 0; hasAnyGone() && each < size; each++) {
            if (members.isGone(each)) {
                return each;
            }
        }
        return -1;
    }

    @Override
    public void check() {
        super.check();
        long nowNanos = System.nanoTime();
        if (timeoutAtNanos != Long.MAX_VALUE && nowNanos - timeoutAtNanos >= 0) {
            throw WaitEndedException.TIMED_OUT;
        }
        if (policy == HolderFailure.PASS_ON && hasAnyGone()) {
            if (looksAtNanos == 0) {
                looksAtNanos = nowNanos;
            }
            if (nowNanos - looksAtNanos >= 0) {
                looksAtNanos = nowNanos + LOOK_NANOS;
                throw WaitEndedException.TIME_TO_LOOK;
            }
        }
    }

    @Override
    RuntimeException failure(int home) {
        if (!hasAnyGone()) {
            return null;
        }
        RuntimeException failure = members.failure(home);
        if (policy == HolderFailure.THROW) {
            int gone = failure == null ? anyGone() : -1;
            return gone < 0 ? failure : members.failure(gone);
        }
        if (!(failure instanceof RankFailedException)) {
            return failure;
        }
        return !members.isGone(home) ? null
                : new RankFailedException(members.rankInJob(home), members.describe(home)
                        + " has failed or left the job, and its mutexes are gone with it");
    }

    @Override
    protected String afterInterrupt() {
        return "it does not hold the mutex";
    }
}
