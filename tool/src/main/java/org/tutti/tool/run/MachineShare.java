/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/**
 * A node's share of its machine, which may hold other nodes of the same job.
 *
 * @param nodes the number of nodes of the job on the machine
 * @param processes the number of processes of these nodes together
 * @param firstProcess how many of these processes come before the first one of this node
 */
record MachineShare(int nodes, int processes, int firstProcess) {}
