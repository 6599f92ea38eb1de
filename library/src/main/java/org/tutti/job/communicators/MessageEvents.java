/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import org.tutti.events.ReceiveEvent;
import org.tutti.events.SendEvent;

/** Tells Flight Recorder of messages. While it records none, a call costs one look at a flag. */
final class MessageEvents {
    private static final SendEvent SEND = new SendEvent();
    private static final ReceiveEvent RECEIVE = new ReceiveEvent();

    private MessageEvents() {}

    /** Begins the event of a send, if sends are recorded; otherwise returns null. */
    static SendEvent beginSend() {
        if (!SEND.isEnabled()) {
            return null;
        }
        var event = new SendEvent();
        event.begin();
        return event;
    }

    /** Ends the event of a send. */
    static void end(SendEvent event, CommunicatorState state, int target, int tag, long bytes, boolean nonBlocking) {
        event.end();
        if (event.shouldCommit()) {
            event.rank = state.rankInJob(state.team.rank());
            event.communicator = state.members.communicator();
            event.communicatorNumber = state.id;
            event.peer = state.rankInJob(target);
            event.tag = tag;
            event.bytes = bytes;
            event.nonBlocking = nonBlocking;
            event.commit();
        }
    }

    /** Begins the event of a receive, if receives are recorded; otherwise returns null. */
    static ReceiveEvent beginReceive() {
        if (!RECEIVE.isEnabled()) {
            return null;
        }
        var event = new ReceiveEvent();
        event.begin();
        return event;
    }

    /** Ends the event of a receive. */
    static void end(ReceiveEvent event, CommunicatorState state, int source, int tag, long bytes) {
        event.end();
        if (event.shouldCommit()) {
            event.rank = state.rankInJob(state.team.rank());
            event.communicator = state.members.communicator();
            event.communicatorNumber = state.id;
            event.peer = state.rankInJob(source);
            event.tag = tag;
            event.bytes = bytes;
            event.commit();
        }
    }
}
