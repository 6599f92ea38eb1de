/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Ranks of one communicator called different collectives, or the same one with another root, count, type, operator or
 * algorithm. The first rank that sees it names both calls; the communicator is broken then, and every rank hears of it
 * at the latest in its next call.
 */
public final class CollectiveMismatchException extends CommunicatorBrokenException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public CollectiveMismatchException(String message) {
        super(message);
    }
}
