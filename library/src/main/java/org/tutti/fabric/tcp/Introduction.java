/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a client says of itself in a {@link Handshake}.
 *
 * @param rank the first rank of its process, not negative
 * @param rail the number of the connection's rail, from 0
 * @param rails how many rails the two processes have in common, at most {@link RailAddresses#RAILS_MAX}
 * @param together which of them it opens together, a bit each; none when it brings a lost one back
 * @param serverRank the first rank of the process that it believes to talk to, not negative
 * @param attempt the same for all rails that it opens together; of two attempts, the later one's is greater
 */
record Introduction(int rank, int rail, int rails, int together, int serverRank, int attempt) {
    static final int BYTES = 6 * Integer.BYTES;

    /** No rails are opened together: a lost one is brought back. */
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

    /** Whether the connection takes the place of a lost one, between processes that are connected. */
    boolean bringsBack() {
        return together == BACK;
    }
}
