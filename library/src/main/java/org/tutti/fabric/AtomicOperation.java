/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * What is done to 64 bits of another process at once.
 */
public enum AtomicOperation {
    /** Adds the operand. */
    FETCH_ADD,
    /** Stores the operand. */
    SWAP,
    /** Stores the operand if the bits are as expected. */
    COMPARE_AND_SWAP
}
