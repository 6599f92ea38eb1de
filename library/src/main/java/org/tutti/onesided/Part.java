/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * Where a rank's part of remote memory is.
 *
 * @param address its block, in the memory of the rank's node
 * @param bytes its size
 * @param notifications how many words it has that count notifications
 * @param handle the region by which its process lets others reach it; 0 when there are no other nodes
 */
record Part(long address, long bytes, int notifications, long handle) {}
