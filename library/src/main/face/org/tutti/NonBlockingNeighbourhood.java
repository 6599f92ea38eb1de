/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The collectives of a {@link Neighbourhood} as non-blocking calls. The methods have the same names and arguments, but
 * each call returns a {@link Request} immediately. Several requests may be in flight, and end in any order. All ranks
 * start the same calls in the same order.
 *
 * <p>Until its request is done, a program must not change the elements that a call reads, or access the elements that
 * it writes.
 */
public final class NonBlockingNeighbourhood {
    private final NeighbourCalls calls;
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);

    NonBlockingNeighbourhood(NeighbourCalls calls) {
        this.calls = calls;
    }

    // as in Neighbourhood
    public Request neighbourAllgather(Span source, Span target) {
        return outcome(calls.allgather(ArrayViews.span(source), ArrayViews.span(target)));
    }

    // as in Neighbourhood
    public Request neighbourAllgather(Span source, Span target, Blocks blocks) {
        return outcome(calls.allgather(ArrayViews.span(source), ArrayViews.span(target), blocks));
    }

    // as in Neighbourhood
    public Request neighbourAllToAll(Span source, Span target) {
        return outcome(calls.allToAll(ArrayViews.span(source), ArrayViews.span(target)));
    }

    // as in Neighbourhood
    public Request neighbourAllToAll(Span source, Blocks sourceBlocks, Span target, Blocks targetBlocks) {
        return outcome(calls.allToAll(ArrayViews.span(source), sourceBlocks, ArrayViews.span(target), targetBlocks));
    }

    private static Request outcome(PreparedCall call) {
        return call.start();
    }
}
