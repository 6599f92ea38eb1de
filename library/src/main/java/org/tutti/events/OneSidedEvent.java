/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A rank accesses the memory of another rank. */
@Name("tutti.OneSided")
@Label("One-sided Call")
@Description("A rank accesses the memory of another rank")
@StackTrace(false)
public final class OneSidedEvent extends RankEvent {
    /** The operation, such as "put", "get" or "fetch-add". */
    @Label("Operation")
    public String operation;

    /** The rank in the job that has the memory. */
    @Label("Target")
    public int target;

    /** The length of the data in bytes. */
    @DataAmount
    @Label("Bytes")
    public long bytes;
}
