/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * The location of the part of remote memory that one rank contributes.
 *
 * @param address the address of the part's block in the memory of the rank's node
 * @param bytes the size of the part in bytes, without the notification words
 * @param notifications the number of words of the part that count notifications
 * @param handle the number by which other nodes name the part in messages; 0 if all ranks are on one node
 */
record Part(long address, long bytes, int notifications, long handle) {}
