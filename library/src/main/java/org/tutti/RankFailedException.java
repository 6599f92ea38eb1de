/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when a call needs another rank that has failed or has left the job. A rank has failed if its process has died
 * or has ended without leaving the job, or if its program has thrown an exception. A failed rank breaks every
 * communicator that contains it.
 */
public final class RankFailedException extends TuttiException {
    private static final long serialVersionUID = 1L;

    private final int rank;

    /**
     * Constructs an exception for a rank that has failed or has left its job.
     *
     * @param rank the number in the job of the rank that failed or left
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public RankFailedException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /**
     * Constructs an exception for a rank that has failed with an exception.
     *
     * @param rank the number in the job of the rank that failed
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
