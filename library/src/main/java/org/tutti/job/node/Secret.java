/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

import org.tutti.JobStartException;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.memory.OwnFile;

/**
 * The secret of a job on several nodes. Only the job's processes know it, and a process must know it to connect to
 * another one. It travels in files and memory that only their owner can read, or on the standard input of an agent, but
 * never on a command line, in an environment variable or in a message.
 *
 * <p>Each use of the secret has a key of its own, which HKDF (RFC 5869) derives from the secret and a label. One use
 * may reveal data that derive from its key. For example, the header of a frame contains the directory's handle. Such
 * data reveal nothing about the secret or about other keys.
 */
public final class Secret {
    /** The length of a secret. */
    public static final int BYTES = 32;

    private static final int FILE_BYTES_MIN = BYTES;
    private static final int FILE_BYTES_MAX = 4096;
    private static final String JOB_LABEL = "tutti job ";
    private static final String CONNECTIONS_LABEL = "tutti connections";
    private static final String DIRECTORY_LABEL = "tutti directory";
    private static final String GROUPS_LABEL = "tutti groups";
    private static final String MESSAGES_LABEL = "tutti messages";
    private static final String MAC = "HmacSHA256";
    private static final Set<PosixFilePermission> OTHERS = EnumSet.complementOf(EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));
    private static final Set<PosixFilePermission> OTHERS_THAN_A_GROUP = EnumSet.copyOf(
            OTHERS.stream().filter(permission -> permission != PosixFilePermission.GROUP_READ).toList());

    private final byte[] bytes;
    private Mac groups; // made for the first group
    private Mac messages; // made for the first rank

    private Secret(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Creates a new secret.
     *
     * @return 32 random bytes
     */
    public static Secret random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new Secret(bytes);
    }

    /**
     * Creates a secret from the bytes that another process has sent.
     *
     * @param bytes the 32 bytes of the secret
     * @return the secret
     */
    public static Secret of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a secret has " + BYTES + " bytes, not " + bytes.length);
        }
        return new Secret(bytes.clone());
    }

    /**
     * Derives a secret from a file and the job's name, for jobs without a launcher. Because of the name, one file
     * serves several jobs, each with a secret of its own.
     *
     * @param file a file of 32 to 4,096 bytes that are hard to guess. If the file belongs to this user, only this user
     *            may have access to it. If it belongs to root, a group may also read it, because engines give secrets
     *            to other users in this way
     * @param job the job's name
     * @return the secret
     * @throws JobStartException if the file cannot be read, has another owner, or others can read it
     */
    static Secret ofFile(Path file, String job) {
        try {
            return new Secret(derive(read(file), JOB_LABEL + job));
        } catch (OwnFile.NotOwnException e) {
            throw new JobStartException("the secret in " + file + " cannot be used: " + e.getMessage()
                    + "; make one of your own (head -c 32 /dev/urandom > FILE; chmod 600 FILE)");
        } catch (IOException e) {
            throw new JobStartException("the secret cannot be read from " + file + " (" + e + "); "
                    + JobEnvironment.SECRET_FILE + " must name a file that only its owner can read, on every node");
        }
    }

    private static byte[] read(Path file) throws IOException {
        boolean roots = OwnFile.isRoots(file);
        Object key = roots ? OwnFile.keyOfRoots(file) : OwnFile.key(file);
        if (isOpen(Files.getPosixFilePermissions(file), roots)) {
            throw new JobStartException(roots
                    ? "the secret in " + file + " belongs to root, and can be read by everybody, or written by others; "
                            + "give it mode 0440 and a group that only the job has (defaultMode: 256 and fsGroup)"
                    : "the secret in " + file + " can be read or written by others than its "
                            + "owner; chmod 600 it, and make a new one if anybody may have read it");
        }
        if (Files.size(file) < FILE_BYTES_MIN || Files.size(file) > FILE_BYTES_MAX) {
            throw new JobStartException("the secret in " + file + " has " + Files.size(file) + " bytes; it needs "
                    + FILE_BYTES_MIN + " to " + FILE_BYTES_MAX + " random ones (head -c 32 /dev/urandom)");
        }
        byte[] content = Files.readAllBytes(file);
        if (!(roots ? OwnFile.keyOfRoots(file) : OwnFile.key(file)).equals(key)) {
            throw new IOException("another file took its name meanwhile");
        }
        return content;
    }

    /**
     * Returns whether other users can read or write a file. If the file is root's, a group that can read it does not
     * count.
     */
    static boolean isOpen(Set<PosixFilePermission> permissions, boolean roots) {
        return permissions.stream().anyMatch((roots ? OTHERS_THAN_A_GROUP : OTHERS)::contains);
    }

    /**
     * {@return the key by which processes prove to each other that they know the secret}
     */
    public byte[] connectionsKey() {
        return derive(bytes, CONNECTIONS_LABEL);
    }

    /** {@return the number with which other processes address a node's directory; it follows from the secret} */
    public long directoryHandle() {
        return ByteBuffer.wrap(derive(bytes, DIRECTORY_LABEL)).getLong();
    }

    /**
     * Computes the handle with which other nodes address a group's shared memory through a process. The handle is an
     * authentication code of the group's number and the process. All handles share one key, because every group needs
     * several handles.
     *
     * @param group the number by which all ranks know the group
     * @param process the first rank of the process through which the memory is addressed
     * @return the handle, which follows from the secret and the two numbers
     */
    public synchronized long ringHandle(long group, int process) {
        if (groups == null) {
            groups = mac(derive(bytes, GROUPS_LABEL));
        }
        byte[] numbers = ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putLong(group).putInt(process).array();
        return ByteBuffer.wrap(groups.doFinal(numbers)).getLong();
    }

    /**
     * Computes the handle with which other nodes send messages to a rank.
     *
     * @param rank the rank in the job
     * @return the handle, which follows from the secret and the rank
     */
    public synchronized long messageHandle(int rank) {
        if (messages == null) {
            messages = mac(derive(bytes, MESSAGES_LABEL));
        }
        return ByteBuffer.wrap(messages.doFinal(ByteBuffer.allocate(Integer.BYTES).putInt(rank).array())).getLong();
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(key, MAC));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has this algorithm
        }
    }

    private static byte[] derive(byte[] from, String label) {
        try {
            return KDF.getInstance("HKDF-SHA256").deriveData(HKDFParameterSpec.ofExtract().addIKM(from)
                    .thenExpand(label.getBytes(StandardCharsets.US_ASCII), BYTES));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has this algorithm
        }
    }

    /** {@return a copy of the bytes} */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
