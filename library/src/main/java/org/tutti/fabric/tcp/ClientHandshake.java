/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * The client's side of a {@link Handshake}. The client is the process that opened the connection. It knocks, which
 * means that its first message proves that it knows the job's secret, and then introduces itself.
 */
final class ClientHandshake extends Handshake {
    /** The part of the server's messages that is read next. */
    private enum Stage {
        GREETING, PROOF, VERDICT
    }

    private final Introduction mine;
    private Stage stage = Stage.GREETING;

    /**
     * Begins the handshake. The first message of the client is then ready to be written.
     *
     * @param secret the job's secret
     * @param random the source of the nonce
     * @param mine the introduction of this process, which names its rank and the connection's rail
     */
    ClientHandshake(byte[] secret, SecureRandom random, Introduction mine) {
        super(secret, random);
        if (!mine.makesSense()) {
            throw new IllegalArgumentException(mine + " makes no sense");
        }
        this.mine = mine;
        append(HandshakeLayout.greeting(HandshakeLayout.CLIENT_MAGIC));
        append(codes.draw(HandshakeLayout.CLIENT_NONCE));
        append(codes.code(HandshakeLayout.KNOCK_LABEL));
    }

    /** {@return whether the server may already have accepted this client} */
    boolean awaitsVerdict() {
        return stage == Stage.VERDICT && state() == State.GOING_ON;
    }

    @Override
    void take(ByteBuffer sent) {
        switch (stage) {
            case GREETING -> takeGreeting(sent);
            case PROOF -> takeProof(sent);
            case VERDICT -> takeVerdict(sent);
        }
    }

    private void takeGreeting(ByteBuffer sent) {
        if (sent.getLong() != HandshakeLayout.SERVER_MAGIC) {
            refuse("it did not answer as a process of Tutti does");
        } else if (isSameVersion(sent.getInt())) {
            stage = Stage.PROOF;
            expect(HandshakeLayout.PROOF_BYTES);
        }
    }

    private void takeProof(ByteBuffer sent) {
        codes.take(HandshakeLayout.SERVER_NONCE, sent);
        if (isProved(sent, HandshakeLayout.SERVER_LABEL)) {
            byte[] said = mine.written();
            append(said);
            append(codes.code(HandshakeLayout.CLIENT_LABEL, said));
            stage = Stage.VERDICT;
            expect(Verdict.BYTES + HandshakeLayout.MAC_BYTES);
        }
    }

    private void takeVerdict(ByteBuffer sent) {
        byte[] said = next(sent, Verdict.BYTES);
        if (!isProved(sent, HandshakeLayout.VERDICT_LABEL, said)) {
            return;
        }
        int code = ByteBuffer.wrap(said).order(ByteOrder.LITTLE_ENDIAN).getInt();
        Verdict told = Verdict.of(code);
        if (told == null) {
            refuse("it knows the secret, but its verdict " + code + " is none");
        } else {
            finish(told);
        }
    }
}
