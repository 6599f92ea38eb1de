/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A process learns that a rank has failed. */
@Name("tutti.RankFailure")
@Label("Rank Failure")
@Description("A process learns that a rank has failed")
@Category("Tutti")
@StackTrace(false)
public final class RankFailureEvent extends Event {
    /** The failed rank, a rank in the job. */
    @Label("Failed Rank")
    public int failed;

    /** The reason, as messages tell it. */
    @Label("Reason")
    public String reason;
}
