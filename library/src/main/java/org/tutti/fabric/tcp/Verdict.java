/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/** What a server says in a {@link Handshake} to a client that knows the secret. */
enum Verdict {
    /** The connection is open for frames. */
    ACCEPTED(1),
    /** The client meant another process than the one that listens here. */
    WRONG_PROCESS(2),
    /** Not now: the server is opening a connection to the client itself, say, and that one counts. */
    BUSY(3),
    /** There is such a connection already. */
    DUPLICATE(4),
    /** There is no connection of which the client could bring that rail back. */
    NO_SUCH_RAIL(5);

    static final int BYTES = Integer.BYTES;

    private final int code;

    Verdict(int code) {
        this.code = code;
    }

    /** Which one has this code, or null if none. */
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
