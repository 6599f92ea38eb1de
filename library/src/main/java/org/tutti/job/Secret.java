/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;

import org.tutti.JobStartException;

/**
 * What all processes of a job on several nodes know, and nobody else: it opens their connections. It travels in files
 * and memory that only their owner can read, or on the standard input of an agent; never on a command line, in an
 * environment variable or in a message.
 */
public final class Secret {
    /** The length of a secret. */
    public static final int BYTES = 32;

    private static final int FILE_BYTES_MIN = 16;
    private static final int FILE_BYTES_MAX = 4096;
    private static final Set<PosixFilePermission> OTHERS = EnumSet.complementOf(EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));

    private final byte[] bytes;

    private Secret(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Makes a new one.
     *
     * @return 32 random bytes
     */
    public static Secret random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new Secret(bytes);
    }

    /**
     * Takes one from another process.
     *
     * @param bytes its 32 bytes
     * @return the secret
     */
    public static Secret of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a secret has " + BYTES + " bytes, not " + bytes.length);
        }
        return new Secret(bytes.clone());
    }

    /**
     * Makes one of the content of a file, for jobs without a launcher. The name of the job goes in as well, so that one
     * file serves several jobs without their mixing.
     *
     * @param file 16 to 4,096 bytes that are hard to guess, in a file that only its owner can read
     * @param job the job's name
     * @return the secret
     * @throws JobStartException when the file cannot be read, or others can
     */
    static Secret ofFile(Path file, String job) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(OTHERS::contains)) {
                throw new JobStartException("the secret in " + file + " can be read or written by others than its "
                        + "owner; chmod 600 it, and make a new one if anybody may have read it");
            }
            if (Files.size(file) < FILE_BYTES_MIN || Files.size(file) > FILE_BYTES_MAX) {
                throw new JobStartException("the secret in " + file + " has " + Files.size(file) + " bytes; it needs "
                        + FILE_BYTES_MIN + " to " + FILE_BYTES_MAX + " random ones (head -c 32 /dev/urandom)");
            }
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(Files.readAllBytes(file));
            digest.update(job.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            return new Secret(digest.digest());
        } catch (IOException e) {
            throw new JobStartException("the secret cannot be read from " + file + " (" + e + "); "
                    + JobEnvironment.SECRET_FILE + " must name a file that only its owner can read, on every node");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    /**
     * {@return a copy of its bytes}
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
