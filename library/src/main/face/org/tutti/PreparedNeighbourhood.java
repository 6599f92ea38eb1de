/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Prepares collectives of a {@link Neighbourhood} that a program repeats with the same arguments. The methods have the
 * same names and arguments, but each returns a {@link PreparedCall}. Preparing a call communicates nothing, and the
 * other ranks need not prepare it.
 */
public final class PreparedNeighbourhood {
    private final NeighbourCalls calls;
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);

    PreparedNeighbourhood(NeighbourCalls calls) {
        this.calls = calls;
    }

    // all calls of NonBlockingNeighbourhood, prepared

    private static PreparedCall outcome(PreparedCall call) {
        return call;
    }
}
