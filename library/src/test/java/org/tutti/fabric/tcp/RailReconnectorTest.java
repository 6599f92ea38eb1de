/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** Two processes with two rails and real sockets, of which one rail goes through a {@link CableRelay} that is cut. */
@Timeout(60)
class RailReconnectorTest {
    private static final int BYTES = 300_000;
    private static final int FLAPS = Integer.getInteger("rail.flaps", 3);
    private static final byte[] SECRET = new byte[32];
    private static final Waiter.Check PATIENT = () -> {
    };

    private final List<Process> processes = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private final Random random = new Random(3);
    private final Queue<LogRecord> logged = new ConcurrentLinkedQueue<>();
    private final Logger logger = Logger.getLogger(RailReconnector.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            logged.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private CableRelay relay;
    private long word;

    /** A process. */
    private final class Process implements FabricListener {
        final MemorySegment memory = arena.allocate(1 << 20, Words.LINE_BYTES);
        final Queue<String> heard = new ConcurrentLinkedQueue<>();
        final Queue<String> rails = new ConcurrentLinkedQueue<>();
        final TcpFabric fabric;
        final long region;

        Process(int self, Striping striping) {
            fabric = new TcpFabric(new LocalProcess(self, SECRET,
                    Collections.nCopies(2, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                    RailReconnectorTest.this::addresses, 2000, 20_000, striping), 3, this, false, Service.SLEEP);
            region = fabric.register(memory);
        }

        @Override
        public void news(int kind, long index, long value) {
            heard.add("news");
        }

        @Override
        public void railLost(int process, int rail) {
            rails.add("lost " + process + " " + rail);
        }

        @Override
        public void railRestored(int process, int rail) {
            rails.add("restored " + process + " " + rail);
        }

        @Override
        public void left(int process) {
            heard.add("left");
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            heard.add("lost " + process + ": " + reason);
        }
    }

    /** Rail 1 of process 1 is reached through the relay. */
    private List<InetSocketAddress> addresses(int process) {
        List<InetSocketAddress> addresses = processes.get(process).fabric.addresses();
        return process == 0 ? addresses : List.of(addresses.get(0), relay.address());
    }

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    /** Even shares where a test waits for bytes on both rails: by speed the relay, which copies, may get none. */
    private void start(Striping striping) {
        processes.add(new Process(0, striping));
        processes.add(new Process(1, striping));
        relay = new CableRelay(processes.get(1).fabric.addresses().get(1));
    }

    @AfterEach
    void close() throws IOException {
        processes.forEach(process -> process.fabric.close());
        if (relay != null) {
            relay.close();
        }
        arena.close();
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    /** Goes on putting until something is so, and sees that all arrives. */
    private void putUntil(String what, BooleanSupplier condition) {
        long deadlineNanos = System.nanoTime() + 60_000_000_000L;
        do {
            put(processes.get(0), processes.get(1));
            put(processes.get(1), processes.get(0));
            assertThat(System.nanoTime()).as(what).isLessThan(deadlineNanos);
        } while (!condition.getAsBoolean());
    }

    private void put(Process from, Process to) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        int process = processes.indexOf(to);
        assertThat(from.fabric.put(new PutTarget().at(process, to.region, 128).raise(64, ++word, 0),
                MemorySegment.ofArray(bytes), 0, BYTES, PATIENT)).isTrue();
        assertThat(from.fabric.put(new PutTarget().at(process, to.region, 0).add(0, 1), MemorySegment.ofArray(bytes),
                0, 0, PATIENT)).isTrue();
        assertThat(from.fabric.fence(process, PATIENT)).isTrue();
        assertThat(Words.load(to.memory, 64)).isEqualTo(word);
        assertThat(Words.load(to.memory, 0)).as("puts, none twice").isEqualTo((word + 1) / 2);
        assertThat(to.memory.asSlice(128, BYTES).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
    }

    private long lines(Level level, String end) {
        return logged.stream().filter(line -> line.getLevel().equals(level) && line.getMessage().contains(end)).count();
    }

    private boolean carries(long bytesBefore) {
        return relay.bytes() > bytesBefore + 3L * BYTES;
    }

    @Test
    void shouldUseALostRailAgainAndSaySo() throws InterruptedException {
        try (var events = new RecordingStream()) {
            List<String> recorded = new CopyOnWriteArrayList<>();
            events.enable("tutti.Rail");
            events.onEvent("tutti.Rail", event -> recorded
                    .add(event.getString("state") + " " + event.getInt("process") + " " + event.getInt("rail")));
            events.startAsync();
            loseARailTwice();
            events.stop();
            assertThat(processes.get(0).rails).containsExactly("lost 1 1", "restored 1 1", "lost 1 1", "restored 1 1");
            assertThat(processes.get(1).rails).containsExactly("lost 0 1", "restored 0 1", "lost 0 1", "restored 0 1");
            assertThat(recorded.stream().filter(each -> each.endsWith(" 1 1")).toList())
                    .isEqualTo(List.copyOf(processes.get(0).rails));
            assertThat(recorded.stream().filter(each -> each.endsWith(" 0 1")).toList())
                    .isEqualTo(List.copyOf(processes.get(1).rails));
            assertThat(recorded).hasSize(8);
        }
    }

    private void loseARailTwice() {
        start(Striping.EVEN);
        putUntil("both rails carry bytes", () -> carries(0));
        for (int round = 1; round <= 2; round++) {
            int times = round;
            relay.cut();
            long before = relay.bytes();
            putUntil("the loss is said", () -> lines(Level.WARNING, " is lost (") >= 2 * times);
            assertThat(relay.bytes()).as("but for what was under way").isLessThan(before + BYTES);
            relay.mend();
            putUntil("the rail carries bytes again", () -> carries(before));
            putUntil("that is said", () -> lines(Level.INFO, " is back") >= 2 * times);
        }
        assertThat(logged.peek().getMessage())
                .contains("rail 1 from the process of rank ", " at 127.0.0.1 to that of rank ", "used again once");
        assertThat(processes.get(0).heard).isEmpty();
        assertThat(processes.get(1).heard).isEmpty();
        int lines = logged.size();
        processes.forEach(process -> process.fabric.close());
        assertThat(logged).as("no end of a process is reported as the loss of a rail").hasSize(lines);
    }

    /** Two threads of each process put to the other one, while the rail comes and goes. */
    @ParameterizedTest
    @EnumSource(names = {"EVEN", "SPEED"})
    void shouldLoseNothingWhileARailFlaps(Striping striping) throws InterruptedException {
        start(striping);
        AtomicBoolean ends = new AtomicBoolean();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    putOften(processes.get(number / 2), processes.get(1 - number / 2), number % 2, ends);
                } catch (RuntimeException | AssertionError e) {
                    failures.add(e);
                }
            }));
        }
        for (int flap = 0; flap < FLAPS; flap++) {
            long before = relay.bytes();
            await("the rail carries bytes", () -> carries(before) || !failures.isEmpty());
            relay.cut();
            Thread.sleep(random.nextInt(30));
            relay.mend();
        }
        ends.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(processes.get(0).heard).isEmpty();
        assertThat(processes.get(1).heard).isEmpty();
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadlineNanos);
            Thread.sleep(1);
        }
    }

    private void putOften(Process from, Process to, int thread, AtomicBoolean ends) {
        Random own = new Random(thread);
        long at = 1024 + 500_000L * thread;
        long words = 256L * thread;
        int process = processes.indexOf(to);
        for (int round = 1; !ends.get(); round++) {
            byte[] bytes = new byte[own.nextInt(2) == 0 ? own.nextInt(500) : own.nextInt(400_000)];
            own.nextBytes(bytes);
            from.fabric.put(new PutTarget().at(process, to.region, at).add(words, 1), MemorySegment.ofArray(bytes), 0,
                    bytes.length, PATIENT);
            for (int i = 0; i < 20; i++) {
                from.fabric.put(new PutTarget().at(process, to.region, at).add(words + 64, 1), to.memory, 0, 0,
                        PATIENT);
            }
            long[] old = {-1};
            from.fabric.atomic(process, to.region, words + 128, AtomicOperation.FETCH_ADD, 1, 0, old, PATIENT);
            assertThat(old[0]).isEqualTo(round - 1);
            assertThat(from.fabric.fence(process, PATIENT)).isTrue();
            assertThat(Words.load(to.memory, words)).as("puts").isEqualTo(round);
            assertThat(Words.load(to.memory, words + 64)).as("small puts").isEqualTo(20L * round);
            assertThat(to.memory.asSlice(at, bytes.length).mismatch(MemorySegment.ofArray(bytes))).isEqualTo(-1);
        }
    }

    @Test
    void shouldBeginWithTheRailsThatThereAre() {
        start(Striping.EVEN);
        relay.cut();
        putUntil("the other rail is enough", () -> lines(Level.WARNING, "could not be connected") == 2);
        relay.mend();
        long before = relay.bytes();
        putUntil("both rails carry bytes", () -> carries(before));
        assertThat(processes.get(0).heard).isEmpty();
        assertThat(processes.get(1).heard).isEmpty();
    }

    /** Of who knows the secret, but not what there is to be brought back. */
    @Test
    void shouldRefuseToBringBackWhatThereIsNot() throws IOException {
        start(Striping.EVEN);
        Introduction right = new Introduction(0, 1, 2, Introduction.BACK, 1, 2);
        assertThat(verdict(1, right)).as("not connected").isEqualTo(Verdict.NO_SUCH_RAIL);
        assertThat(verdict(1, new Introduction(0, 2, 3, 0b111, 1, 2))).as("more rails than it has")
                .isEqualTo(Verdict.NO_SUCH_RAIL);
        putUntil("both rails carry bytes", () -> carries(0));
        long refused = refused();
        assertThat(verdict(1, new Introduction(0, 1, 3, Introduction.BACK, 1, 2))).isEqualTo(Verdict.NO_SUCH_RAIL);
        assertThat(verdict(1, new Introduction(0, 3, 4, Introduction.BACK, 1, 2))).isEqualTo(Verdict.NO_SUCH_RAIL);
        assertThat(verdict(1, new Introduction(2, 1, 2, Introduction.BACK, 1, 2))).isEqualTo(Verdict.NO_SUCH_RAIL);
        assertThat(verdict(0, new Introduction(1, 1, 2, Introduction.BACK, 0, 2))).isEqualTo(Verdict.NO_SUCH_RAIL);
        assertThat(verdict(1, new Introduction(1, 1, 2, Introduction.BACK, 1, 2))).isEqualTo(Verdict.WRONG_PROCESS);
        assertThat(verdict(1, new Introduction(0, 1, 2, Introduction.BACK, 2, 2))).isEqualTo(Verdict.WRONG_PROCESS);
        assertThat(refused()).isEqualTo(refused + 6);
        assertThat(verdict(1, new Introduction(0, 1, 2, Introduction.BACK, 1, 0))).as("an attempt from before all")
                .isEqualTo(Verdict.DUPLICATE);
        long before = relay.bytes();
        putUntil("both rails carry bytes", () -> carries(before));
        assertThat(logged).isEmpty();

        byte[] other = new byte[32];
        other[0] = 1;
        assertThat(shakeHands(1, other, right).state()).as("a stranger").isEqualTo(Handshake.State.REFUSED);
        long undisturbed = relay.bytes();
        putUntil("both rails carry bytes", () -> carries(undisturbed));
        assertThat(logged).isEmpty();

        assertThat(verdict(1, right)).as("and hangs up at once").isEqualTo(Verdict.ACCEPTED);
        assertThat(verdict(1, right)).as("once more").isEqualTo(Verdict.DUPLICATE);
        long lost = relay.bytes();
        putUntil("the rail comes back", () -> carries(lost));
        assertThat(processes.get(0).heard).isEmpty();
        assertThat(processes.get(1).heard).isEmpty();
    }

    @Test
    void shouldSayNoMoreThanAFewLossesAMinute() {
        RailReconnector.Lines lines = new RailReconnector.Lines();
        long now = System.nanoTime();
        for (int minute = 0; minute < 3; minute++) {
            for (int i = 1; i <= 5; i++) {
                assertThat(lines.take(now)).isTrue();
                assertThat(lines.ending().isEmpty()).isEqualTo(i < 5);
            }
            for (int i = 0; i < 100; i++) {
                assertThat(lines.take(now + 59_000_000_000L)).isFalse();
            }
            now += 61_000_000_000L;
        }
    }

    private long refused() {
        return processes.stream().mapToLong(process -> process.fabric.connectionsRefused()).sum();
    }

    /** What a process says to who introduces itself so, and hangs up. */
    private Verdict verdict(int process, Introduction introduction) throws IOException {
        return shakeHands(process, SECRET, introduction).verdict();
    }

    private ClientHandshake shakeHands(int process, byte[] secret, Introduction introduction) throws IOException {
        InetSocketAddress address = processes.get(process).fabric.addresses().get(0);
        ClientHandshake client = new ClientHandshake(secret, new SecureRandom(), introduction);
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            while (client.state() == Handshake.State.GOING_ON) {
                byte[] said = new byte[client.toWrite().remaining()];
                client.toWrite().get(said);
                socket.getOutputStream().write(said);
                byte[] heard = socket.getInputStream().readNBytes(client.wanted());
                if (heard.length < client.wanted()) {
                    client.closed();
                } else {
                    client.read(ByteBuffer.wrap(heard));
                }
            }
        }
        return client;
    }
}
