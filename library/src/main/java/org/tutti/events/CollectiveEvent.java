/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A rank runs a call of a collective, from its begin to its end on the thread that runs it. */
@Name("tutti.Collective")
@Label("Collective Call")
@Description("A rank runs a call of a collective")
@StackTrace(false)
public final class CollectiveEvent extends CommunicatorEvent {
    /** The number of the call on its communicator, from 1, the same at all ranks. */
    @Label("Operation")
    public long operation;

    /** The collective, such as "allreduce". */
    @Label("Collective")
    public String collective;

    /** The algorithm that runs the call. */
    @Label("Algorithm")
    public String algorithm;

    /** The length of the vector, or of one block, in bytes. */
    @DataAmount
    @Label("Bytes")
    public long bytes;

    /** The root, as a rank of the communicator; −1 if the collective has none. */
    @Label("Root")
    public int root;

    /**
     * The time in which the rank waited for others, in nanoseconds. A wait of less than about a microsecond counts as
     * none.
     */
    @Timespan
    @Label("Waiting")
    public long waiting;

    /** The rank in the job for which the rank waited longest; −1 if the rank waited for none. */
    @Label("Awaited Rank")
    public int awaited;

    /** The time in which the rank waited for that rank, in nanoseconds. */
    @Timespan
    @Label("Awaited")
    public long awaitedNanos;

    /** Whether the call is non-blocking. */
    @Label("Non-blocking")
    public boolean nonBlocking;

    /** Whether the call ended with an exception. */
    @Label("Failed")
    public boolean failed;

    /** The line of the program that made the call; empty if the line was not sampled. */
    @Label("Caller")
    public String caller;
}
