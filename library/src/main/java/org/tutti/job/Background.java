/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.tutti.Collective;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Request;
import org.tutti.TuttiException;
import org.tutti.collective.Team;

/**
 * The operations that a rank has in flight on a communicator: a virtual thread for each request. Stages are used again,
 * so there are at most as many as operations were in flight at once.
 */
final class Background {
    private final Team first;
    private final Supplier<Team> teams;
    private final ArrayDeque<Stage> idle = new ArrayDeque<>();
    private final AtomicInteger inFlight = new AtomicInteger();

    Background(Team first, Supplier<Team> teams) {
        this.first = first;
        this.teams = teams;
    }

    /** Before anything is drawn, as a call that is refused must leave no gap in the order. */
    void reserve(Collective called) {
        if (inFlight.incrementAndGet() > NonBlockingCommunicator.IN_FLIGHT_MAX) {
            inFlight.decrementAndGet();
            throw new IllegalStateException("rank " + first.rank() + " called " + called.label() + " with "
                    + NonBlockingCommunicator.IN_FLIGHT_MAX
                    + " requests in flight on the same communicator, which is the limit; await some of them first");
        }
    }

    /** For a call that has reserved and then failed before it started. */
    void release() {
        inFlight.decrementAndGet();
    }

    Stage stage() {
        synchronized (idle) {
            Stage stage = idle.poll();
            return stage != null ? stage : new Stage(teams.get());
        }
    }

    Request start(Collective called, Stage stage, Runnable operation) {
        LiveRequest request = new LiveRequest(first.rank(), called);
        Thread.ofVirtual().name("tutti rank " + first.rank() + " " + called.label()).start(() -> {
            Throwable failure = null;
            try {
                operation.run();
                synchronized (idle) {
                    idle.push(stage);
                }
            } catch (Throwable thrown) {
                failure = thrown;
                if (first.hasEnded() && !(thrown instanceof TuttiException)) { // the job's memory may be gone, too
                    failure = stage.team().hasLeft();
                }
            }
            release();
            request.complete(failure);
        });
        return request;
    }
}
