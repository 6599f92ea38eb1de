/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The frames between the launcher and another host, and the malformed bytes that neither accepts. */
class SessionFrameTest {
    private static SessionFrame read(byte[] bytes) throws IOException {
        return SessionFrame.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    private static Greeting greeting(String text) throws IOException {
        return Greeting.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    void shouldReadWhatWasWritten() throws Exception {
        var frame = read(new SessionFrame.Builder(FrameKind.OUTPUT).number(7).longNumber(-1L).text("Größe")
                .piece(new byte[]{9, 8, 7}, 1, 3).bytes());
        assertThat(frame.kind()).isEqualTo(FrameKind.OUTPUT);
        assertThat(frame.numberBelow(8)).isEqualTo(7);
        assertThat(frame.longNumber()).isEqualTo(-1L);
        assertThat(frame.text()).isEqualTo("Größe");
        assertThat(frame.piece()).containsExactly(8, 7);
    }

    @Test
    void shouldReadAJobDescription() throws Exception {
        var plan = new NodePlan(new NodeShape("j", 7, 1, 2, 3), 4, 2, new MachineShare(2, 5, 2), true, Path.of("/here"),
                Path.of("/dev/shm"), Duration.ofMillis(1500), Duration.ofSeconds(2), "eth0,eth1", "20000-20100",
                Optional.empty(),
                Map.of("NAME", "a=b\nc"), List.of("-Xmx1g", ""));
        var secret = Secret.random();
        var program = new Program("a.B", "x.jar:y", Optional.empty(), List.of("", "ü", "{host}"));
        var read = JobDescription.of(read(new JobDescription(plan, program, true, true, "b", secret).frame()));
        assertThat(read.plan()).isEqualTo(plan);
        assertThat(read.program()).isEqualTo(program);
        assertThat(read.compiled()).isTrue();
        assertThat(read.recorded()).isTrue();
        assertThat(read.host()).isEqualTo("b");
        assertThat(read.secret().bytes()).isEqualTo(secret.bytes());
    }

    @Test
    void shouldSeeTheEndBetweenFramesOnly() throws Exception {
        var bytes = SessionFrame.of(FrameKind.JOINED, 3);
        assertThat(read(new byte[0])).isNull();
        for (int length = 1; length < bytes.length; length++) {
            var part = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> read(part)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldRefuseFramesThatAreTooLongOrUnknown() {
        var tooLong = ByteBuffer.allocate(5).putInt(SessionFrame.BYTES_MAX + 1).array();
        var negative = ByteBuffer.allocate(5).putInt(-1).array();
        var unknown = new byte[]{0, 0, 0, 0, 99};
        for (var bytes : List.of(tooLong, negative, unknown)) {
            assertThatThrownBy(() -> read(bytes)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldRefuseNumbersAndLengthsOutOfBounds() throws Exception {
        assertThatThrownBy(() -> read(SessionFrame.of(FrameKind.JOINED, 4)).numberBelow(4))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read(SessionFrame.of(FrameKind.JOINED, -1)).numberBelow(4))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read(SessionFrame.of(FrameKind.JOINED)).number()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read(SessionFrame.of(FrameKind.OUTPUT, 1 << 20)).piece())
                .isInstanceOf(IOException.class);
    }

    @Test
    void shouldGiveUpOnRandomBytesWithoutAnythingElse() {
        for (int seed = 0; seed < 2000; seed++) {
            var bytes = new byte[64];
            new Random(seed).nextBytes(bytes);
            bytes[0] = 0;
            bytes[1] = 0;
            try {
                for (var frame = read(bytes); frame != null; frame = null) {
                    JobDescription.of(frame);
                }
            } catch (IOException | RuntimeException e) { // IllegalArgument, JobStart: what a host refuses with
                assertThat(e).isNotInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Test
    void shouldReadAGreeting() throws Exception {
        assertThat(Greeting.read(new ByteArrayInputStream(Greeting.OWN.line()))).isEqualTo(Greeting.OWN);
        assertThat(greeting("tutti-host 2 26 1.0\nmore")).isEqualTo(new Greeting(2, 26, "1.0"));
        assertThat(greeting("")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Welcome to b!\n", "tutti-host 1 25", "tutti-host x\n", "\n", "tutti-host  1 25 1\n"})
    void shouldShowWhatIsNoGreeting(String text) {
        assertThatThrownBy(() -> greeting(text)).isInstanceOf(IOException.class)
                .hasMessage(text.replaceFirst("^\n$|\n$", ""));
    }

    @Test
    void shouldNotReadAnEndlessGreeting() {
        assertThatThrownBy(() -> greeting("tutti-host " + "9".repeat(100_000))).isInstanceOf(IOException.class)
                .message().hasSizeLessThan(100);
    }

    @Test
    void shouldTakeNoMoreOutputThanThereIsRoomFor() throws Exception {
        List<Integer> room = new ArrayList<>();
        var stream = new RemoteStream(room::add);
        assertThat(stream.append(new byte[SessionFrame.WINDOW_BYTES])).isTrue();
        assertThat(stream.append(new byte[1])).isFalse();
        assertThat(stream.read(new byte[10], 0, 10)).isEqualTo(10);
        assertThat(room).containsExactly(10);
        assertThat(stream.append(new byte[11])).isFalse();
        assertThat(stream.append(new byte[]{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})).isTrue();
        stream.end();
        assertThat(stream.readNBytes(SessionFrame.WINDOW_BYTES - 10)).hasSize(SessionFrame.WINDOW_BYTES - 10);
        assertThat(stream.read()).isEqualTo(1);
        assertThat(stream.read(new byte[99], 0, 99)).isEqualTo(9);
        assertThat(stream.read()).isEqualTo(-1);
        assertThat(stream.isWaiting()).isFalse();
    }

    @Test
    void shouldWriteClassFilesWhereTheyBelongAndNowhereElse(@TempDir Path directory) throws Exception {
        var inside = Files.createDirectory(directory.resolve("classes"));
        var files = new ClassFiles(inside);
        files.take(read(classFile("a/B.class", "12")));
        files.take(read(classFile("a/B.class", "3")));
        assertThat(inside.resolve("a/B.class")).hasContent("123");
        for (var name : List.of("../B.class", "/tmp/B.class", "a/../../B.class", "launcher.lock")) {
            assertThatThrownBy(() -> files.take(read(classFile(name, "x")))).isInstanceOf(JobStartException.class);
        }
        try (var left = Files.list(directory)) {
            assertThat(left).containsExactly(inside);
        }
    }

    private static byte[] classFile(String name, String content) {
        return new SessionFrame.Builder(FrameKind.CLASS_FILE).text(name)
                .piece(content.getBytes(StandardCharsets.US_ASCII), 0, content.length()).bytes();
    }
}
