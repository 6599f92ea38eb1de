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

/**
 * The calls that a rank has in flight on a communicator. Each is begun once, by whoever is first: a virtual thread that
 * was started for it, or the thread that awaits it while no other one is in flight, which then runs it as it would a
 * blocking call. A team belongs to an operation from its first to its last step, and is used again; what teams claim
 * of the node's memory is bounded, as those that wait for their turn have none, and those that run have it from the
 * rank's windows.
 *
 * <p><b>Who is patient</b> starts no thread with a request, as waking one takes longer than many a call: it expects the
 * request to be awaited at once, as were the last {@value #AT_ONCE_MIN}. Threads are started after all as soon as that
 * is found wrong: a request is asked for or awaited with a limit, several are in flight, or the {@link LateStart} finds
 * one twice. So a request begins within two of its looks whatever the rank does, and who computes meanwhile soon has
 * threads at once again.
 *
 * <p><b>Nothing waits in a circle</b> because of it: an operation that has not begun delays others no more than a
 * thread that is slow to run, and its beginning waits for nobody. What it waits for then are operations of other ranks
 * that begin as surely, and earlier ones of this rank, never later ones ({@link Team}).
 *
 * <p>Memory ordering: all that is said of a request before it can be begun, and of a team before it is used again, is
 * said before the lock is given back that whoever begins it takes.
 */
public final class RequestRunner {
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
    private LiveRequest seen; // by the last look
    private int looksIdle;

    /**
     * @param first the rank's team of blocking calls, which draws the numbers of all
     * @param ofCallers makes teams for threads that await what they run
     * @param ofOthers makes teams for virtual threads
     * @param policy whether the rank waits for its requests
     */
    public RequestRunner(Team first, Supplier<Team> ofCallers, Supplier<Team> ofOthers, ProgressPolicy policy) {
        this.first = first;
        this.policy = policy;
        this.ofCallers = new Teams(ofCallers);
        this.ofOthers = new Teams(ofOthers);
    }

    /** Teams that are used again; under the lock. */
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

    /**
     * Draws the numbers of a call, here and now, and sees to it that it runs. A call that is refused draws none; what
     * fails later breaks the communicator, as nobody else would run what was drawn.
     *
     * @param afterwards what is to be done when it has ended well
     * @param atLast what is to be done however it ends, and before anybody hears of it
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
     * Runs a request on this thread, which awaits it, if it is alone in flight and nobody has begun it.
     *
     * @param atOnce whether it is awaited at once
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

    /** Starts threads for all that has not begun, now and as long as requests are not awaited at once. */
    void hurry() {
        List<LiveRequest> late;
        synchronized (lock) {
            late = notBegun.stream().filter(LiveRequest::takeThread).toList();
            awaitedAtOnce = 0;
        }
        late.forEach(this::startThread);
    }

    /** Looks, for {@link LateStart}, whether one has waited since the last time; returns whether to look again. */
    boolean look() {
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
            LateStart.watch(this);
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

    /** Returns the team that a request is to be run with; null if it has been begun. */
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
        } catch (Throwable failure) { // there is no memory
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

    /** Ends a request that cannot be run, if it has not been begun. */
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
     * Makes sure that no request is in flight.
     *
     * @param called what is to be called
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

    /** Before anything is drawn, as a call that is refused must leave no gap in the order. */
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
