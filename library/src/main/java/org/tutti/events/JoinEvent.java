/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A rank joins the job. The event lasts until all ranks have joined. */
@Name("tutti.Join")
@Label("Join")
@Description("A rank joins the job")
@StackTrace(false)
public final class JoinEvent extends RankEvent {
    /** The name of the job. */
    @Label("Job")
    public String job;

    /** The number of ranks of the job. */
    @Label("Size")
    public int size;

    /** The number of nodes of the job. */
    @Label("Nodes")
    public int nodes;

    /** The node of the rank. */
    @Label("Node")
    public int node;

    /** The name of the host of the rank. */
    @Label("Host")
    public String host;

    /** The first rank of the process of the rank. */
    @Label("Process")
    public int process;
}
