/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when ranks of a communicator have called different collectives, or the same collective with another root,
 * count, type, operator or algorithm. The first rank that detects the difference names both calls in the message. The
 * communicator is then broken. Every rank gets an exception in its present call, or in its next one.
 */
public final class CollectiveMismatchException extends CommunicatorBrokenException {
    private static final long serialVersionUID = 1L;

    private final boolean firstHand;

    /**
     * Constructs an exception for calls that differ.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param firstHand whether this rank has detected the difference itself, rather than learnt of it from another rank
     */
    public CollectiveMismatchException(String message, boolean firstHand) {
        super(message);
        this.firstHand = firstHand;
    }

    /**
     * {@return whether this rank has detected the difference itself, so that the message names both calls; otherwise
     * another rank has detected it}
     */
    public boolean isFirstHand() {
        return firstHand;
    }
}
