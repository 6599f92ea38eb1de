/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.Mutexes.HolderFailure;
import org.tutti.RankFailedException;
import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.Members;

/**
 * Decides whether a rank that waits for a mutex must stop waiting. Like any call, the wait ends because of a failure,
 * an interrupt or the deadline. A timed lock also ends at its timeout. In addition, it ends from time to time, so that
 * the rank can look whether the holder of the mutex is gone. The last two are not failures, so their exceptions have no
 * stack trace.
 *
 * <p>This class also computes how long the rank may sleep. If the mutex is on this node, the length of its queue
 * decides ({@link QueuePace}). Otherwise the arrival of the rank's WAKE word wakes it.
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
     * Creates the check that decides whether a rank's waits for mutexes must end.
     *
     * @param members the states of the communicator's ranks: joined, left or failed
     * @param rank the rank that waits
     * @param size the number of ranks of the communicator
     * @param policy what happens to a mutex if the rank that holds it fails
     * @param changesAtFirst the value of {@link Members#changes} when the mutexes were created
     */
    MutexCheck(Members members, int rank, int size, HolderFailure policy, long changesAtFirst) {
        super(members, rank);
        this.size = size;
        this.policy = policy;
        this.changesAtFirst = changesAtFirst;
    }

    /**
     * Sets the time of {@link System#nanoTime()} at which the next wait times out, or {@link Long#MAX_VALUE} for never.
     * Until {@link #queue} names a mutex, the wait is for another thread of the same rank.
     */
    void limit(long atNanos) {
        timeoutAtNanos = atNanos;
        looksAtNanos = 0;
        home = null;
    }

    /** Sets the queue in which the rank waits next. */
    void queue(MutexHome at, long itsMutex, int itsTicket) {
        home = at;
        mutex = itsMutex;
        ticket = itsTicket;
        if (home.isNear()) {
            pace.begin(ahead(), System.nanoTime());
        }
    }

    /** Returns the number of tickets in front of this rank's ticket, including the holder's. */
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

    /** Returns whether a rank has failed or left since the mutexes were created. */
    boolean hasAnyGone() {
        return members.changes() != changesAtFirst;
    }

    /** Returns a rank that has failed or left since the mutexes were created, or −1 if there is none. */
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
    public RuntimeException failure(int home) {
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
