/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.ArrayDeque;
import java.util.function.Supplier;

import org.tutti.Collective;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Request;
import org.tutti.collective.Call;
import org.tutti.collective.Team;

/**
 * The calls that a rank has in flight on a communicator: a virtual thread for each request, and a team, which is used
 * again. So there are as many teams as requests were in flight at once. What they claim of the node's memory is less: a
 * team that waits for its turn has none, and those that run have it from the rank's windows, which are bounded.
 */
final class Background {
    private static final Runnable NOTHING = () -> {
    };

    private final Team first;
    private final Supplier<Team> teams;
    private final Attention attention;
    private final ArrayDeque<Team> idle = new ArrayDeque<>();
    private int inFlight;

    Background(Team first, Supplier<Team> teams, Attention attention) {
        this.first = first;
        this.teams = teams;
        this.attention = attention;
    }

    /**
     * Draws the numbers of a call, here and now, and has it run. A call that is refused draws none; what fails later
     * breaks the communicator, as nobody else would run what was drawn.
     */
    Request start(Call call, Runnable afterwards) {
        return start(call, afterwards, NOTHING);
    }

    /** The same; what is to be done at last is done however it ends, and before anybody hears of it. */
    Request start(Call call, Runnable afterwards, Runnable atLast) {
        Team team = take(call.collective());
        try {
            team.draw(call);
        } catch (Throwable refusal) {
            putBack(team);
            throw refusal;
        }
        try {
            LiveRequest request = new LiveRequest(first, call.collective(), attention);
            request.runsOn(Thread.ofVirtual().name("tutti rank " + first.rank() + " " + call.collective().label())
                    .start(() -> request.complete(run(team, call, afterwards, atLast))));
            return request;
        } catch (Throwable failure) {
            team.breakOff(failure);
            putBack(team);
            throw failure;
        }
    }

    /**
     * Makes sure that no request is in flight.
     *
     * @param called what is to be called
     */
    void checkIdle(String called) {
        synchronized (idle) {
            if (inFlight > 0) {
                throw new IllegalStateException(first.describe() + " called " + called + " with " + inFlight
                        + (inFlight == 1 ? " request" : " requests")
                        + " in flight on the same communicator; await them first");
            }
        }
    }

    /** Returns what the request ends with: null, or what was thrown. */
    private Throwable run(Team team, Call call, Runnable afterwards, Runnable atLast) {
        Throwable failure = null;
        attention.enter();
        try {
            team.run(call);
            afterwards.run();
        } catch (Throwable thrown) {
            failure = team.explain(thrown);
        }
        attention.leave();
        call.clear(); // the team still knows it
        putBack(team);
        atLast.run();
        return failure;
    }

    /** A team for a call, before anything is drawn, as a call that is refused must leave no gap in the order. */
    private Team take(Collective called) {
        synchronized (idle) {
            if (inFlight == NonBlockingCommunicator.IN_FLIGHT_MAX) {
                throw new IllegalStateException(first.describe() + " called " + called.label() + " with "
                        + NonBlockingCommunicator.IN_FLIGHT_MAX
                        + " requests in flight on the same communicator, which is the limit; await some of them first");
            }
            Team team = idle.isEmpty() ? teams.get() : idle.pop();
            inFlight++;
            return team;
        }
    }

    /** When a call has ended, or was refused. */
    private void putBack(Team team) {
        synchronized (idle) {
            idle.push(team);
            inFlight--;
        }
    }
}
