/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A rank waits for non-blocking requests. */
@Name("tutti.Await")
@Label("Await")
@Description("A rank waits for non-blocking requests")
@StackTrace(false)
public final class AwaitEvent extends RankEvent {
    /** The request, such as "allreduce". */
    @Label("Request")
    public String request;

    /** Whether the wait ended with an exception. */
    @Label("Failed")
    public boolean failed;
}
