/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The message by which a client, the side that opened a connection, introduces itself in a {@link Handshake}. It names
 * the client's process and the rail to which the connection belongs. A rail is one of the parallel connections of two
 * processes.
 *
 * @param rank the first rank of the client's process, not negative
 * @param rail the number of the connection's rail, from 0
 * @param rails the number of rails that the two processes have in common, at most {@link RailAddresses#RAILS_MAX}
 * @param together a bit for each rail that the client's attempt connects, which include this one; {@link #BACK} if the
 *            client reconnects a lost rail
 * @param serverRank the first rank of the process that the client intends to reach, not negative
 * @param attempt the number of the attempt, which is the same for all its rails; a later attempt has a greater number
 */
record Introduction(int rank, int rail, int rails, int together, int serverRank, int attempt) {
    static final int BYTES = 6 * Integer.BYTES;

    /** The value of {@code together} when a lost rail is reconnected. */
    static final int BACK = 0;

    static Introduction read(byte[] said) {
        ByteBuffer fields = ByteBuffer.wrap(said).order(ByteOrder.LITTLE_ENDIAN);
        return new Introduction(fields.getInt(), fields.getInt(), fields.getInt(), fields.getInt(), fields.getInt(),
                fields.getInt());
    }

    byte[] written() {
        return HandshakeLayout.buffer(BYTES).putInt(rank).putInt(rail).putInt(rails).putInt(together).putInt(serverRank)
                .putInt(attempt).array();
    }

    boolean makesSense() {
        return rank >= 0 && serverRank >= 0 && rail >= 0 && rail < rails && rails <= RailAddresses.RAILS_MAX
                && (bringsBack() ? rails > 1 : together >>> rails == 0 && (together & 1 << rail) != 0);
    }

    /** Returns whether the connection replaces a lost rail of processes that are connected. */
    boolean bringsBack() {
        return together == BACK;
    }
}
