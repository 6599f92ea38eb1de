/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * The beginning of every connection: both sides prove to each other that they know the job's secret, without sending
 * it, and the client (the side that opened the connection) introduces itself. {@link HandshakeLayout} shows the four
 * messages. A {@link ClientHandshake} knocks and introduces itself; a {@link ServerHandshake} answers and gives its
 * verdict.
 *
 * <p><b>Why it is safe.</b> A server sends nothing before a client has sent all of message 1. If the client speaks
 * another version, or its knock shows that it does not know the secret, the server sends the first 12 bytes of message
 * 2 and no more. From the first message on, a server therefore knows which clients it may drop when too many connect. A
 * knock can be replayed; the replay gains one of the kept connections, and nothing else. A message cannot be sent back
 * to its sender, because the magic and the labels of the two directions differ. Other recorded messages cannot be
 * replayed, because every code except the knock's covers a nonce of the reader. Magic and version are checked before
 * any code is computed.
 *
 * <p>An attacker in the middle can pass everything on unchanged, and can change the bytes that follow the handshake
 * (TLS prevents that). It cannot make a connection end at another process than the client intended, if the server
 * answers {@link Verdict#WRONG_PROCESS} to an {@link Introduction#serverRank} other than its own.
 *
 * <p>A handshake is a state machine over bytes, and knows no socket, clock or thread. Its user writes the bytes of
 * {@link #toWrite}, reads at most {@link #wanted} bytes, and limits the time for both. A handshake holds {@link
 * #BUFFER_BYTES} bytes and the secret, whatever the other side sends. It is for one thread at a time.
 */
abstract sealed class Handshake permits ClientHandshake, ServerHandshake {
    /** The bytes of all buffers of a handshake. */
    static final int BUFFER_BYTES =
            HandshakeLayout.READ_BYTES_MAX + HandshakeLayout.WRITTEN_BYTES_MAX + HandshakeLayout.NONCES_BYTES;

    /** The state of a handshake. */
    enum State {
        /** One of the sides has more bytes to send. */
        GOING_ON,
        /** Only in a server: the client knows the secret, and {@link ServerHandshake#answer} must be called. */
        INTRODUCED,
        /** The verdict is known; a server may still have to write it. */
        DONE,
        /** The other side is a stranger. The remaining bytes may be written, then the connection must be closed. */
        REFUSED
    }

    private static final String OTHER_SECRET =
            "it does not know this job's secret, or its bytes were changed on the way";

    final HandshakeCodes codes;
    private final ByteBuffer in = HandshakeLayout.buffer(HandshakeLayout.READ_BYTES_MAX);
    private final ByteBuffer out = HandshakeLayout.buffer(HandshakeLayout.WRITTEN_BYTES_MAX).limit(0);
    private State state = State.GOING_ON;
    private int expected;
    private int bytesRead;
    private boolean isClosed;
    private Verdict verdict;
    private String refusal = "";

    Handshake(byte[] secret, SecureRandom random) {
        this.codes = new HandshakeCodes(secret, random);
        expect(HandshakeLayout.GREETING_BYTES);
    }

    // ---- for the owner of the connection

    /** {@return the bytes to write, perhaps none; the caller moves the position past the bytes that it has written} */
    final ByteBuffer toWrite() {
        return out;
    }

    /** {@return the number of bytes to read next, or 0; all of them belong to the handshake} */
    final int wanted() {
        return expected - in.position();
    }

    /** {@return the state of the handshake} */
    final State state() {
        return state;
    }

    /**
     * {@return whether the other side was refused for its bytes, or closed the connection as one with another secret
     * does}
     */
    final boolean isWithStranger() {
        return state == State.REFUSED && (!isClosed || bytesRead == HandshakeLayout.GREETING_BYTES);
    }

    /** {@return why the other side was refused, in one clause without secrets; empty if it was not} */
    final String refusal() {
        return refusal;
    }

    /** {@return the server's verdict, once the handshake is {@link State#DONE}} */
    final Verdict verdict() {
        if (verdict == null) {
            throw new IllegalStateException("there is no verdict yet");
        }
        return verdict;
    }

    /**
     * Takes the handshake's bytes from a buffer; later bytes stay in the buffer.
     *
     * @param bytes any number of bytes that the other side has sent
     */
    final void read(ByteBuffer bytes) {
        while (wanted() > 0 && bytes.hasRemaining()) {
            int count = Math.min(wanted(), bytes.remaining());
            in.put(in.position(), bytes, bytes.position(), count).position(in.position() + count);
            bytes.position(bytes.position() + count);
            bytesRead += count;
            if (wanted() == 0) {
                in.flip();
                take(in);
            }
        }
    }

    /** Notes that the other side will send no more bytes; refuses it if bytes are missing. */
    final void closed() {
        if (state == State.GOING_ON) {
            isClosed = true;
            refuse("it closed the connection after " + bytesRead + " bytes of the handshake"
                    + (bytesRead == HandshakeLayout.GREETING_BYTES ? ", as one with another secret would" : ""));
        }
    }

    // ---- for the two sides

    /** Takes all expected bytes; then expects the next ones, or ends the handshake. */
    abstract void take(ByteBuffer sent);

    /** Returns whether the other side speaks the same version; refuses it if not. */
    final boolean isSameVersion(int version) {
        if (version != HandshakeLayout.VERSION) {
            refuse("it speaks version " + Integer.toUnsignedString(version)
                    + " of the protocol, and this process version " + HandshakeLayout.VERSION);
        }
        return version == HandshakeLayout.VERSION;
    }

    /** Returns whether the next bytes prove that the other side knows the secret; refuses it if not. */
    final boolean isProved(ByteBuffer sent, String label, byte... said) {
        boolean proved = MessageDigest.isEqual(codes.code(label, said), next(sent, HandshakeLayout.MAC_BYTES));
        if (!proved) { // the comparison takes the same time whichever byte is wrong
            refuse(OTHER_SECRET);
        }
        return proved;
    }

    static byte[] next(ByteBuffer sent, int count) {
        byte[] bytes = new byte[count];
        sent.get(bytes);
        return bytes;
    }

    final void append(byte... bytes) {
        int end = out.limit();
        out.limit(end + bytes.length);
        out.put(end, bytes);
    }

    final void expect(int bytes) {
        expected = bytes;
        in.clear();
    }

    /** Notes that the client knows the secret, and that this side must answer. */
    final void introduced() {
        state = State.INTRODUCED;
        expect(0);
    }

    final void finish(Verdict answer) {
        verdict = answer;
        end(State.DONE);
    }

    final void refuse(String why) {
        refusal = why;
        end(State.REFUSED);
    }

    private void end(State last) {
        state = last;
        expect(0);
        codes.forget();
    }

    @Override
    public final String toString() {
        return "a handshake that is " + state + (refusal.isEmpty() ? "" : ": " + refusal);
    }
}
