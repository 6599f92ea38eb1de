/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

/**
 * The bytes that a process has sent to another one.
 *
 * @param process the first rank of the process
 * @param peer the first rank of the other process
 * @param bytes the bytes
 */
record Traffic(int process, int peer, long bytes) {}
