/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A process claims memory of its node. */
@Name("tutti.Memory")
@Label("Node Memory")
@Description("A process claims memory of its node")
@Category("Tutti")
@StackTrace(false)
public final class MemoryEvent extends Event {
    /** The claimed bytes. */
    @DataAmount
    @Label("Bytes")
    public long bytes;

    /** The use of the memory. */
    @Label("Purpose")
    public String purpose;
}
