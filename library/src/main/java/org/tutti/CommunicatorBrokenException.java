/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.OptionalInt;

/**
 * Thrown when a communicator can no longer be used, because an earlier call on it did not complete at some rank. The
 * message names the rank that broke the communicator, and the reason.
 */
public sealed class CommunicatorBrokenException extends TuttiException permits CollectiveMismatchException {
    private static final long serialVersionUID = 1L;
    private static final int NOBODY = -1;

    private final int culprit;

    /**
     * Constructs an exception for a communicator that an unknown rank has broken.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public CommunicatorBrokenException(String message) {
        this(NOBODY, message);
    }

    /**
     * Constructs an exception for a communicator that a rank has broken or closed.
     *
     * @param culprit the rank that has broken or closed the communicator, by its number in the job
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public CommunicatorBrokenException(int culprit, String message) {
        super(message);
        this.culprit = culprit;
    }

    /**
     * {@return the rank in the job that has broken or closed the communicator, empty if it is unknown}
     */
    public OptionalInt culprit() {
        return culprit == NOBODY ? OptionalInt.empty() : OptionalInt.of(culprit);
    }
}
