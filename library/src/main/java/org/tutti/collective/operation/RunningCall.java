/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import org.tutti.collective.calls.RecentCalls;
import org.tutti.events.CollectiveEvent;

/**
 * Records the call that a team runs, from its begin to its end: its state among the last calls of the rank, its waits,
 * and an event of Flight Recorder. A team has one such object and uses it for one call at a time.
 */
public final class RunningCall {
    private static final int NOBODY = -1;
    private static final long WORTH_A_LINE_NANOS = 2_000_000; // a line of the program takes some microseconds to find

    private final CallRecorder recorder;
    private final boolean blocking;
    private final CollectiveEvent event = new CollectiveEvent();
    private boolean recorded; // by the event
    private long waitedNanos;
    private int awaited;
    private long awaitedNanos;

    /**
     * Creates an object for a team.
     *
     * @param recorder the recorder that the teams of the rank on the communicator share; null to record nothing
     * @param blocking whether the team runs blocking calls
     */
    public RunningCall(CallRecorder recorder, boolean blocking) {
        this.recorder = recorder;
        this.blocking = blocking;
    }

    /**
     * Records a call whose operations have drawn their numbers, for the team that draws them.
     *
     * @param call the call
     * @param runs whether this thread runs the call next
     */
    public void drawn(CallArguments call, boolean runs) {
        if (recorder != null) {
            recorder.drawn(call, runs);
        }
    }

    /**
     * Begins to record a call that this thread runs.
     *
     * @param call the call, whose first operation has not begun
     */
    public void begin(CallArguments call) {
        if (recorder == null) {
            return;
        }
        if (!blocking) {
            recorder.recent.set(call.recorded, RecentCalls.State.RUNNING);
        }
        recorded = event.isEnabled();
        if (recorded) {
            waitedNanos = 0;
            awaited = NOBODY;
            awaitedNanos = 0;
            event.operation = call.sequence + 1;
            event.begin();
        }
    }

    /**
     * Records a wait of this rank for another one.
     *
     * @param other the other rank, a rank of the communicator
     * @param nanos the duration of the wait
     */
    public void waited(int other, long nanos) {
        if (recorder == null) {
            return;
        }
        recorder.counts.addWait(recorder.members.rankInJob(other), nanos);
        waitedNanos += nanos;
        if (nanos > awaitedNanos) {
            awaitedNanos = nanos;
            awaited = other;
        }
    }

    /**
     * Ends the record of a call.
     *
     * @param call the call
     * @param failed whether the call ends with an exception
     */
    public void end(CallArguments call, boolean failed) {
        if (recorder == null) {
            return;
        }
        recorder.recent.set(call.recorded, failed ? RecentCalls.State.FAILED : RecentCalls.State.DONE);
        if (recorded) {
            recorded = false;
            event.caller = callerOf(call); // within the event: else the rank would seem late to its next call
            event.end();
            if (event.shouldCommit()) {
                commit(call, failed);
            }
        }
    }

    private void commit(CallArguments call, boolean failed) {
        var members = recorder.members;
        event.rank = members.rankInJob(recorder.rank);
        event.communicator = members.communicator();
        event.communicatorNumber = recorder.communicator;
        event.collective = call.called();
        event.algorithm = call.algorithmName().toString();
        event.bytes = call.callBytes();
        event.root = call.collective().hasRoot() ? call.root() : NOBODY;
        event.waiting = waitedNanos;
        event.awaited = awaited == NOBODY ? NOBODY : members.rankInJob(awaited);
        event.awaitedNanos = awaitedNanos;
        event.nonBlocking = !blocking;
        event.failed = failed;
        event.commit();
    }

    private String callerOf(CallArguments call) {
        if (call.caller != null) {
            return call.caller;
        }
        return blocking && waitedNanos > WORTH_A_LINE_NANOS ? CallRecorder.caller() : "";
    }
}
