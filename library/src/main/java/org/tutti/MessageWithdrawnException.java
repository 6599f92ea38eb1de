/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.Serial;

/**
 * Thrown by {@link FoundMessage#receive(Span)} if the sender has withdrawn the message after the probe, because its
 * send has passed its deadline or was interrupted. The communicator can still be used.
 */
public final class MessageWithdrawnException extends TuttiException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception with the given message.
     *
     * @param message the ranks and the tag
     */
    public MessageWithdrawnException(String message) {
        super(message);
    }
}
