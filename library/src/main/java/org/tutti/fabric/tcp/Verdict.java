/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/** A server's answer in a {@link Handshake} to a client that knows the secret. */
enum Verdict {
    /** The connection is open for frames. */
    ACCEPTED(1),
    /** The client intended to reach another process. */
    WRONG_PROCESS(2),
    /** Not now: for example, the server itself is opening a connection to the client, and that one counts. */
    BUSY(3),
    /** Such a connection already exists, or the attempt was abandoned. */
    DUPLICATE(4),
    /** There is no such rail, or no connection to which it could be added. */
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
