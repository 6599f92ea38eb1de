/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

/**
 * The pauses of the garbage collector of a process.
 *
 * @param count the number of pauses
 * @param nanos their duration in all
 */
record Pauses(int count, long nanos) {
    static final Pauses NONE = new Pauses(0, 0);

    /** {@return these pauses and another one} */
    Pauses plus(long duration) {
        return new Pauses(count + 1, nanos + duration);
    }
}
