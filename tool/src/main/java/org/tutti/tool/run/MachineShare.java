/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/**
 * A node's share of the machine that it is on, which other nodes of its job may be on as well.
 *
 * @param nodes how many nodes of the job are on the machine
 * @param processes how many processes they have together
 * @param firstProcess how many of these come before those of this node
 */
record MachineShare(int nodes, int processes, int firstProcess) {}
