/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when a call depends on a rank that has died, has ended without leaving its job, has thrown out of its program,
 * or has left the job already. A rank that died breaks every communicator that contains it.
 */
public final class RankFailedException extends TuttiException {
    private static final long serialVersionUID = 1L;

    private final int rank;

    /**
     * Constructs an exception for a rank that has failed or left.
     *
     * @param rank the rank in the job that failed or left
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public RankFailedException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /**
     * Constructs an exception for a rank that has failed with an exception.
     *
     * @param rank the rank in the job that failed
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param cause the exception that the rank threw
     */
    public RankFailedException(int rank, String message, Throwable cause) {
        super(message, cause);
        this.rank = rank;
    }

    /**
     * {@return the rank in the job that failed or left}
     */
    public int rank() {
        return rank;
    }
}
