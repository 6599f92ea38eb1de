/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import org.tutti.collective.calls.CallCounts;
import org.tutti.collective.calls.RankRecord;
import org.tutti.collective.calls.RecentCalls;
import org.tutti.collective.members.Members;
import org.tutti.events.CollectiveEvent;
import org.tutti.memory.CallSite;

/**
 * Records the calls of a rank on one communicator: it counts them, and keeps the last ones, in the memory of the node.
 * A rank has one such object for each communicator, and its teams share the object. Each team has a {@link RunningCall}
 * for the call that it runs.
 *
 * <p>A call of a small message takes less than a microsecond, so this class reads no clock. The line of the program is
 * found for each call if the program was started with that wish, and otherwise for the first calls of a communicator
 * and some of the later ones while Flight Recorder records calls.
 */
public final class CallRecorder {
    private static final int FIRST_SAMPLES = 8;
    private static final int SAMPLE_INTERVAL = 1024;

    final Members members;
    final long communicator;
    final int rank;
    final CallCounts counts;
    final RecentCalls recent;
    private final boolean callSites;
    private final CollectiveEvent probe = new CollectiveEvent();
    private long drawn;

    /**
     * Creates the recorder of a rank on a communicator.
     *
     * @param members the ranks of the communicator
     * @param communicator the number by which all ranks know the communicator
     * @param rank this rank
     * @param record the record of the rank
     * @param callSites whether the line of the program is kept for each call, which takes some microseconds
     */
    public CallRecorder(Members members, long communicator, int rank, RankRecord record, boolean callSites) {
        this.members = members;
        this.communicator = communicator;
        this.rank = rank;
        this.counts = record.counts();
        this.recent = record.recentCalls();
        this.callSites = callSites;
    }

    /**
     * Records a call whose operations have drawn their numbers. The thread that has drawn them calls this method.
     *
     * @param call the call
     * @param runs whether this thread runs the call next; if not, a non-blocking call has been started
     */
    public void drawn(CallArguments call, boolean runs) {
        long bytes = call.callBytes();
        counts.add(call.collective(), bytes);
        boolean sampled = callSites || probe.isEnabled() && isSampled();
        call.caller = sampled ? caller() : null;
        call.recorded = recent.begin(communicator, call.sequence + 1, call.collective(), call.algorithmName(), bytes,
                call.root(), runs ? RecentCalls.State.RUNNING : RecentCalls.State.STARTED, text(call));
    }

    private boolean isSampled() {
        long call = drawn++;
        return call < FIRST_SAMPLES || call % SAMPLE_INTERVAL == 0;
    }

    /** Returns the line of the program that makes the current call; empty if it cannot be found. */
    static String caller() {
        return CallSite.of(Thread.currentThread()).filter(CallSite::isInCall).map(CallSite::line).orElse("");
    }

    private static String text(CallArguments call) {
        return call.caller == null ? call.part() : call.part() == null ? call.caller : call.part() + " " + call.caller;
    }
}
