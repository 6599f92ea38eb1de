/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * The location of a rank's part of remote memory.
 *
 * @param address the address of the part's block in the memory of the rank's node
 * @param bytes the part's size in bytes
 * @param notifications the number of notification words
 * @param handle the handle of the region by which other nodes reach the part; 0 with one node
 */
record Part(long address, long bytes, int notifications, long handle) {}
