/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when a rank has called {@link Job#abort(int)}: every blocked and later call of the job ends with this
 * exception.
 */
public final class JobAbortedException extends TuttiException {
    private static final long serialVersionUID = 1L;

    private final int rank;
    private final int status;

    /**
     * Constructs an exception for a job that a rank has aborted.
     *
     * @param rank the rank that aborted the job, by its number in the job
     * @param status the exit status with which the rank aborted the job
     * @param message one sentence: what happened, where, with which values
     */
    public JobAbortedException(int rank, int status, String message) {
        super(message);
        this.rank = rank;
        this.status = status;
    }

    /**
     * {@return the rank that aborted the job}
     */
    public int rank() {
        return rank;
    }

    /**
     * {@return the exit status that the aborting rank passed, 0 to 255}
     */
    public int status() {
        return status;
    }
}
