/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Service;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** Connections that a process accepts and refuses, with real sockets on loopback. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class AcceptorTest {
    private static final byte[] SECRET = secret(1);
    private static final int DESCRIPTORS_OTHERWISE = 30;
    private static final Waiter.Check PATIENT = () -> {
    };

    private final List<Process> processes = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();
    private final Arena arena = Arena.ofShared();

    /** A process. */
    private final class Process implements FabricListener {
        final MemorySegment memory = arena.allocate(1 << 16, Words.LINE_BYTES);
        final Queue<String> lost = new ConcurrentLinkedQueue<>();
        final TcpFabric fabric;
        final long region;

        Process(byte[] secret) {
            this(secret, 1);
        }

        Process(byte[] secret, int rails) {
            int self = processes.size();
            fabric = new TcpFabric(
                    new LocalProcess(self, secret,
                            Collections.nCopies(rails, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                            rank -> processes.get(rank).fabric.addresses(), 20_000, 20_000),
                    4, this, false, Service.SLEEP);
            region = fabric.register(memory);
            processes.add(this);
        }

        InetSocketAddress address() {
            return fabric.addresses().get(0);
        }

        boolean put(Process to, long value) {
            return fabric.put(new PutTarget().at(processes.indexOf(to), to.region, 0).raise(1024, value, 0), memory, 0,
                    512, PATIENT) && fabric.fence(processes.indexOf(to), PATIENT);
        }

        @Override
        public void news(int kind, long index, long value) {
            lost.add("news");
        }

        @Override
        public void left(int process) {
            assertThat(process).isBetween(0, 3);
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            lost.add(reason);
        }
    }

    private static byte[] secret(int seed) {
        byte[] secret = new byte[32];
        new Random(seed).nextBytes(secret);
        return secret;
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        processes.forEach(process -> process.fabric.close());
        arena.close();
    }

    private static void await(String what, java.util.function.BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(1);
        }
    }

    /** Sends bytes, and returns what comes back until the other side closes. */
    private static byte[] send(InetSocketAddress address, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(20_000);
            return drain(socket, bytes);
        }
    }

    private static byte[] drain(Socket socket, byte[] bytes) {
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        try {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            for (int one = in.read(); one >= 0; one = in.read()) {
                heard.write(one);
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("a stranger is kept", e);
        } catch (IOException _) {
            return heard.toByteArray(); // closed with bytes unread: a reset
        }
        return heard.toByteArray();
    }

    @Test
    void shouldRefuseAClientWithAnotherSecretAndTellItWhy() throws InterruptedException {
        Process good = new Process(SECRET);
        Process stranger = new Process(secret(2));
        assertThat(stranger.put(good, 5)).isFalse();
        assertThat(stranger.lost).hasSize(1);
        assertThat(stranger.lost.peek()).contains("secret");
        assertThat(Words.load(good.memory, 1024)).isZero();
        assertThat(good.lost).isEmpty();
        await("counted", () -> good.fabric.connectionsRefused() > 0);
        assertThat(good.put(stranger, 5)).isFalse();
        assertThat(good.lost).hasSize(1);
        assertThat(good.lost.peek()).contains("secret");
        assertThat(Words.load(stranger.memory, 1024)).isZero();
    }

    @Test
    void shouldRefuseAHandshakeThatWasRecorded() throws IOException, InterruptedException {
        Process process = new Process(SECRET);
        byte[] recorded = record(process.address());
        long before = process.fabric.connectionsRefused();
        byte[] heard = send(process.address(), recorded);
        assertThat(heard).hasSizeLessThanOrEqualTo(76); // no verdict
        await("counted", () -> process.fabric.connectionsRefused() == before + 1);
        assertThat(process.fabric.processesConnected()).isZero();
    }

    /**
     * Records the bytes of a client in a good handshake. It names a process that does not exist, so no connection is
     * made.
     */
    private static byte[] record(InetSocketAddress address) throws IOException {
        ClientHandshake client = new ClientHandshake(SECRET, new SecureRandom(), new Introduction(1, 0, 1, 1, 3, 1));
        byte[] said;
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            said = shakeHands(socket, client);
        }
        assertThat(client.verdict()).isEqualTo(Verdict.WRONG_PROCESS);
        return said;
    }

    /** Goes through a client's handshake, and returns what the client said. */
    private static byte[] shakeHands(Socket socket, Handshake client) throws IOException {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        while (client.state() == Handshake.State.GOING_ON) {
            byte[] bytes = new byte[client.toWrite().remaining()];
            client.toWrite().get(bytes);
            said.write(bytes);
            socket.getOutputStream().write(bytes);
            byte[] heard = socket.getInputStream().readNBytes(client.wanted());
            if (heard.length < client.wanted()) {
                client.closed();
            } else {
                client.read(ByteBuffer.wrap(heard));
            }
        }
        return said.toByteArray();
    }

    /** A rail of process 1, which has said all that it says; the verdict is there. */
    private Socket connectRail(Process process, int rail, int rails, int attempt) throws IOException {
        Socket socket = new Socket(process.address().getAddress(), process.address().getPort());
        sockets.add(socket);
        socket.setSoTimeout(20_000);
        ClientHandshake client = new ClientHandshake(SECRET, new SecureRandom(),
                new Introduction(1, rail, rails, (1 << rails) - 1, 0, attempt));
        shakeHands(socket, client);
        assertThat(client.verdict()).isEqualTo(Verdict.ACCEPTED);
        return socket;
    }

    @Test
    void shouldPairRailsOfTheSameAttemptOnly() throws Exception {
        Process process = new Process(SECRET, 2);
        Socket givenUp = connectRail(process, 0, 2, 1);
        Socket first = connectRail(process, 1, 2, 2);
        assertThat(givenUp.getInputStream().read()).isEqualTo(-1);
        assertThat(process.fabric.processesConnected()).isZero();
        Socket late = connectRail(process, 0, 2, 1);
        assertThat(late.getInputStream().read()).isEqualTo(-1);
        assertThat(process.fabric.processesConnected()).isZero();
        connectRail(process, 0, 2, 2);
        await("connected", () -> process.fabric.processesConnected() == 1);
        assertThat(first.isClosed()).isFalse();
    }

    /** Connections of strangers from an address of this host, who say nothing. */
    private void connectAndSayNothing(Process process, int count, String source) throws IOException {
        for (int i = 0; i < count; i++) {
            sockets.add(new Socket(process.address().getAddress(), process.address().getPort(),
                    InetAddress.getByName(source),
                    0));
        }
    }

    private static void write(Socket socket, Handshake client) throws IOException {
        byte[] bytes = new byte[client.toWrite().remaining()];
        client.toWrite().get(bytes);
        socket.getOutputStream().write(bytes);
    }

    /** A process of the job comes, takes long to answer, and is let in. */
    private void assertLetIn(Socket socket, Handshake client) throws IOException {
        socket.setSoTimeout(20_000);
        shakeHands(socket, client);
        assertThat(client.state()).as(client.refusal()).isEqualTo(Handshake.State.DONE);
        assertThat(client.verdict()).isEqualTo(Verdict.ACCEPTED);
    }

    @Test
    void shouldKeepWhoKnowsTheSecretHoweverManyStrangersComeFromItsAddress() throws Exception {
        Process process = new Process(SECRET);
        ClientHandshake client = new ClientHandshake(SECRET, new SecureRandom(), new Introduction(1, 0, 1, 1, 0, 1));
        try (Socket socket = new Socket(process.address().getAddress(), process.address().getPort())) {
            write(socket, client);
            connectAndSayNothing(process, 3 * Acceptor.PENDING_MAX, "127.0.0.1");
            await("dropped", () -> process.fabric.connectionsDropped() > Acceptor.PENDING_MAX);
            assertLetIn(socket, client);
        }
    }

    @Test
    void shouldSendAwayThoseFromTheAddressThatMostHaveComeFrom() throws Exception {
        Process process = new Process(SECRET);
        ClientHandshake client = new ClientHandshake(SECRET, new SecureRandom(), new Introduction(1, 0, 1, 1, 0, 1));
        try (Socket socket = new Socket(process.address().getAddress(), process.address().getPort(),
                InetAddress.getByName("127.0.0.2"), 0)) {
            connectAndSayNothing(process, 2 * Acceptor.PENDING_MAX, "127.0.0.1");
            connectAndSayNothing(process, Acceptor.PENDING_MAX / 2, "127.0.0.3");
            await("dropped", () -> process.fabric.connectionsDropped() > Acceptor.PENDING_MAX);
            assertLetIn(socket, client);
        }
    }

    @Test
    void shouldServeOnWhenARailEndsBeforeTheOthersHaveCome() throws IOException {
        Process process = new Process(SECRET, 2);
        for (int rail = 0; rail < 2; rail++) {
            try (Socket socket = new Socket(process.address().getAddress(), process.address().getPort())) {
                socket.setSoTimeout(20_000);
                ClientHandshake client =
                        new ClientHandshake(SECRET, new SecureRandom(), new Introduction(1, rail, 2, 3, 0, rail));
                shakeHands(socket, client);
                assertThat(client.verdict()).isEqualTo(Verdict.ACCEPTED);
                socket.shutdownOutput();
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
        Process other = new Process(SECRET, 2);
        assertThat(other.put(process, 9)).isTrue();
        assertThat(Words.load(process.memory, 1024)).isEqualTo(9);
    }

    @Test
    void shouldRefuseGarbageOfAllKindsAndLengths() throws IOException, InterruptedException {
        Process process = new Process(SECRET);
        byte[] recorded = record(process.address());
        long before = process.fabric.connectionsRefused();
        Random random = new Random(3);
        int count = 300;
        for (int i = 0; i < count; i++) {
            byte[] bytes = garbage(random, recorded, i % 5);
            assertThat(send(process.address(), bytes)).hasSizeLessThanOrEqualTo(76);
        }
        await("counted", () -> process.fabric.connectionsRefused() == before + count);
        Process other = new Process(SECRET);
        assertThat(other.put(process, 9)).isTrue();
        assertThat(Words.load(process.memory, 1024)).isEqualTo(9);
    }

    private static byte[] garbage(Random random, byte[] recorded, int kind) {
        if (kind < 2) { // nothing in common, short or long
            byte[] bytes = new byte[kind == 0 ? random.nextInt(100) : random.nextInt(200_000)];
            random.nextBytes(bytes);
            return bytes;
        }
        if (kind == 2) { // it ends too early
            return Arrays.copyOf(recorded, random.nextInt(recorded.length));
        }
        byte[] bytes = Arrays.copyOf(recorded, kind == 3 ? recorded.length : 100_000);
        bytes[random.nextInt(recorded.length)] ^= (byte) (1 << random.nextInt(8));
        return bytes;
    }

    @Tag("thorough")
    @Test
    void shouldDropThoseWhoSayNothingAfterAWhile() throws IOException, InterruptedException {
        Process process = new Process(SECRET);
        byte[] recorded = record(process.address());
        long before = process.fabric.connectionsRefused();
        List<Socket> sockets = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            Socket socket = new Socket(process.address().getAddress(), process.address().getPort());
            socket.getOutputStream().write(recorded, 0, i * 4);
            sockets.add(socket);
        }
        Process other = new Process(SECRET);
        assertThat(other.put(process, 3)).isTrue();
        for (Socket socket : sockets) {
            socket.setSoTimeout(20_000);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            socket.close();
        }
        assertThat(System.nanoTime() - start).isBetween((Acceptor.PENDING_MILLIS_MAX - 100) * 1_000_000,
                (Acceptor.PENDING_MILLIS_MAX + 5000) * 1_000_000);
        await("counted", () -> process.fabric.connectionsRefused() == before + sockets.size());
    }

    @Test
    void shouldServeTheJobWhileStrangersFloodIt() throws InterruptedException {
        Process one = new Process(SECRET);
        Process two = new Process(SECRET);
        int before = ManyProcessesTest.descriptors();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger came = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int kind = i;
            threads.add(Thread.ofPlatform().start(() -> flood(kind % 2 == 0 ? one : two, kind, came, most)));
        }
        for (long value = 1; threads.stream().anyMatch(Thread::isAlive) || value < 100; value++) {
            assertThat(one.put(two, value)).isTrue();
            assertThat(two.put(one, value)).isTrue();
            assertThat(Words.load(one.memory, 1024)).isEqualTo(value);
            assertThat(Words.load(two.memory, 1024)).isEqualTo(value);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(came.get()).isEqualTo(2000);
        await("all refused or dropped", () -> strangers(one) + strangers(two) >= 2000);
        // strangers' own ends; those pending at two processes, and as many that have to go
        assertThat(most.get()).isLessThan(before + 2000 + 4 * Acceptor.PENDING_MAX + DESCRIPTORS_OTHERWISE);
        await("all closed", () -> ManyProcessesTest.descriptors() < before + DESCRIPTORS_OTHERWISE);
        assertThat(one.lost).isEmpty();
        assertThat(two.lost).isEmpty();
        assertThat(one.fabric.connectionsDropped() + two.fabric.connectionsDropped()).isPositive();
    }

    private static long strangers(Process process) {
        return process.fabric.connectionsRefused() + process.fabric.connectionsDropped();
    }

    /** Five hundred connections, open at once: more than may be pending, also of those alone that say nothing. */
    private static void flood(Process process, int kind, AtomicInteger came, AtomicInteger most) {
        Random random = new Random(kind);
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < 500; i++) {
                Socket socket = new Socket(process.address().getAddress(), process.address().getPort());
                came.incrementAndGet();
                open.add(socket);
                say(socket, random);
                if (i % 50 == 0) {
                    most.accumulateAndGet(ManyProcessesTest.descriptors(), Math::max);
                }
            }
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void say(Socket socket, Random random) {
        byte[] bytes = new byte[random.nextInt(3) == 0 ? random.nextInt(60) : 0];
        random.nextBytes(bytes);
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|pipe|abort).*"); // it was sent away already
        }
    }

    @Test
    void shouldListenOnTheGivenAddressOnly() {
        Process process = new Process(SECRET);
        for (InetSocketAddress address : process.fabric.addresses()) {
            assertThat(address.getAddress().isAnyLocalAddress()).isFalse();
            assertThat(address.getAddress()).isEqualTo(InetAddress.getLoopbackAddress());
        }
    }
}
