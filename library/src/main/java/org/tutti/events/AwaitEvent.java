/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A rank waits for non-blocking requests. */
@Name("tutti.Await")
@Label("Await")
@Description("A rank waits for non-blocking requests")
@StackTrace(false)
public final class AwaitEvent extends RankEvent {
    private static final AwaitEvent PROBE = new AwaitEvent();

    /** The request: the name of a collective, "send", "receive", "one-sided"; or "probe", a wait for a message. */
    @Label("Request")
    public String request;

    /** Whether the wait ended with an exception. */
    @Label("Failed")
    public boolean failed;

    /** {@return the event of a wait that begins, or null if waits are not recorded} */
    public static AwaitEvent beginIfRecorded() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        var event = new AwaitEvent();
        event.begin();
        return event;
    }

    /**
     * Ends the event of a wait.
     *
     * @param ofRank the rank that has waited, a rank of the job
     * @param ofRequest the request
     * @param hasFailed whether the wait ended with an exception
     */
    public void end(int ofRank, String ofRequest, boolean hasFailed) {
        end();
        if (shouldCommit()) {
            rank = ofRank;
            request = ofRequest;
            failed = hasFailed;
            commit();
        }
    }
}
