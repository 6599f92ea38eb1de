/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * The address of a part of remote memory that belongs to a rank on another node.
 *
 * @param rank the rank to which the part belongs
 * @param process the number of that rank's process, which is the number of the process's first rank
 * @param region the handle by which messages name the part at that process
 */
record PartAddress(int rank, int process, long region) {}
