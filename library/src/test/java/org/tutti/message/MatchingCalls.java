/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.FoundMessage;
import org.tutti.Message;
import org.tutti.ReceiveRequest;
import org.tutti.Request;

/** The calls of a rank on a communicator of which a history consists. */
interface MatchingCalls {
    /** Starts a send. */
    Request send(MemorySegment source, int target, int tag, boolean isSynchronous);

    /** Starts a receive. */
    ReceiveRequest receive(MemorySegment target, int source, int tag);

    /** Takes a message out of the queue. Returns null if none has come. */
    FoundMessage tryProbe(int source, int tag);

    /** Receives the elements of a message that a probe has found. */
    void receive(FoundMessage found, MemorySegment target);

    /** Withdraws a started send. Returns false if a receive has matched it, or if there is no such call. */
    boolean withdraw(Request send);

    /** Returns whether {@link #sendNow} and {@link #receiveNow} may wait. */
    boolean mayWait();

    /** Sends, and waits for a short time. Returns false if the message was withdrawn then. */
    boolean sendNow(MemorySegment source, int target, int tag, boolean isSynchronous);

    /** Receives, and waits for a short time. Returns null if no message has come. */
    Message receiveNow(MemorySegment target, int source, int tag);

    /** Waits until a request has ended. Fails if that takes too long. */
    void await(Request request);
}
