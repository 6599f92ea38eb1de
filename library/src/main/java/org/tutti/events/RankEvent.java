/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** An event of one rank. The fields of all events are written by the thread that commits the event. */
@Category("Tutti")
abstract class RankEvent extends Event {
    /** The rank in the job. */
    @Label("Rank")
    public int rank;
}
