/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * The handshake with which every connection begins. Both sides prove to each other that they know the job's secret,
 * without sending it. The client (the side that opened the connection) introduces itself, and the server gives its
 * verdict. {@link HandshakeLayout} shows the four messages. {@link ClientHandshake} and {@link ServerHandshake} are the
 * two sides.
 *
 * <p><b>Why it is safe.</b> A server sends nothing before it has read the magic and the version of a client. If the
 * client speaks another version, or its knock shows that it does not know the secret, the server sends the first 12
 * bytes of message 2 and no more. From the first message on, a server therefore knows which clients it may drop if too
 * many connect. An attacker can replay a knock. The replay gains one of the connections that the server keeps, and
 * nothing else. A message cannot be sent back to its sender, because the magic and the labels of the two directions
 * differ. Other recorded messages cannot be replayed, because every code except the knock's covers a nonce of the
 * reader. Magic and version are checked before any code is computed.
 *
 * <p>An attacker in the middle can pass everything on unchanged, and can change the bytes that follow the handshake,
 * which TLS would prevent. The attacker cannot make a connection end at another process than the client intended, if
 * the server answers {@link Verdict#WRONG_PROCESS} to an {@link Introduction#serverRank} other than its own.
 *
 * <p>A handshake is a state machine over bytes, and uses no socket, clock or thread. Its owner writes the bytes of
 * {@link #toWrite}, reads at most {@link #wanted} bytes, and limits the time for both. A handshake holds {@link
 * #BUFFER_BYTES} bytes and the secret, however many bytes the other side sends. Only one thread may use it at a time.
 */
abstract sealed class Handshake permits ClientHandshake, ServerHandshake {
    /** The size of all buffers of a handshake in bytes. */
    static final int BUFFER_BYTES =
            HandshakeLayout.READ_BYTES_MAX + HandshakeLayout.WRITTEN_BYTES_MAX + HandshakeLayout.NONCES_BYTES;

    /** The state of a handshake. */
    enum State {
        /** One of the sides has more bytes to send. */
        GOING_ON,
        /** The client of this server knows the secret, and {@link ServerHandshake#answer} must be called. */
        INTRODUCED,
        /** The verdict is known. A server may not have written it completely. */
        DONE,
        /** The other side is refused. The remaining bytes may be written, then the connection must be closed. */
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

    /** {@return the bytes to write, if any; the caller moves the position past the bytes that it has written} */
    final ByteBuffer toWrite() {
        return out;
    }

    /** {@return the number of bytes to read next, 0 or more, all of which belong to the handshake} */
    final int wanted() {
        return expected - in.position();
    }

    /** {@return the state of the handshake} */
    final State state() {
        return state;
    }

    /**
     * Returns whether the other side appears to be no process of this job. Either its bytes were wrong, or it closed
     * the connection after the greeting, as a process with another secret does.
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
     * Takes the next bytes of the handshake from a buffer, and processes them. Bytes that follow the handshake stay in
     * the buffer.
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

    /**
     * Notes that the other side will send no more bytes. If bytes of the handshake are missing, the other side is
     * refused.
     */
    final void closed() {
        if (state == State.GOING_ON) {
            isClosed = true;
            refuse("it closed the connection after " + bytesRead + " bytes of the handshake"
                    + (bytesRead == HandshakeLayout.GREETING_BYTES ? ", as one with another secret would" : ""));
        }
    }

    // ---- for the two sides

    /**
     * Processes the bytes that this side expects next, all of which have arrived. This method then sets the number of
     * bytes to expect next, or ends the handshake.
     */
    abstract void take(ByteBuffer sent);

    /** Returns whether the other side speaks the same version of the protocol. If it does not, it is refused. */
    final boolean isSameVersion(int version) {
        if (version != HandshakeLayout.VERSION) {
            refuse("it speaks version " + Integer.toUnsignedString(version)
                    + " of the protocol, and this process version " + HandshakeLayout.VERSION);
        }
        return version == HandshakeLayout.VERSION;
    }

    /**
     * Returns whether the next bytes prove that the other side knows the secret. If they do not, the other side is
     * refused.
     */
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
