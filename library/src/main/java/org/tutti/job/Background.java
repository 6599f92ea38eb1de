/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.ArrayDeque;
import java.util.function.Supplier;

import org.tutti.Collective;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Request;
import org.tutti.TuttiException;
import org.tutti.collective.Team;

/**
 * The operations that a rank has in flight on a communicator: a virtual thread for each request, and a stage, which is
 * used again. So there are as many stages as requests were in flight at once. What they claim of the node's memory is
 * less: a stage that waits for its turn has none, and those that run have it from the ledger, which bounds it.
 */
final class Background {
    private final Team first;
    private final Supplier<Team> teams;
    private final ArrayDeque<Stage> idle = new ArrayDeque<>();
    private int inFlight;

    Background(Team first, Supplier<Team> teams) {
        this.first = first;
        this.teams = teams;
    }

    /** A stage for a call, before anything is drawn, as a call that is refused must leave no gap in the order. */
    Stage take(Collective called) {
        synchronized (idle) {
            if (inFlight == NonBlockingCommunicator.IN_FLIGHT_MAX) {
                throw new IllegalStateException("rank " + first.rank() + " called " + called.label() + " with "
                        + NonBlockingCommunicator.IN_FLIGHT_MAX
                        + " requests in flight on the same communicator, which is the limit; await some of them first");
            }
            Stage stage = idle.isEmpty() ? new Stage(teams.get()) : idle.pop();
            inFlight++;
            return stage;
        }
    }

    /** When a call has ended, or was refused. */
    void putBack(Stage stage) {
        synchronized (idle) {
            idle.push(stage);
            inFlight--;
        }
    }

    Request start(Collective called, Stage stage, Runnable operation) {
        LiveRequest request = new LiveRequest(first.rank(), called);
        Thread.ofVirtual().name("tutti rank " + first.rank() + " " + called.label()).start(() -> {
            Throwable failure = null;
            try {
                operation.run();
            } catch (Throwable thrown) {
                failure = thrown;
                if (first.hasEnded() && !(thrown instanceof TuttiException)) { // the job's memory may be gone, too
                    failure = stage.team().hasLeft();
                }
            }
            putBack(stage);
            request.complete(failure);
        });
        return request;
    }
}
