/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SecretTest {
    private static final int STRANGER = 65534;

    @TempDir
    private Path directory;
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("secret");
    }

    private void write(int bytes) throws IOException {
        byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = (byte) (7 * i);
        }
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 31, 4097})
    void shouldRefuseAFileThatIsTooShortOrTooLong(int bytes) throws IOException {
        write(bytes);
        assertThatThrownBy(() -> Secret.ofFile(file, "job")).isInstanceOf(JobStartException.class)
                .hasMessageContainingAll(file.toString(), bytes + " bytes", "32 to 4096", "/dev/urandom");
    }

    @Test
    void shouldRefuseAFileOfAnotherUser() throws IOException {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "skipped: only root gives files away");
        write(32);
        Files.setAttribute(file, "unix:uid", STRANGER);
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        for (Path each : new Path[]{file, link}) {
            assertThatThrownBy(() -> Secret.ofFile(each, "job")).isInstanceOf(JobStartException.class)
                    .hasMessageContainingAll(each.toString(), "belongs to nobody");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw--w----", "rw----r--"})
    void shouldRefuseAFileThatOthersCanReadOrWrite(String permissions) throws IOException {
        write(32);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        assertThatThrownBy(() -> Secret.ofFile(file, "job")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("chmod 600 it");
    }

    /** As Kubernetes mounts them: root's, and with a group for those who are not root. */
    @ParameterizedTest
    @CsvSource({"r--------,false", "r--r-----,false", "rw-r-----,false", "r--rw----,true", "r--r-x---,true",
            "r--r--r--,true", "r-----r--,true", "rw-rw-rw-,true"})
    void shouldTakeAFileOfRootThatOnlyAGroupCanReadAsWell(String permissions, boolean open) {
        assertThat(Secret.isOpen(PosixFilePermissions.fromString(permissions), true)).isEqualTo(open);
    }

    @Test
    void shouldRefuseWhatIsNoFile() {
        assertThatThrownBy(() -> Secret.ofFile(file, "job")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> Secret.ofFile(directory, "job")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("is no plain file");
    }

    // ---- keys, against RFC 5869 by hand

    private static byte[] hmac(byte[] key, byte[]... pieces) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
        for (byte[] piece : pieces) {
            mac.update(piece);
        }
        return mac.doFinal();
    }

    /** The first block of HKDF, without a salt; as long as a key. */
    private static byte[] expected(byte[] from, String label) throws GeneralSecurityException {
        byte[] extracted = hmac(new byte[32], from);
        return hmac(extracted, label.getBytes(StandardCharsets.US_ASCII), new byte[]{1});
    }

    @Test
    void shouldDeriveAKeyForEachUse() throws Exception {
        write(32);
        byte[] bytes = Secret.ofFile(file, "pi.1").bytes();
        assertThat(bytes).isEqualTo(expected(Files.readAllBytes(file), "tutti job pi.1"));
        Secret secret = Secret.of(bytes);
        assertThat(secret.connectionsKey()).isEqualTo(expected(bytes, "tutti connections"));
        assertThat(secret.directoryHandle()).isEqualTo(handle(bytes, "tutti directory"));
        for (int process : new int[]{3, 0, 3}) {
            byte[] numbers = ByteBuffer.allocate(12).putLong(-7).putInt(process).array();
            assertThat(secret.ringHandle(-7, process))
                    .isEqualTo(ByteBuffer.wrap(hmac(expected(bytes, "tutti groups"), numbers)).getLong());
        }
    }

    private static long handle(byte[] from, String label) throws GeneralSecurityException {
        return ByteBuffer.wrap(expected(from, label)).getLong();
    }
}
