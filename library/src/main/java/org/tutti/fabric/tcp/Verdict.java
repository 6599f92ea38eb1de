/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/** The answer of the server in a {@link Handshake} to a client that knows the secret. */
enum Verdict {
    /** The connection is open for frames. */
    ACCEPTED(1),
    /** The client intended to reach another process. */
    WRONG_PROCESS(2),
    /**
     * The server does not accept the connection at present, for example because the server itself opens a connection to
     * the client, and that one will be used.
     */
    BUSY(3),
    /** Such a connection already exists, or the attempt was abandoned. */
    DUPLICATE(4),
    /** There is no such rail, or the two processes have no connection to which the rail could be added. */
    NO_SUCH_RAIL(5);

    static final int BYTES = Integer.BYTES;

    private final int code;

    Verdict(int code) {
        this.code = code;
    }

    /** Returns the verdict with this code, or null if there is none. */
    static Verdict of(int code) {
        for (Verdict known : values()) {
            if (known.code == code) {
                return known;
            }
        }
        return null;
    }

    byte[] written() {
        return HandshakeLayout.buffer(BYTES).putInt(code).array();
    }
}
