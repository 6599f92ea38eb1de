/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * The numbers that a process sends with its good-bye. The fabric carries the numbers and gives them no meaning.
 *
 * @param state tells which of the other numbers are valid
 * @param calls a count
 * @param history a fingerprint
 * @param groups another fingerprint
 */
public record Farewell(int state, long calls, long history, long groups) {
    /** No numbers. */
    public static final Farewell NONE = new Farewell(0, 0, 0, 0);
}
