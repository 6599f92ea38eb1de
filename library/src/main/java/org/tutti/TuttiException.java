/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The superclass of all exceptions that Tutti throws because of the job, its ranks or its memory. It is not thrown for
 * invalid arguments of a call. Those cause the JDK's {@link IllegalArgumentException}, {@link NullPointerException},
 * {@link IndexOutOfBoundsException} or {@link IllegalStateException}, before anything is communicated.
 */
public class TuttiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Constructs an exception with a message.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public TuttiException(String message) {
        super(message);
    }

    /**
     * Constructs an exception with a message and a cause.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param cause the cause; null if it is unknown
     */
    public TuttiException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
