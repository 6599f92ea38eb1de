/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A rank accesses the memory of another rank, waits until such calls have taken effect or notifications have come, or
 * locks or unlocks a mutex.
 */
@Name("tutti.OneSided")
@Label("One-sided Call")
@Description("A rank accesses the memory of another rank")
@StackTrace(false)
public final class OneSidedEvent extends RankEvent {
    /**
     * The operation: "put", "get", "fill", "accumulate"; "fetch-add", "swap", "compare-and-swap", "fetch"; "fence";
     * "await", a wait for notifications; "lock" or "unlock".
     */
    @Label("Operation")
    public String operation;

    /** The rank in the job that has the memory or the mutex; −1 for a fence of all ranks and for notifications. */
    @Label("Target")
    public int target;

    /** The length of the data in bytes; 0 for calls without data. */
    @DataAmount
    @Label("Bytes")
    public long bytes;

    /** Whether the rank goes on meanwhile, because another thread makes the call, or the call only sends a request. */
    @Label("Non-blocking")
    public boolean nonBlocking;
}
