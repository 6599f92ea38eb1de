/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret of a stage, which only the driver and the stage's tasks know. It travels in the tasks' closure, and is as
 * safe as Spark's transport ({@code spark.authenticate}, {@code spark.network.crypto.enabled}).
 */
final class StageSecret implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final String ALGORITHM = "HmacSHA256";
    private static final int BYTES = 32;

    private final byte[] bytes = new byte[BYTES];

    StageSecret() {
        new SecureRandom().nextBytes(bytes);
    }

    /** Creates a generator of authentication codes. Its key derives from the secret and the label. */
    Mac mac(String label) {
        return mac(derive(label));
    }

    /** Derives a secret of 32 bytes for each label. The derived secrets reveal nothing of this one. */
    byte[] derive(String label) {
        return mac(bytes).doFinal(label.getBytes(StandardCharsets.UTF_8));
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has this algorithm
        }
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
