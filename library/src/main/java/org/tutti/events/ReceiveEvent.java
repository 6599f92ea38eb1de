/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A rank receives a message by a blocking call, from the begin of the call to its end. */
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
}
