/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.requests;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;

import org.tutti.Collective;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Request;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.memory.Looks;
import org.tutti.memory.ProgressPolicy;

/**
 * Runs the requests of a rank on a communicator. A request is a non-blocking call. Each request is begun once, either
 * by a virtual thread that was started for it, or by the thread that awaits it while no other request is in flight. The
 * awaiting thread then runs the request like a blocking call. A request needs a team, the object through which its
 * operation reaches the other ranks. A team belongs to one operation from its first to its last step, and then serves
 * another one. The memory of the node that teams use is bounded. A team that waits for its turn has none, and a team
 * that runs takes windows, memory that it shows to other ranks, from the rank's pool.
 *
 * <p><b>Patience.</b> Waking a thread takes longer than many a call. If the last {@value #AT_ONCE_MIN} requests were
 * awaited immediately, the runner expects the same of the next request, and starts no thread for it. It starts threads
 * as soon as this expectation is wrong. The expectation is wrong if the rank asks whether a request is done, awaits a
 * request with a timeout, or awaits a request while several are in flight. It is also wrong if {@link Looks}, a
 * thread that looks at the requests every half millisecond, finds the same request twice. Therefore a request begins
 * within two of these looks, whatever the rank does. From then on, a rank that computes while its requests are in
 * flight gets threads without delay again.
 *
 * <p><b>Patience causes no deadlock.</b> An operation that has not begun delays others no more than a thread that is
 * slow to run. It can begin without waiting for another rank or operation. Once it has begun, it waits for operations
 * of other ranks, which begin for the same reasons. It also waits for earlier operations of this rank, but never for
 * later ones ({@link Team}).
 *
 * <p>Memory ordering: a thread writes to a request before it queues the request, and to a team before it puts the team
 * back. Then it releases the lock. The thread that begins the request or takes the team acquires the same lock.
 */
public final class RequestRunner implements Looks.Look {
    private static final int AT_ONCE_MIN = 4;
    private static final int LOOKS_IDLE_MAX = 40;

    private final Team first;
    private final ProgressPolicy policy;
    private final Teams ofCallers;
    private final Teams ofOthers;
    private final Object lock = new Object();
    private final ArrayDeque<LiveRequest> notBegun = new ArrayDeque<>();
    private int inFlight;
    private int awaitedAtOnce;
    private boolean isWatched;
    private LiveRequest seen; // the oldest request at the last look
    private int looksIdle;

    /**
     * Creates a runner without requests.
     *
     * @param first the rank's team of blocking calls, which draws the numbers of all calls
     * @param ofCallers the source of teams for threads that await the request that they run
     * @param ofOthers the source of teams for virtual threads
     * @param policy the record of whether the rank waits for its requests
     */
    public RequestRunner(Team first, Supplier<Team> ofCallers, Supplier<Team> ofOthers, ProgressPolicy policy) {
        this.first = first;
        this.policy = policy;
        this.ofCallers = new Teams(ofCallers);
        this.ofOthers = new Teams(ofOthers);
    }

    /** Teams for reuse. The lock guards them. */
    private static final class Teams {
        private final Supplier<Team> made;
        private final ArrayDeque<Team> idle = new ArrayDeque<>();

        Teams(Supplier<Team> made) {
            this.made = made;
        }

        Team take() {
            return idle.isEmpty() ? made.get() : idle.pop();
        }
    }

    /** Returns the rank's number in the job. */
    int rankInJob() {
        return first.context().members.rankInJob(first.rank());
    }

    /**
     * Starts a non-blocking call, and returns its request. The calling thread draws the numbers of the call's
     * operations. A virtual thread, or the thread that awaits the request, then runs the call. If this method refuses
     * the call, it draws no number. A later failure breaks the communicator, because no other thread would run the
     * operations with these numbers.
     *
     * @param afterwards an action to run when the call has ended without an exception
     * @param atLast an action to run when the call has ended in any way, before the request is completed
     */
    public Request start(Call call, Runnable afterwards, Runnable atLast) {
        enter(call.collective());
        try {
            call.drawForOther(first);
        } catch (Throwable refusal) {
            leave();
            throw refusal;
        }
        var request = new LiveRequest(this, first, call, afterwards, atLast, policy);
        boolean isPatient;
        boolean isUnwatched;
        synchronized (lock) {
            isPatient = awaitedAtOnce >= AT_ONCE_MIN || !request.takeThread();
            isUnwatched = isPatient && !isWatched;
            isWatched |= isUnwatched;
            looksIdle = 0;
            notBegun.add(request);
        }
        if (!isPatient) {
            startThread(request);
        } else if (isUnwatched) {
            watch(request);
        }
        request.setStarted();
        return request;
    }

