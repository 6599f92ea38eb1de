/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A rank receives a message, from the begin of the call to its end. A non-blocking receive lasts from its start until
 * the message has come, and the thread that takes the message records it.
 */
@Name("tutti.Receive")
@Label("Receive")
@Description("A rank receives a message")
@StackTrace(false)
public final class ReceiveEvent extends CommunicatorEvent {
    /** The rank in the job of the other end. */
    @Label("Peer")
    public int peer;

    /** The tag of the message. */
    @Label("Tag")
    public int tag;

    /** The length of the message in bytes. */
    @DataAmount
    @Label("Bytes")
    public long bytes;

    /** Whether the call is non-blocking. */
    @Label("Non-blocking")
    public boolean nonBlocking;
}
