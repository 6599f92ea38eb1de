/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Ranks of one communicator called different collectives, or the same one with another root, count, type, operator or
 * algorithm. The first rank that sees it names both calls; the communicator is broken then, and every rank hears of it
 * at the latest in its next call.
 */
public final class CollectiveMismatchException extends CommunicatorBrokenException {
    private static final long serialVersionUID = 1L;

    private final boolean firstHand;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param firstHand whether this rank has seen the difference itself
     */
    public CollectiveMismatchException(String message, boolean firstHand) {
        super(message);
        this.firstHand = firstHand;
    }

    /**
     * {@return whether this rank has seen the difference itself, so that the message names both calls; else another one
     * has, and this rank only heard of it}
     */
    public boolean isFirstHand() {
        return firstHand;
    }
}
