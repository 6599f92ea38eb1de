/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown by a receive whose message has elements of another type, or more elements than the receive has room for. The
 * message is dropped, and the communicator can still be used. The sender gets no exception.
 */
public final class MessageMismatchException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * Constructs an exception for a message that does not fit its receive.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public MessageMismatchException(String message) {
        super(message);
    }
}