    /**
     * Runs a request on this thread, which awaits it, if the request has not begun and is the only one in flight. If
     * others are in flight, this method starts threads for all requests that have not begun.
     *
     * @param atOnce whether the request is awaited immediately after its start
     */
    void runAwaited(LiveRequest request, boolean atOnce) {
        boolean isAmongOthers;
        synchronized (lock) {
            isAmongOthers = inFlight > 1;
            awaitedAtOnce = atOnce ? awaitedAtOnce + 1 : 0;
        }
        if (isAmongOthers) {
            hurry();
            return;
        }
        Team team = begin(request, ofCallers);
        if (team != null) {
            end(request, team, ofCallers, request.run(team));
        }
    }

    /**
     * Starts threads for all requests that have not begun. Each new request also gets a thread, until {@value
     * #AT_ONCE_MIN} requests in sequence were awaited immediately again.
     */
    void hurry() {
        List<LiveRequest> late;
        synchronized (lock) {
            late = notBegun.stream().filter(LiveRequest::takeThread).toList();
            awaitedAtOnce = 0;
        }
        late.forEach(this::startThread);
    }

    /**
     * Starts threads for all requests that have not begun, if the oldest of them has waited since the last look.
     * Returns whether {@link Looks}, which calls this method periodically, is to look again.
     */
    @Override
    public boolean look() {
        boolean isLate;
        synchronized (lock) {
            LiveRequest oldest = notBegun.peek();
            isLate = oldest != null && oldest == seen;
            seen = oldest;
            looksIdle++;
            if (oldest == null && (awaitedAtOnce < AT_ONCE_MIN || looksIdle > LOOKS_IDLE_MAX)) {
                awaitedAtOnce = 0;
                isWatched = false;
                return false;
            }
        }
        if (isLate) {
            hurry();
        }
        return true;
    }

    private void watch(LiveRequest request) {
        try {
            Looks.watch(this);
        } catch (Throwable failure) {
            fail(request, failure);
        }
    }

    private void startThread(LiveRequest request) {
        try {
            Thread.ofVirtual().name("tutti rank " + first.rank() + " " + request.called().label())
                    .start(() -> runOnThread(request));
        } catch (Throwable failure) {
            fail(request, failure);
        }
    }

    private void runOnThread(LiveRequest request) {
        Team team = begin(request, ofOthers);
        if (team != null) {
            policy.enter();
            Throwable failure = request.run(team);
            policy.leave();
            end(request, team, ofOthers, failure);
        }
    }

    /** Begins a request, and returns the team to run it with. Returns null if the request has already begun. */
    private Team begin(LiveRequest request, Teams teams) {
        try {
            synchronized (lock) {
                if (!notBegun.contains(request)) {
                    return null;
                }
                Team team = teams.take();
                assert !teams.idle.contains(team) : "a team runs two requests";
                notBegun.remove(request);
                return team;
            }
        } catch (Throwable failure) { // too little memory
            fail(request, failure);
            return null;
        }
    }

    private void end(LiveRequest request, Team team, Teams teams, Throwable failure) {
        synchronized (lock) {
            assert !teams.idle.contains(team) : "a team ends two requests";
            teams.idle.push(team);
        }
        end(request, failure);
    }

    /** Ends a request that cannot be run, unless it has begun. */
    private void fail(LiveRequest request, Throwable failure) {
        boolean isBegun;
        synchronized (lock) {
            isBegun = !notBegun.remove(request);
        }
        if (!isBegun) {
            first.ending().breakOff(request.call(), failure);
            end(request, failure);
        }
    }

    private void end(LiveRequest request, Throwable failure) {
        leave();
        request.complete(failure);
    }

    /**
     * Checks that no request is in flight.
     *
     * @param called the name of the next call, for messages
     */
    public void checkIdle(String called) {
        synchronized (lock) {
            if (inFlight > 0) {
                throw new IllegalStateException(first.describe() + " called " + called + " with " + inFlight
                        + (inFlight == 1 ? " request" : " requests")
                        + " in flight on the same communicator; await them first");
            }
        }
    }

    /**
     * Counts one more call in flight, or throws if there are too many. The caller does this before it draws a number,
     * because a refused call must leave no gap in the numbers.
     */
    private void enter(Collective called) {
        synchronized (lock) {
            if (inFlight == NonBlockingCommunicator.IN_FLIGHT_MAX) {
                throw new IllegalStateException(first.describe() + " called " + called.label() + " with "
                        + NonBlockingCommunicator.IN_FLIGHT_MAX
                        + " requests in flight on the same communicator, which is the limit; await some of them first");
            }
            inFlight++;
        }
    }

    private void leave() {
        synchronized (lock) {
            inFlight--;
            assert inFlight >= notBegun.size() : inFlight + " requests are in flight, of which " + notBegun.size()
                    + " have not begun";
        }
    }
}
