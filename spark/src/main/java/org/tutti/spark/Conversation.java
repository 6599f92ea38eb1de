/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;
import javax.crypto.Mac;

/**
 * A connection between the driver and a rank, on which each side proves with every message that it knows the secret of
 * the stage:
 *
 * <pre>
 *   first, each way    16 random bytes
 *   then, each way     length of the message (4 bytes) | message | code (32 bytes)
 * </pre>
 *
 * The code is HMAC-SHA256, under a key for each direction, of both sides' random bytes, the number of the message, and
 * the message. So nobody else can speak or repeat what was said. Messages are no secrets.
 */
final class Conversation implements AutoCloseable {
    private static final int NONCE_BYTES = 16;
    private static final int CODE_BYTES = 32;
    private static final int MESSAGE_BYTES_MAX = 1 << 16;
    private static final int CONNECT_MILLIS_MAX = 10_000;

    /** How long the rest of a message may take after its first byte, or the random bytes. */
    private static final int MESSAGE_MILLIS_MAX = 10_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final Direction sending;
    private final Direction receiving;

    /** What orders and proves the messages of one direction. */
    private static final class Direction {
        private final Mac mac;
        private final byte[] nonces;
        private long number;

        Direction(Mac mac, byte[] nonces) {
            this.mac = mac;
            this.nonces = nonces;
        }

        byte[] code(byte[] message) {
            mac.update(nonces);
            mac.update(ByteBuffer.allocate(Long.BYTES).putLong(number++).array());
            return mac.doFinal(message);
        }
    }

    private Conversation(Socket socket, StageSecret secret, boolean driver) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(MESSAGE_MILLIS_MAX);
        this.in = new DataInputStream(socket.getInputStream());
        this.out = new DataOutputStream(socket.getOutputStream());
        byte[] own = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(own);
        out.write(own);
        byte[] other = in.readNBytes(NONCE_BYTES);
        byte[] nonces = ByteBuffer.allocate(2 * NONCE_BYTES).put(driver ? own : other).put(driver ? other : own)
                .array();
        Direction down = new Direction(secret.mac("driver to rank"), nonces);
        Direction up = new Direction(secret.mac("rank to driver"), nonces);
        this.sending = driver ? down : up;
        this.receiving = driver ? up : down;
    }

    /** The driver's side of a connection that was made. */
    static Conversation ofDriver(Socket socket, StageSecret secret) throws IOException {
        return new Conversation(socket, secret, true);
    }

    /** The rank's side of a new connection. */
    static Conversation connect(InetSocketAddress driver, StageSecret secret) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(driver, CONNECT_MILLIS_MAX);
            return new Conversation(socket, secret, false);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    synchronized void send(Message message) throws IOException {
        var bytes = new ByteArrayOutputStream();
        message.write(new DataOutputStream(bytes));
        byte[] content = bytes.toByteArray();
        out.write(ByteBuffer.allocate(Integer.BYTES + content.length + CODE_BYTES).putInt(content.length).put(content)
                .put(sending.code(content)).array());
    }

    /**
     * Waits for a message.
     *
     * @param millis how long, at least 1
     * @return the message, or empty when none has come
     * @throws IOException when the other side has gone, or what has come is not from it
     */
    Optional<Message> receive(int millis) throws IOException {
        socket.setSoTimeout(millis);
        int first;
        try {
            first = in.read();
        } catch (SocketTimeoutException _) {
            return Optional.empty();
        }
        if (first < 0) {
            throw new IOException("the other side has gone");
        }
        socket.setSoTimeout(MESSAGE_MILLIS_MAX);
        int length = first << 3 * Byte.SIZE | in.readUnsignedByte() << 2 * Byte.SIZE | in.readUnsignedShort();
        if (length < 0 || length > MESSAGE_BYTES_MAX) {
            throw new IOException("a message of " + length + " bytes has come, where " + MESSAGE_BYTES_MAX
                    + " are the most");
        }
        byte[] content = in.readNBytes(length);
        if (!MessageDigest.isEqual(receiving.code(content), in.readNBytes(CODE_BYTES))) {
            throw new IOException("a message has come from somebody who does not know the secret of the stage");
        }
        return Optional.of(Message.read(new DataInputStream(new ByteArrayInputStream(content))));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
