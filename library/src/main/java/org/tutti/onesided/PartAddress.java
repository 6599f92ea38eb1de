/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * How the fabric reaches the part of a rank on another node.
 *
 * @param rank the rank
 * @param process its process, by its first rank
 * @param region the handle of its part's region
 */
record PartAddress(int rank, int process, long region) {}
