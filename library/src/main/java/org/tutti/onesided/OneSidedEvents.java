/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.events.OneSidedEvent;

/** Tells Flight Recorder of one-sided calls. While it records none, a call costs one look at a flag. */
final class OneSidedEvents {
    /** The target of a call that concerns all ranks. */
    static final int ALL = -1;

    private static final OneSidedEvent PROBE = new OneSidedEvent();

    private OneSidedEvents() {}

    /** Begins the event of a call, if such calls are recorded; otherwise returns null. */
    static OneSidedEvent begin() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        var event = new OneSidedEvent();
        event.begin();
        return event;
    }

    /** Ends the event of a call. The target is a rank of the communicator, or {@link #ALL}. */
    static void end(OneSidedEvent event, RemoteAccess access, String operation, int target, long bytes) {
        event.end();
        if (event.shouldCommit()) {
            event.rank = access.members().rankInJob(access.rank());
            event.operation = operation;
            event.target = target == ALL ? ALL : access.members().rankInJob(target);
            event.bytes = bytes;
            event.commit();
        }
    }
}
