/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.Message;
import org.tutti.ReceiveRequest;
import org.tutti.Request;
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

    /** Ends the event of a receive whose message has come. */
    static void end(ReceiveEvent event, CommunicatorState state, Message came, DataType type, boolean nonBlocking) {
        event.end();
        if (event.shouldCommit()) {
            event.rank = state.rankInJob(state.team.rank());
            event.communicator = state.members.communicator();
            event.communicatorNumber = state.id;
            event.peer = state.rankInJob(came.source());
            event.tag = came.tag();
            event.bytes = came.count() * type.bytes();
            event.nonBlocking = nonBlocking;
            event.commit();
        }
    }

    /** Starts a non-blocking send, and records it. */
    static Request startSend(CommunicatorCalls calls, MemorySegment source, DataType type, int target, int tag,
            boolean isSynchronous) {
        SendEvent event = beginSend();
        Request request = calls.messages().startSend(source, type, target, tag, isSynchronous, calls.deadlineNanos());
        if (event != null) {
            end(event, calls.state(), target, tag, source.byteSize(), true);
        }
        return request;
    }

    /** Starts a non-blocking receive, which is recorded when its message has come. */
    static ReceiveRequest startReceive(CommunicatorCalls calls, MemorySegment target, DataType type, int source,
            int tag, Runnable afterwards) {
        var message = new Message();
        ReceiveEvent event = beginReceive();
        Runnable atEnd = event == null ? afterwards : () -> {
            afterwards.run();
            end(event, calls.state(), message, type, true);
        };
        return calls.messages().startReceive(target, type, source, tag, message, calls.deadlineNanos(), atEnd);
    }
}
