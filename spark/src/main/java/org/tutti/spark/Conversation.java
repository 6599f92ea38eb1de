/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;
import javax.crypto.Mac;

import jdk.net.ExtendedSocketOptions;

/**
 * A connection over which Spark's driver and a rank send each other messages. With every message the sender proves that
 * it knows the secret of the stage. The bytes are:
 *
 * <pre>
 *   first, each way    16 random bytes
 *   then, each way     length of the message (4 bytes) | message | code (32 bytes)
 * </pre>
 *
 * The code is the HMAC-SHA256 of both sides' random bytes, the number of the message, and the message. Each direction
 * has a key of its own. Therefore no other process can send a message or repeat one. Messages are not encrypted.
 */
final class Conversation implements AutoCloseable {
    private static final int NONCE_BYTES = 16;
    private static final int CODE_BYTES = 32;
    private static final int MESSAGE_BYTES_MAX = 1 << 16;
    private static final int CONNECT_MILLIS_MAX = 10_000;
    private static final int KEEPALIVE_SECONDS = 15;
    private static final int KEEPALIVE_PROBES = 3;

    /** The time within which the rest of a message must arrive after its first byte. */
    private static final int MESSAGE_MILLIS_MAX = 10_000;

    /**
     * The time within which the other side must prove that it knows the secret. {@link #PROOF_BYTES_MAX} limits the
     * bytes.
     */
    private static final int PROOF_MILLIS_MAX = 5000;
    private static final int PROOF_BYTES_MAX = 1 << 10;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final long proofDeadlineNanos = deadline(PROOF_MILLIS_MAX);
    private final Direction sending;
    private final Direction receiving;

    /** The numbers and codes of the messages in one direction. */
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
        keepAlive();
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
        byte[] own = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(own);
        out.write(own);
        byte[] other = read(NONCE_BYTES, proofDeadlineNanos);
        byte[] nonces = ByteBuffer.allocate(2 * NONCE_BYTES).put(driver ? own : other).put(driver ? other : own)
                .array();
        Direction down = new Direction(secret.mac("driver to rank"), nonces);
        Direction up = new Direction(secret.mac("rank to driver"), nonces);
        this.sending = driver ? down : up;
        this.receiving = driver ? up : down;
    }

    /**
     * Turns on TCP's keep-alive. While ranks run, they send no messages, so the kernel must notice if the other host is
     * lost.
     */
    private void keepAlive() throws IOException {
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        setIfThere(ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_SECONDS);
        setIfThere(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_SECONDS);
        setIfThere(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_PROBES);
    }

    private void setIfThere(SocketOption<Integer> option, int value) throws IOException {
        if (socket.supportedOptions().contains(option)) {
            socket.setOption(option, value);
        }
    }

    /** Creates the driver's side of an accepted connection. */
    static Conversation ofDriver(Socket socket, StageSecret secret) throws IOException {
        return new Conversation(socket, secret, true);
    }

    /** Connects to the driver, and returns the rank's side of the connection. */
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
     * Waits for the next message from the other side.
     *
     * @param millis the longest wait in milliseconds, at least 1
     * @return the message; empty if none has arrived in that time
     * @throws IOException if the other side has closed the connection, or if it did not send the message
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
            throw gone();
        }
        return Optional.of(message((byte) first, MESSAGE_BYTES_MAX, deadline(MESSAGE_MILLIS_MAX)));
    }

    /**
     * Waits for the first message, by which the other side proves that it knows the secret. Before that, the other side
     * may be a stranger, so it gets little time and memory.
     *
     * @return the message
     * @throws IOException if the message has not arrived in time, or its sender does not know the secret
     */
    Message receiveProof() throws IOException {
        return message(read(1, proofDeadlineNanos)[0], PROOF_BYTES_MAX, proofDeadlineNanos);
    }

    private Message message(byte first, int most, long deadlineNanos) throws IOException {
        int length = ByteBuffer.allocate(Integer.BYTES).put(first).put(read(Integer.BYTES - 1, deadlineNanos)).flip()
                .getInt();
        if (length < 0 || length > most) {
            throw new IOException("a message of " + length + " bytes has come, where " + most + " are the most");
        }
        byte[] content = read(length, deadlineNanos);
        if (!MessageDigest.isEqual(receiving.code(content), read(CODE_BYTES, deadlineNanos))) {
            throw new IOException("a message has come from somebody who does not know the secret of the stage");
        }
        return Message.read(new DataInputStream(new ByteArrayInputStream(content)));
    }

    /**
     * Reads a given number of bytes. Throws an exception when the deadline has passed, even if the bytes arrive one by
     * one.
     */
    private byte[] read(int length, long deadlineNanos) throws IOException {
        byte[] bytes = new byte[length];
        for (int done = 0; done < length;) {
            long millis = (deadlineNanos - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new SocketTimeoutException("a message has not come in time");
            }
            socket.setSoTimeout((int) millis);
            int count = in.read(bytes, done, length - done);
            if (count < 0) {
                throw gone();
            }
            done += count;
        }
        return bytes;
    }

    private static long deadline(int millis) {
        return System.nanoTime() + millis * 1_000_000L;
    }

    private static IOException gone() {
        return new IOException("the other side has gone");
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
