/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * The address by which the fabric reaches the part of a rank on another node.
 *
 * @param rank the rank
 * @param process the number of the rank's process, which is the number of the process's first rank
 * @param region the handle of the part's region
 */
record PartAddress(int rank, int process, long region) {}
