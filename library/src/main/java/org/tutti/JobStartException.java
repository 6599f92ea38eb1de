/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when a rank cannot join its job. The reason is that its environment variables are wrong or incomplete, that
 * another process already has its rank, or that other ranks did not join in time.
 */
public final class JobStartException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * Constructs an exception with a message.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public JobStartException(String message) {
        super(message);
    }
}
