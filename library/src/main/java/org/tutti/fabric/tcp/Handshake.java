/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How every connection begins: both sides prove to each other that they know the job's secret, without saying it, and
 * the client (who has opened the connection) says who it is. All numbers are little-endian.
 *
 * <pre>
 *  1. client to server, 76 bytes                      2. server to client, 76 bytes
 *   0       8    12           44          76           0       8    12           44           76
 *   +-------+----+------------+-----------+            +-------+----+------------+------------+
 *   |TUTTI-->|ver |client nonce| knock mac |            |TUTTI&lt;--|ver |server nonce| server mac |
 *   +-------+----+------------+-----------+            +-------+----+------------+------------+
 *
 *  3. client to server, 52 bytes                      4. server to client, 36 bytes
 *   0      4      8       12     16       20           52          0         4             36
 *   +------+------+-------+------+--------+------------+           +---------+-------------+
 *   | rank | rail | rails |server| attempt| client mac |           | verdict | verdict mac |
 *   +------+------+-------+------+--------+------------+           +---------+-------------+
 *               the introduction
 *
 *  nonces = client nonce | server nonce, 32 bytes each, drawn afresh for each connection
 *  knock mac   = HMAC-SHA256(secret, "tutti knock"   | client nonce | 32 zeros)
 *  server mac  = HMAC-SHA256(secret, "tutti server"  | nonces)
 *  client mac  = HMAC-SHA256(secret, "tutti client"  | nonces | introduction)
 *  verdict mac = HMAC-SHA256(secret, "tutti verdict" | nonces | verdict)
 * </pre>
 *
 * A server sends nothing before a client has sent all of message 1; to one of another version, or whose knock shows
 * that it does not know the secret, it sends the first 12 bytes of message 2 and no more. So a server knows from the
 * first message on whom it may send away when too many come. A knock can be played again, which is worth a place among
 * those that wait, and nothing else. What a side has sent cannot be sent back to it, because the magic and the labels
 * of the two directions differ; nor can what was recorded once be played again, because a nonce of the reader's own is
 * in every other code. Magic and version are looked at before any code is computed.
 *
 * <p>
 * A stranger in the middle who passes everything on unchanged is not kept from doing so, nor from changing what follows
 * (TLS does that); but he cannot make a connection end at another process than the client meant, if the server answers
 * {@link Verdict#WRONG_PROCESS} to an {@link Introduction#serverRank} other than its own.
 *
 * <p>
 * This class is a state machine over bytes and knows no socket, clock or thread: whoever uses it writes what
 * {@link #toWrite} has, reads at most {@link #wanted} bytes, and sets a limit to the time that may take. It holds
 * {@link #BUFFER_BYTES} bytes besides the secret, whatever the other side sends. It is for one thread at a time.
 */
final class Handshake {
    /** The version of the protocol that both sides have to speak. */
    static final int VERSION = 2;
    /** The bytes of all buffers of a handshake. */
    static final int BUFFER_BYTES = Message.READ_BYTES_MAX + Message.WRITTEN_BYTES_MAX + 2 * Message.NONCE_BYTES;

    private static final long CLIENT_MAGIC = magic("TUTTI-->");
    private static final long SERVER_MAGIC = magic("TUTTI<--");
    private static final String KNOCK_LABEL = "tutti knock";
    private static final String SERVER_LABEL = "tutti server";
    private static final String CLIENT_LABEL = "tutti client";
    private static final String VERDICT_LABEL = "tutti verdict";
    private static final String OTHER_SECRET =
            "it does not know this job's secret, or its bytes were changed on the way";

    /** Lengths of messages and their parts. */
    static final class Message {
        static final int GREETING_BYTES = Long.BYTES + Integer.BYTES;
        static final int NONCE_BYTES = 32;
        static final int MAC_BYTES = 32;
        static final int INTRODUCTION_BYTES = 5 * Integer.BYTES;
        static final int VERDICT_BYTES = Integer.BYTES;
        static final int READ_BYTES_MAX = NONCE_BYTES + MAC_BYTES;
        static final int WRITTEN_BYTES_MAX =
                GREETING_BYTES + NONCE_BYTES + MAC_BYTES + INTRODUCTION_BYTES + MAC_BYTES; // messages 1 and 3

        private Message() {}
    }

    /** How far a handshake is. */
    enum State {
        /** Bytes are still to come, from this side or the other. */
        GOING_ON,
        /** Of a server only: the client knows the secret, and {@link Handshake#answer} is to be called. */
        INTRODUCED,
        /** The verdict is there; a server may still have it to write. */
        DONE,
        /** The other side is a stranger: what is still to be written may be, then the connection is to be closed. */
        REFUSED
    }

    /** What a server says to a client that knows the secret. */
    enum Verdict {
        /** The connection is open for frames. */
        ACCEPTED(1),
        /** The client meant another process than the one that listens here. */
        WRONG_PROCESS(2),
        /** The server is opening a connection to the client at the same time, and that one counts. */
        BUSY(3),
        /** There is such a connection already. */
        DUPLICATE(4);

        private final int code;

        Verdict(int code) {
            this.code = code;
        }
    }

    /**
     * What a client says of itself.
     *
     * @param rank the first rank of its process, not negative
     * @param rail the number of the connection's rail, from 0
     * @param rails how many rails the client has, at most {@link RailAddresses#RAILS_MAX}
     * @param serverRank the first rank of the process that it believes to talk to, not negative
     * @param attempt the same for all rails that it opens together; of two attempts, the later one's is greater
     */
    record Introduction(int rank, int rail, int rails, int serverRank, int attempt) {
        private boolean makesSense() {
            return rank >= 0 && serverRank >= 0 && rail >= 0 && rail < rails && rails <= RailAddresses.RAILS_MAX;
        }
    }

    /** What is to be read next. */
    private enum Stage {
        CLIENT_GREETING(Message.GREETING_BYTES),
        CLIENT_KNOCK(Message.NONCE_BYTES + Message.MAC_BYTES),
        INTRODUCTION(Message.INTRODUCTION_BYTES + Message.MAC_BYTES),
        SERVER_GREETING(Message.GREETING_BYTES),
        SERVER_PROOF(Message.NONCE_BYTES + Message.MAC_BYTES),
        VERDICT(Message.VERDICT_BYTES + Message.MAC_BYTES),
        NOTHING(0);

        private final int bytes;

        Stage(int bytes) {
            this.bytes = bytes;
        }
    }

    private final byte[] secret;
    private final SecureRandom random;
    private final ByteBuffer in = buffer(Message.READ_BYTES_MAX);
    private final ByteBuffer out = buffer(Message.WRITTEN_BYTES_MAX).limit(0);
    private final ByteBuffer nonces = buffer(2 * Message.NONCE_BYTES);
    private Introduction introduction;
    private State state = State.GOING_ON;
    private Stage stage;
    private int bytesRead;
    private boolean isClosed;
    private Verdict verdict;
    private String refusal = "";

    private Handshake(byte[] secret, SecureRandom random, Introduction introduction, Stage first) {
        this.secret = secret.clone();
        this.random = random;
        this.introduction = introduction;
        expect(first);
    }

    /**
     * The handshake of the side that has opened the connection; its first message is there to be written.
     *
     * @param secret the job's secret
     * @param random where the nonce comes from
     * @param mine what this side says of itself
     * @return the handshake
     */
    static Handshake client(byte[] secret, SecureRandom random, Introduction mine) {
        if (!mine.makesSense()) {
            throw new IllegalArgumentException(mine + " makes no sense");
        }
        Handshake handshake = new Handshake(secret, random, mine, Stage.SERVER_GREETING);
        handshake.append(greeting(CLIENT_MAGIC));
        handshake.append(handshake.drawNonce(0));
        handshake.append(handshake.mac(KNOCK_LABEL, new byte[0]));
        return handshake;
    }

    /**
     * The handshake of the side that has accepted the connection.
     *
     * @param secret the job's secret
     * @param random where the nonce comes from, if a client gets that far
     * @return the handshake
     */
    static Handshake server(byte[] secret, SecureRandom random) {
        return new Handshake(secret, random, null, Stage.CLIENT_GREETING);
    }

    /** {@return what is still to be written, perhaps nothing; its position is to be moved on by what was written} */
    ByteBuffer toWrite() {
        return out;
    }

    /** {@return how many bytes are to be read next, 0 when none are; all of them belong to the handshake} */
    int wanted() {
        return stage.bytes - in.position();
    }

    /** {@return how far it is} */
    State state() {
        return state;
    }

    /** {@return whether this is a client that the server may have accepted already} */
    boolean awaitsVerdict() {
        return stage == Stage.VERDICT;
    }

    /** {@return whether this is a server whose client has begun as one that knows the secret} */
    boolean hasKnocked() {
        return stage == Stage.INTRODUCTION;
    }

    /** {@return whether the other side was refused for what it has said, or has left as who has another secret does} */
    boolean isWithStranger() {
        return state == State.REFUSED && (!isClosed || bytesRead == Message.GREETING_BYTES);
    }

    /** {@return in one clause why the other side was refused, without anything secret; empty unless it was} */
    String refusal() {
        return refusal;
    }

    /** {@return what the client has said of itself; for a server once it is {@link State#INTRODUCED}} */
    Introduction introduction() {
        if (introduction == null) {
            throw new IllegalStateException("the client has not introduced itself");
        }
        return introduction;
    }

    /** {@return the server's verdict, once the handshake is {@link State#DONE}} */
    Verdict verdict() {
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
    void read(ByteBuffer bytes) {
        while (wanted() > 0 && bytes.hasRemaining()) {
            int count = Math.min(wanted(), bytes.remaining());
            in.put(in.position(), bytes, bytes.position(), count).position(in.position() + count);
            bytes.position(bytes.position() + count);
            bytesRead += count;
            if (wanted() == 0) {
                in.flip();
                take();
            }
        }
    }

    /** Takes notice that the other side will send no more; refuses it if it should have. */
    void closed() {
        if (state == State.GOING_ON) {
            isClosed = true;
            refuse("it closed the connection after " + bytesRead + " bytes of the handshake"
                    + (bytesRead == Message.GREETING_BYTES ? ", as one with another secret would" : ""));
        }
    }

    /**
     * Answers a client that has introduced itself; what {@link #toWrite} has then is the last of the handshake.
     *
     * @param answer what to say
     */
    void answer(Verdict answer) {
        if (state != State.INTRODUCED) {
            throw new IllegalStateException("a handshake that is " + state + " has nobody to answer");
        }
        byte[] code = buffer(Message.VERDICT_BYTES).putInt(answer.code).array();
        append(code);
        append(mac(VERDICT_LABEL, code));
        finish(answer);
    }

    private void take() {
        switch (stage) {
            case CLIENT_GREETING -> takeClientGreeting();
            case CLIENT_KNOCK -> takeClientKnock();
            case INTRODUCTION -> takeIntroduction();
            case SERVER_GREETING -> takeServerGreeting();
            case SERVER_PROOF -> takeServerProof();
            case VERDICT -> takeVerdict();
            case NOTHING -> throw new IllegalStateException("nothing was to be read");
        }
    }

    private void takeClientGreeting() {
        if (in.getLong() != CLIENT_MAGIC) {
            refuse("it did not begin as a process of Tutti does");
            return;
        }
        takeVersion();
        if (state == State.REFUSED) {
            append(greeting(SERVER_MAGIC)); // so that it can say what is wrong
            return;
        }
        expect(Stage.CLIENT_KNOCK);
    }

    private void takeClientKnock() {
        nonces.put(0, in, 0, Message.NONCE_BYTES);
        in.position(Message.NONCE_BYTES);
        if (!isNext(mac(KNOCK_LABEL, new byte[0]))) {
            refuse(OTHER_SECRET);
            append(greeting(SERVER_MAGIC)); // so that it can say what is wrong
            return;
        }
        append(greeting(SERVER_MAGIC));
        append(drawNonce(Message.NONCE_BYTES));
        append(mac(SERVER_LABEL, new byte[0]));
        expect(Stage.INTRODUCTION);
    }

    private void takeIntroduction() {
        byte[] said = next(Message.INTRODUCTION_BYTES);
        if (!isNext(mac(CLIENT_LABEL, said))) {
            refuse(OTHER_SECRET);
            return;
        }
        ByteBuffer fields = ByteBuffer.wrap(said).order(ByteOrder.LITTLE_ENDIAN);
        Introduction theirs =
                new Introduction(fields.getInt(), fields.getInt(), fields.getInt(), fields.getInt(), fields.getInt());
        if (!theirs.makesSense()) {
            refuse("it knows the secret, but what it says of itself makes no sense: " + theirs);
            return;
        }
        introduction = theirs;
        state = State.INTRODUCED;
        expect(Stage.NOTHING);
    }

    private void takeServerGreeting() {
        if (in.getLong() != SERVER_MAGIC) {
            refuse("it did not answer as a process of Tutti does");
            return;
        }
        takeVersion();
        if (state != State.REFUSED) {
            expect(Stage.SERVER_PROOF);
        }
    }

    private void takeServerProof() {
        nonces.put(Message.NONCE_BYTES, in, 0, Message.NONCE_BYTES);
        in.position(Message.NONCE_BYTES);
        if (!isNext(mac(SERVER_LABEL, new byte[0]))) {
            refuse(OTHER_SECRET);
            return;
        }
        byte[] said = buffer(Message.INTRODUCTION_BYTES).putInt(introduction.rank).putInt(introduction.rail)
                .putInt(introduction.rails).putInt(introduction.serverRank).putInt(introduction.attempt).array();
        append(said);
        append(mac(CLIENT_LABEL, said));
        expect(Stage.VERDICT);
    }

    private void takeVerdict() {
        byte[] said = next(Message.VERDICT_BYTES);
        if (!isNext(mac(VERDICT_LABEL, said))) {
            refuse(OTHER_SECRET);
            return;
        }
        int code = ByteBuffer.wrap(said).order(ByteOrder.LITTLE_ENDIAN).getInt();
        for (Verdict known : Verdict.values()) {
            if (known.code == code) {
                finish(known);
                return;
            }
        }
        refuse("it knows the secret, but its verdict " + code + " is none");
    }

    private void takeVersion() {
        int version = in.getInt();
        if (version != VERSION) {
            refuse("it speaks version " + Integer.toUnsignedString(version)
                    + " of the protocol, and this process version " + VERSION);
        }
    }

    private void expect(Stage next) {
        stage = next;
        in.clear();
    }

    private void refuse(String why) {
        state = State.REFUSED;
        refusal = why;
        end();
    }

    private void finish(Verdict answer) {
        verdict = answer;
        state = State.DONE;
        end();
    }

    private void end() {
        expect(Stage.NOTHING);
        Arrays.fill(secret, (byte) 0);
    }

    private byte[] drawNonce(int position) {
        byte[] nonce = new byte[Message.NONCE_BYTES];
        random.nextBytes(nonce);
        nonces.put(position, nonce);
        return nonce;
    }

    private byte[] mac(String label, byte[] said) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, mac.getAlgorithm()));
            mac.update(label.getBytes(StandardCharsets.US_ASCII));
            mac.update(nonces.array());
            return mac.doFinal(said);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    private byte[] next(int count) {
        byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    /** Takes as long for a code that is wrong in the first byte as for one that is wrong in the last. */
    private boolean isNext(byte[] mac) {
        return MessageDigest.isEqual(mac, next(mac.length));
    }

    private void append(byte[] bytes) {
        int end = out.limit();
        out.limit(end + bytes.length);
        out.put(end, bytes);
    }

    private static byte[] greeting(long magic) {
        return buffer(Message.GREETING_BYTES).putLong(magic).putInt(VERSION).array();
    }

    private static long magic(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public String toString() {
        return "a handshake that is " + state + (refusal.isEmpty() ? "" : ": " + refusal);
    }
}
