/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * Some numbers that a process sends with its good-bye. The fabric carries them, and gives them no meaning.
 *
 * @param state what the others are worth
 * @param calls a count
 * @param history a fingerprint
 * @param groups another one
 */
public record Farewell(int state, long calls, long history, long groups) {
    /** Says nothing. */
    public static final Farewell NONE = new Farewell(0, 0, 0, 0);
}
