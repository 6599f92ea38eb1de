/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.tool.UsageException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Values of {@code --metrics}. */
class MetricsTargetTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"9100,'',9100", "0,'',0", "65535,'',65535", "0.0.0.0:9100,0.0.0.0,9100", "[::]:9100,::,9100",
            "host:1,host,1", "a-b.c:80,a-b.c,80"})
    void shouldReadPorts(String text, String host, int port) {
        assertThat(MetricsTarget.parse(text)).isEqualTo(new MetricsTarget.Server(host, port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.prom", "9100.prom", "./a", "/tmp/a.txt", "host:9100/x", "[::]:1.prom"})
    void shouldReadFiles(String text) {
        assertThat(MetricsTarget.parse(text)).isEqualTo(new MetricsTarget.TextFile(Path.of(text).toAbsolutePath()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a", "-1", ":80", "host:", "host:x", "::1:80", "[]:80", "[::1]80", "1 2", "0x10",
            "prom", "a\nb", "٣"})
    void shouldRefuseOtherValues(String text) {
        assertThatThrownBy(() -> MetricsTarget.parse(text)).isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--metrics '" + text + "' is not possible; give a port such as 9100, ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"65536", "99999999999999999999", "host:70000"})
    void shouldRefusePortsThatAreTooLarge(String text) {
        assertThatThrownBy(() -> MetricsTarget.parse(text)).isInstanceOf(UsageException.class)
                .hasMessage(
                        "--metrics " + text + " is not possible; give a port from 0, which is a free one, to 65535");
    }

    @Test
    void shouldRefuseAPortThatIsTaken() throws Exception {
        try (var taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> MetricsTarget.parse(String.valueOf(port)).open("job"))
                    .isInstanceOf(UsageException.class).hasMessage("--metrics cannot listen at 127.0.0.1:" + port
                            + " (Address already in use); give another port, 0 for a free one, or an address of this "
                            + "host");
        }
    }

    @Test
    void shouldRefuseAHostWithoutAnAddress() {
        var target = MetricsTarget.parse("no-host.invalid:1");
        assertThatThrownBy(() -> target.open("job")).isInstanceOf(UsageException.class)
                .hasMessage("--metrics no-host.invalid:1 is not possible, because no address of no-host.invalid is "
                        + "known; give an address of this host");
    }

    @Test
    void shouldRefuseFilesThatCannotBeWritten() throws Exception {
        assertThatThrownBy(() -> MetricsTarget.parse(directory.toString()).open("job"))
                .isInstanceOf(UsageException.class)
                .hasMessage("--metrics " + directory + " is no ordinary file; name another one");
        assertThatThrownBy(() -> MetricsTarget.parse("/dev/null").open("job")).isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> MetricsTarget.parse("/").open("job")).isInstanceOf(UsageException.class);
        var missing = directory.resolve("none/a.prom");
        assertThatThrownBy(() -> MetricsTarget.parse(missing.toString()).open("job"))
                .isInstanceOf(UsageException.class)
                .hasMessage("--metrics " + missing + " cannot be written, because its directory takes no new files "
                        + "(no such file or directory); make room or a directory there, or name another file");
        assertThat(Files.list(directory)).isEmpty();
    }

    @Test
    void shouldLeaveNoFileIfItIsClosedBeforeItsStart() throws Exception {
        MetricsTarget.parse(directory.resolve("a.prom").toString()).open("job").close();
        assertThat(Files.list(directory)).isEmpty();
    }
}
