/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A rail, one of the connections of two processes, is lost or comes back. */
@Name("tutti.Rail")
@Label("Rail")
@Description("A connection of two processes is lost or comes back")
@Category("Tutti")
@StackTrace(false)
public final class RailEvent extends Event {
    /** The first rank of the other process. */
    @Label("Process")
    public int process;

    /** The number of the rail, from 0. */
    @Label("Rail")
    public int rail;

    /** The new state: "lost" or "restored". */
    @Label("State")
    public String state;
}
