/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The server's side of a {@link Handshake}. The server is the process that accepted the connection. It reads the
 * client's knock, which must prove that the client knows the job's secret, and the client's introduction. Then it gives
 * its verdict.
 */
final class ServerHandshake extends Handshake {
    /** The part of the client's messages that is read next. */
    private enum Stage {
        GREETING, KNOCK, INTRODUCTION
    }

    private Introduction introduction;
    private Stage stage = Stage.GREETING;

    /**
     * Begins the handshake. The client sends first.
     *
     * @param secret the job's secret
     * @param random the source of the nonce
     */
    ServerHandshake(byte[] secret, SecureRandom random) {
        super(secret, random);
    }

    /** {@return whether the client's knock has shown that it knows the secret} */
    boolean hasKnocked() {
        return stage == Stage.INTRODUCTION;
    }

    /** {@return the client's introduction, once the handshake is {@link Handshake.State#INTRODUCED}} */
    Introduction introduction() {
        if (introduction == null) {
            throw new IllegalStateException("the client has not introduced itself");
        }
        return introduction;
    }

    /**
     * Answers the client, which has introduced itself, with the server's verdict. The handshake is complete when the
     * caller has written the bytes of {@link #toWrite}.
     *
     * @param answer the verdict
     */
    void answer(Verdict answer) {
        if (state() != State.INTRODUCED) {
            throw new IllegalStateException("a handshake that is " + state() + " has nobody to answer");
        }
        byte[] said = answer.written();
        append(said);
        append(codes.code(HandshakeLayout.VERDICT_LABEL, said));
        finish(answer);
    }

    @Override
    void take(ByteBuffer sent) {
        switch (stage) {
            case GREETING -> takeGreeting(sent);
            case KNOCK -> takeKnock(sent);
            case INTRODUCTION -> takeIntroduction(sent);
        }
    }

    private void takeGreeting(ByteBuffer sent) {
        if (sent.getLong() != HandshakeLayout.CLIENT_MAGIC) {
            refuse("it did not begin as a process of Tutti does");
        } else if (isSameVersion(sent.getInt())) {
            stage = Stage.KNOCK;
            expect(HandshakeLayout.PROOF_BYTES);
        } else {
            greet(); // so that the client can report the cause
        }
    }

    private void takeKnock(ByteBuffer sent) {
        codes.take(HandshakeLayout.CLIENT_NONCE, sent);
        boolean proved = isProved(sent, HandshakeLayout.KNOCK_LABEL);
        greet(); // in any case, so that a client with another secret can report the cause
        if (proved) {
            append(codes.draw(HandshakeLayout.SERVER_NONCE));
            append(codes.code(HandshakeLayout.SERVER_LABEL));
            stage = Stage.INTRODUCTION;
            expect(Introduction.BYTES + HandshakeLayout.MAC_BYTES);
        }
    }

    private void takeIntroduction(ByteBuffer sent) {
        byte[] said = next(sent, Introduction.BYTES);
        if (!isProved(sent, HandshakeLayout.CLIENT_LABEL, said)) {
            return;
        }
        Introduction theirs = Introduction.read(said);
        if (theirs.makesSense()) {
            introduction = theirs;
            introduced();
        } else {
            refuse("it knows the secret, but what it says of itself makes no sense: " + theirs);
        }
    }

    private void greet() {
        append(HandshakeLayout.greeting(HandshakeLayout.SERVER_MAGIC));
    }
}
