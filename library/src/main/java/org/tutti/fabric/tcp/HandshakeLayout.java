/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The layout of the four messages of a {@link Handshake}. All numbers are little-endian.
 *
 * <pre>
 *  1. client to server, 76 bytes                      2. server to client, 76 bytes
 *   0       8    12           44          76           0       8    12           44           76
 *   +-------+----+------------+-----------+            +-------+----+------------+------------+
 *   |TUTTI-->|ver |client nonce| knock mac |            |TUTTI&lt;--|ver |server nonce| server mac |
 *   +-------+----+------------+-----------+            +-------+----+------------+------------+
 *
 *  3. client to server, 56 bytes                                4. server to client, 36 bytes
 *   0      4      8       12         16     20        24           56      0         4             36
 *   +------+------+-------+----------+------+---------+------------+       +---------+-------------+
 *   | rank | rail | rails | together |server| attempt | client mac |       | verdict | verdict mac |
 *   +------+------+-------+----------+------+---------+------------+       +---------+-------------+
 *                  the introduction
 *
 *  nonces = client nonce | server nonce, 32 bytes each, drawn afresh for each connection
 *  knock mac   = HMAC-SHA256(secret, "tutti knock"   | client nonce | 32 zeros)
 *  server mac  = HMAC-SHA256(secret, "tutti server"  | nonces)
 *  client mac  = HMAC-SHA256(secret, "tutti client"  | nonces | introduction)
 *  verdict mac = HMAC-SHA256(secret, "tutti verdict" | nonces | verdict)
 * </pre>
 */
final class HandshakeLayout {
    /** The version of the protocol, which must be the same on both sides. */
    static final int VERSION = 5;

    /** The length in bytes of a greeting, which is a magic number and the version. */
    static final int GREETING_BYTES = Long.BYTES + Integer.BYTES;
    static final long CLIENT_MAGIC = magic("TUTTI-->");
    static final long SERVER_MAGIC = magic("TUTTI<--");

    static final int NONCE_BYTES = 32;
    static final int NONCES_BYTES = 2 * NONCE_BYTES;
    static final int CLIENT_NONCE = 0;
    static final int SERVER_NONCE = NONCE_BYTES;

    static final int MAC_BYTES = 32;
    static final String KNOCK_LABEL = "tutti knock";
    static final String SERVER_LABEL = "tutti server";
    static final String CLIENT_LABEL = "tutti client";
    static final String VERDICT_LABEL = "tutti verdict";

    /** The length in bytes of a nonce and the proof of its sender. */
    static final int PROOF_BYTES = NONCE_BYTES + MAC_BYTES;

    /** The most bytes that a side expects at a time. */
    static final int READ_BYTES_MAX = PROOF_BYTES;

    /** The length of both messages of a client in bytes, which is the most that a side writes. */
    static final int WRITTEN_BYTES_MAX = GREETING_BYTES + PROOF_BYTES + Introduction.BYTES + MAC_BYTES;

    private HandshakeLayout() {}

    static byte[] greeting(long magic) {
        return buffer(GREETING_BYTES).putLong(magic).putInt(VERSION).array();
    }

    static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long magic(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }
}
