/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * How every connection begins: both sides prove to each other that they know the job's secret, without saying it, and
 * the client (who has opened the connection) says who it is. {@link HandshakeLayout} shows the four messages; a {@link
 * ClientHandshake} knocks and introduces itself, a {@link ServerHandshake} answers and gives its verdict.
 *
 * <p><b>Why it is safe.</b> A server sends nothing before a client has sent all of message 1; to one of another
 * version, or whose knock shows that it does not know the secret, it sends the first 12 bytes of message 2 and no more.
 * So a server knows from the first message on whom it may send away when too many come. A knock can be played again,
 * which is worth a place among those that wait, and nothing else. What a side has sent cannot be sent back to it,
 * because the magic and the labels of the two directions differ; nor can what was recorded once be played again,
 * because a nonce of the reader's own is in every other code. Magic and version are looked at before any code is
 * computed.
 *
 * <p>A stranger in the middle who passes everything on unchanged is not kept from doing so, nor from changing what
 * follows (TLS does that); but he cannot make a connection end at another process than the client meant, if the server
 * answers {@link Verdict#WRONG_PROCESS} to an {@link Introduction#serverRank} other than its own.
 *
 * <p>A handshake is a state machine over bytes and knows no socket, clock or thread: whoever uses it writes what
 * {@link #toWrite} has, reads at most {@link #wanted} bytes, and sets a limit to the time that may take. It holds
 * {@link #BUFFER_BYTES} bytes besides the secret, whatever the other side sends. It is for one thread at a time.
 */
abstract sealed class Handshake permits ClientHandshake, ServerHandshake {
    /** The bytes of all buffers of a handshake. */
    static final int BUFFER_BYTES =
            HandshakeLayout.READ_BYTES_MAX + HandshakeLayout.WRITTEN_BYTES_MAX + HandshakeLayout.NONCES_BYTES;

    /** How far a handshake is. */
    enum State {
        /** Bytes are still to come, from this side or the other. */
        GOING_ON,
        /** Of a server only: the client knows the secret, and {@link ServerHandshake#answer} is to be called. */
        INTRODUCED,
        /** The verdict is there; a server may still have it to write. */
        DONE,
        /** The other side is a stranger: what is still to be written may be, then the connection is to be closed. */
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

    // ---- for those who have the connection

    /** {@return what is still to be written, perhaps nothing; its position is to be moved on by what was written} */
    final ByteBuffer toWrite() {
        return out;
    }

    /** {@return how many bytes are to be read next, 0 when none are; all of them belong to the handshake} */
    final int wanted() {
        return expected - in.position();
    }

    /** {@return how far it is} */
    final State state() {
        return state;
    }

    /** {@return whether the other side was refused for what it has said, or has left as who has another secret does} */
    final boolean isWithStranger() {
        return state == State.REFUSED && (!isClosed || bytesRead == HandshakeLayout.GREETING_BYTES);
    }

    /** {@return in one clause why the other side was refused, without anything secret; empty unless it was} */
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
     * Takes what the other side has sent, as far as it belongs to the handshake; the rest stays in the buffer.
     *
     * @param bytes any number of bytes
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

    /** Takes notice that the other side will send no more; refuses it if it should have. */
    final void closed() {
        if (state == State.GOING_ON) {
            isClosed = true;
            refuse("it closed the connection after " + bytesRead + " bytes of the handshake"
                    + (bytesRead == HandshakeLayout.GREETING_BYTES ? ", as one with another secret would" : ""));
        }
    }

    // ---- for the two sides

    /** Takes all bytes that were expected; says what is expected next, or comes to an end. */
    abstract void take(ByteBuffer sent);

    /** Whether the other side speaks the same version; refuses it if not. */
    final boolean isSameVersion(int version) {
        if (version != HandshakeLayout.VERSION) {
            refuse("it speaks version " + Integer.toUnsignedString(version)
                    + " of the protocol, and this process version " + HandshakeLayout.VERSION);
        }
        return version == HandshakeLayout.VERSION;
    }

    /** Whether the bytes that follow prove that the other side knows the secret; refuses it if not. */
    final boolean isProved(ByteBuffer sent, String label, byte... said) {
        boolean proved = MessageDigest.isEqual(codes.code(label, said), next(sent, HandshakeLayout.MAC_BYTES));
        if (!proved) { // found out in the same time, whichever byte is wrong
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

    /** The client knows the secret, and it is this side's turn to answer. */
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
