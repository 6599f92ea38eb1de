/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import org.tutti.collective.members.Members;
import org.tutti.events.ReceiveEvent;
import org.tutti.events.SendEvent;

/** Tells Flight Recorder of messages. While it records none, a call costs one look at a flag. */
final class MessageEvents {
    private static final SendEvent SEND = new SendEvent();
    private static final ReceiveEvent RECEIVE = new ReceiveEvent();

    private MessageEvents() {}

    /** {@return the event of a send that begins, or null if sends are not recorded} */
    static SendEvent beginSend() {
        if (!SEND.isEnabled()) {
            return null;
        }
        var event = new SendEvent();
        event.begin();
        return event;
    }

    /** Ends the event of a send to a rank of the communicator. */
    static void end(SendEvent event, CommunicatorMessages messages, int target, int tag, long bytes,
            boolean nonBlocking) {
        event.end();
        if (event.shouldCommit()) {
            Members members = messages.members();
            event.rank = members.rankInJob(messages.rank());
            event.communicator = members.communicator();
            event.communicatorNumber = messages.number();
            event.peer = members.rankInJob(target);
            event.tag = tag;
            event.bytes = bytes;
            event.nonBlocking = nonBlocking;
            event.commit();
        }
    }

    /** {@return the event of a receive that begins, or null if receives are not recorded} */
    static ReceiveEvent beginReceive() {
        if (!RECEIVE.isEnabled()) {
            return null;
        }
        var event = new ReceiveEvent();
        event.begin();
        return event;
    }

    /** Ends the event of a receive whose message has come from a rank of the communicator. */
    static void end(ReceiveEvent event, CommunicatorMessages messages, int source, int tag, long bytes,
            boolean nonBlocking) {
        event.end();
        if (event.shouldCommit()) {
            Members members = messages.members();
            event.rank = members.rankInJob(messages.rank());
            event.communicator = members.communicator();
            event.communicatorNumber = messages.number();
            event.peer = members.rankInJob(source);
            event.tag = tag;
            event.bytes = bytes;
            event.nonBlocking = nonBlocking;
            event.commit();
        }
    }
}
