/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The root of all exceptions that Tutti throws because of the job, its ranks or its memory. Mistakes in the arguments
 * of a single call are reported by the JDK's own {@link IllegalArgumentException}, {@link NullPointerException},
 * {@link IndexOutOfBoundsException} and {@link IllegalStateException} instead, before anything was communicated.
 */
public class TuttiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public TuttiException(String message) {
        super(message);
    }

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param cause what led to it; null for nothing that is known
     */
    public TuttiException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
