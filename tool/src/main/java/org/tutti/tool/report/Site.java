/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Set;

/**
 * Calls that a report counts together.
 *
 * @param kind the kind of call
 * @param name the call, such as "allreduce"
 * @param communicator the name of the communicator, empty for calls without one
 * @param algorithm the algorithm, empty for calls without one
 * @param nonBlocking whether the calls are non-blocking
 * @param bits the number of bits of the length in bytes: calls of similar lengths count together
 */
record Site(Kind kind, String name, String communicator, String algorithm, boolean nonBlocking, int bits) {
    private static final Set<String> SYNCHRONIZING =
            Set.of("barrier", "allreduce", "allgather", "all-to-all", "reduce-scatter");

    /** {@return the number of bits of a length} */
    static int bits(long bytes) {
        return Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, bytes));
    }

    /** {@return whether no rank ends a call before every rank has begun it; calls without elements may differ} */
    boolean isSynchronizing() {
        return kind == Kind.COLLECTIVE && !nonBlocking && SYNCHRONIZING.contains(name)
                && (bits > 0 || name.equals("barrier"));
    }

    /** {@return whether the rank does nothing else during the call} */
    boolean isBlocking() {
        return !nonBlocking;
    }
}
