/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Computes the message authentication codes of one handshake, by which each side proves that it knows the job's secret.
 * A code covers the nonces of both sides, random numbers that are drawn for this handshake. A nonce that is not known
 * yet counts as zeros.
 */
final class HandshakeCodes {
    private final byte[] secret;
    private final SecureRandom random;
    private final byte[] nonces = new byte[HandshakeLayout.NONCES_BYTES];

    HandshakeCodes(byte[] secret, SecureRandom random) {
        this.secret = secret.clone();
        this.random = random;
    }

    /**
     * Draws the random nonce of this side, keeps it for later codes, and returns it.
     *
     * @param position the offset of the nonce in the array of both nonces
     */
    byte[] draw(int position) {
        byte[] nonce = new byte[HandshakeLayout.NONCE_BYTES];
        random.nextBytes(nonce);
        System.arraycopy(nonce, 0, nonces, position, nonce.length);
        return nonce;
    }

    /**
     * Reads the nonce of the other side from a message, and keeps it for later codes.
     *
     * @param position the offset of the nonce in the array of both nonces
     */
    void take(int position, ByteBuffer sent) {
        sent.get(nonces, position, HandshakeLayout.NONCE_BYTES);
    }

    /** Returns the HMAC-SHA256 code of a label, the nonces of both sides and a message. */
    byte[] code(String label, byte... said) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, mac.getAlgorithm()));
            mac.update(label.getBytes(StandardCharsets.US_ASCII));
            mac.update(nonces);
            return mac.doFinal(said);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    /** Overwrites the secret with zeros. Must be called when no more codes are needed. */
    void forget() {
        Arrays.fill(secret, (byte) 0);
    }
}
