/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Service;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Processes of one job, each with real sockets on loopback, in this JVM. */
@Isolated("counts threads or memory of the whole JVM")
@Timeout(300)
class TcpFabricTest {
    private static final int UNKNOWN = 8;
    private static final int REGION_BYTES = 1 << 20;
    private static final byte[] SECRET = new byte[32];
    private static final Waiter.Check PATIENT = () -> {
    };

    private final List<Process> processes = new ArrayList<>();
    private final Arena arena = Arena.ofShared();

    /** One process: its fabric, a region, and what it has heard. */
    private final class Process implements FabricListener {
        final MemorySegment memory = arena.allocate(REGION_BYTES, Words.LINE_BYTES);
        final List<String> heard = Collections.synchronizedList(new ArrayList<>());
        final TcpFabric fabric;
        final long region;

        Process(int self, byte[] secret, int rails, Service service) {
            List<InetSocketAddress> addresses =
                    Collections.nCopies(rails, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            fabric = new TcpFabric(
                    new LocalProcess(self, secret, addresses, TcpFabricTest.this::addresses, 2000, 20_000), 9, this,
                    false, service);
            region = fabric.register(memory);
        }

        @Override
        public void news(int kind, long index, long value) {
            heard.add("news " + kind + " " + index + " " + value);
        }

        @Override
        public void left(int process) {
            heard.add("left " + process);
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            heard.add("lost " + process + ": " + reason);
        }

        @Override
        public void failed(Throwable cause) {
            heard.add("failed: " + cause);
        }
    }

    private List<InetSocketAddress> addresses(int process) {
        if (process == UNKNOWN) {
            throw new LinkageError("the directory is broken");
        }
        return processes.get(process).fabric.addresses();
    }

    private void start(int count, int rails) {
        start(count, rails, Service.SLEEP);
    }

    private void start(int count, int rails, Service service) {
        for (int i = 0; i < count; i++) {
            processes.add(new Process(i, SECRET, rails, service));
        }
    }

    @AfterEach
    void close() {
        processes.forEach(process -> process.fabric.close());
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldMakeBytesVisibleBeforeTheirWord(int rails) {
        start(2, rails);
        Process from = processes.get(0);
        Process to = processes.get(1);
        byte[] bytes = new byte[700_000];
        new Random(5).nextBytes(bytes);
        MemorySegment source = MemorySegment.ofArray(bytes);
        Waiter waiter = new Waiter(false, to.fabric);
        for (int round = 1; round <= 30; round++) {
            long length = round % 3 == 0 ? bytes.length : round * 37L;
            assertThat(from.fabric.put(new PutTarget().at(1, to.region, 4096).raise(64, round, -round), source, round,
                    length - round, PATIENT)).isTrue();
            from.fabric.flush();
            waiter.await(to.memory, 64, round, PATIENT);
            assertThat(Words.loadPlain(to.memory, 72)).isEqualTo(-round);
            assertThat(to.memory.asSlice(4096, length - round).mismatch(source.asSlice(round, length - round)))
                    .isEqualTo(-1);
        }
    }

    @Test
    void shouldPollForRanksThatComputeWhenAskedTo() throws InterruptedException {
        start(1, 1, Service.POLL);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] services = Arrays.stream(threads.dumpAllThreads(false, false))
                .filter(thread -> thread.getThreadName().equals("tutti service")).mapToLong(ThreadInfo::getThreadId)
                .toArray();
        assertThat(services).hasSize(1);
        while (threads.getThreadCpuTime(services[0]) < 100_000_000) { // asleep it takes less in an hour
            Thread.sleep(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Service.class)
    void shouldServeAProcessThatDoesNothing(Service service) {
        start(2, 1, service);
        Process from = processes.get(0);
        Process to = processes.get(1);
        MemorySegment source = MemorySegment.ofArray(new long[]{1, 2, 3});
        for (int round = 1; round <= 100; round++) {
            assertThat(from.fabric.put(new PutTarget().at(1, to.region, 0).add(64, 2), source, 0, 24, PATIENT))
                    .isTrue();
            assertThat(from.fabric.fence(1, PATIENT)).isTrue();
            assertThat(Words.load(to.memory, 64)).isEqualTo(2L * round);
        }
        assertThat(Words.loadPlain(to.memory, 16)).isEqualTo(3);
    }

    /** The service thread falls asleep after some of the rounds, and has just been woken in others. */
    @ParameterizedTest
    @EnumSource(Service.class)
    void shouldSendWhatIsGatheredWhateverItsCallerDoes(Service service) {
        start(2, 1, service);
        Process from = processes.get(0);
        Process to = processes.get(1);
        Random random = new Random(7);
        MemorySegment source = MemorySegment.ofArray(new long[1]);
        for (int round = 1; round <= 400; round++) {
            source.set(ValueLayout.JAVA_LONG, 0, round);
            for (int put = 0; put < 1 + round % 3; put++) {
                assertThat(from.fabric.put(new PutTarget().at(1, to.region, 8L * put).raise(64, 4L * round + put, 0),
                        source, 0, 8, PATIENT)).isTrue();
                from.fabric.flushSoon();
            }
            while (Words.load(to.memory, 64) < 4L * round + round % 3) { // and nobody polls
                Thread.onSpinWait();
            }
            assertThat(to.memory.get(ValueLayout.JAVA_LONG, 8L * (round % 3))).isEqualTo(round);
            for (long until = System.nanoTime() + random.nextLong(2_000_000); System.nanoTime() < until;) {
                if (round % 4 == 0) {
                    from.fabric.poll();
                }
            }
        }
    }

    @Test
    void shouldGetBytesAndDoAtomicOperations() {
        start(2, 2);
        Process from = processes.get(0);
        Process to = processes.get(1);
        byte[] bytes = new byte[300_000];
        new Random(6).nextBytes(bytes);
        MemorySegment.copy(bytes, 0, to.memory, ValueLayout.JAVA_BYTE, 128, bytes.length);
        byte[] got = new byte[bytes.length + 2];
        assertThat(from.fabric.get(1, to.region, 128, MemorySegment.ofArray(got), 1, bytes.length, PATIENT)).isTrue();
        assertThat(Arrays.copyOfRange(got, 1, 1 + bytes.length)).isEqualTo(bytes);

        long[] old = {-1};
        from.fabric.atomic(1, to.region, 8, AtomicOperation.FETCH_ADD, 5, 0, old, PATIENT);
        from.fabric.atomic(1, to.region, 8, AtomicOperation.FETCH_ADD, 7, 0, old, PATIENT);
        assertThat(old[0]).isEqualTo(5);
        from.fabric.atomic(1, to.region, 8, AtomicOperation.COMPARE_AND_SWAP, 1, 99, old, PATIENT);
        assertThat(old[0]).isEqualTo(12);
        from.fabric.atomic(1, to.region, 8, AtomicOperation.COMPARE_AND_SWAP, 1, 12, old, PATIENT);
        from.fabric.atomic(1, to.region, 8, AtomicOperation.SWAP, -3, 0, old, PATIENT);
        assertThat(old[0]).isEqualTo(1);
        assertThat(Words.load(to.memory, 8)).isEqualTo(-3);
        from.fabric.atomic(1, to.region, 12, AtomicOperation.FETCH_ADD_INT, 6, 0, old, PATIENT);
        assertThat(old[0]).isEqualTo(-1);
        assertThat(Words.load(to.memory, 8)).isEqualTo(5L << 32 | 0xffff_fffdL);
    }

    @Test
    void shouldRefuseWhatIsOutsideOfARegionOrInNone() {
        start(2, 1);
        Process from = processes.get(0);
        Process to = processes.get(1);
        MemorySegment source = MemorySegment.ofArray(new byte[100]).fill((byte) 1);
        long[][] wrong = {{to.region, REGION_BYTES - 99}, {to.region, -1}, {to.region, Long.MAX_VALUE - 50},
                {to.region + (1 << 16), 0}, {to.region + 1, 0}, {0, 0}};
        for (long[] place : wrong) {
            from.fabric.put(new PutTarget().at(1, place[0], place[1]), source, 0, 100, PATIENT);
            assertThatThrownBy(() -> from.fabric.get(1, place[0], place[1], source, 0, 100, PATIENT))
                    .isInstanceOf(IndexOutOfBoundsException.class).hasMessageContaining("rank 1 has refused");
        }
        for (long word : new long[]{-8, 4, REGION_BYTES - 8, REGION_BYTES, Long.MAX_VALUE - 7}) {
            from.fabric.put(new PutTarget().at(1, to.region, 0).raise(word, 1, 0), source, 0, 0, PATIENT);
        }
        for (AtomicOperation operation : AtomicOperation.values()) {
            for (long offset : new long[]{-8, 2, operation.bytes() / 2, REGION_BYTES - operation.bytes() / 2,
                    Long.MAX_VALUE - 7}) {
                assertThatThrownBy(
                        () -> from.fabric.atomic(1, to.region, offset, operation, 1, 0, new long[1], PATIENT))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
        from.fabric.fence(1, PATIENT);
        assertThat(to.memory.mismatch(arena.allocate(REGION_BYTES))).isEqualTo(-1);
        assertThat(to.fabric.accessesRefused())
                .isEqualTo(2 * wrong.length + 5 + 5 * AtomicOperation.values().length);
        to.fabric.revoke(to.region);
        assertThatThrownBy(() -> from.fabric.get(1, to.region, 0, source, 0, 100, PATIENT))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void shouldNotLockUpWhenBothSidesFillTheirSockets() throws InterruptedException {
        start(2, 1);
        List<Thread> threads = new ArrayList<>();
        MemorySegment source = arena.allocate(REGION_BYTES);
        for (int i = 0; i < 2; i++) {
            Fabric mine = processes.get(i).fabric;
            int other = 1 - i;
            long region = processes.get(other).region;
            MemorySegment target = arena.allocate(REGION_BYTES);
            for (int j = 0; j < 2; j++) {
                boolean gets = j == 1;
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int round = 0; round < 100; round++) {
                        if (gets) {
                            mine.get(other, region, 0, target, 0, REGION_BYTES, PATIENT);
                        } else {
                            mine.put(new PutTarget().at(other, region, 0), source, 0, REGION_BYTES, PATIENT);
                        }
                    }
                    mine.fence(other, PATIENT);
                }));
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(processes.get(0).heard).isEmpty();
    }

    @Test
    void shouldAnswerMoreThreadsThanThereMayBeRequests() throws InterruptedException {
        start(2, 1);
        Fabric mine = processes.get(0).fabric;
        long region = processes.get(1).region;
        int count = 2 * Requests.ENTRIES;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < 20; round++) {
                    mine.atomic(1, region, 0, AtomicOperation.FETCH_ADD, 1, 0, new long[1], PATIENT);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(Words.load(processes.get(1).memory, 0)).isEqualTo(20L * count);
    }

    @Test
    void shouldConnectAllWithAllAtTheSameTime() throws InterruptedException {
        start(8, 2);
        MemorySegment source = MemorySegment.ofArray(new long[]{1});
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int self = i;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int other = 0; other < 8; other++) {
                    if (other != self) {
                        Process to = processes.get(other);
                        Fabric mine = processes.get(self).fabric;
                        mine.put(new PutTarget().at(other, to.region, 0).add(0, 1), source, 0, 0, PATIENT);
                        mine.fence(other, PATIENT);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Process process : processes) {
            assertThat(Words.load(process.memory, 0)).isEqualTo(7);
            assertThat(process.fabric.processesConnected()).isEqualTo(7);
        }
    }

    @Test
    void shouldDeliverEverythingBeforeTheGoodbye() {
        start(2, 1);
        Process from = processes.get(0);
        Process to = processes.get(1);
        MemorySegment source = arena.allocate(REGION_BYTES).fill((byte) 7);
        from.fabric.put(new PutTarget().at(1, to.region, 0), source, 0, REGION_BYTES, PATIENT);
        from.fabric.close();
        assertThat(to.memory.mismatch(source)).isEqualTo(-1);
        assertThat(to.heard).containsExactly("left 0");
        while (to.fabric.put(new PutTarget().at(0, from.region, 0), source, 0, 8, PATIENT)) {
            Thread.onSpinWait(); // it hears at once that the other has left, but perhaps not yet that it is closed
        }
    }

    @Test
    void shouldFenceWhatAProcessHadBeforeItLeft() throws InterruptedException {
        start(2, 1);
        Process from = processes.get(0);
        Process to = processes.get(1);
        MemorySegment source = arena.allocate(REGION_BYTES).fill((byte) 7);
        from.fabric.put(new PutTarget().at(1, to.region, 64).raise(0, 1, 0), source, 0, 64, PATIENT);
        from.fabric.flush();
        while (Words.load(to.memory, 0) < 1) {
            Thread.sleep(1);
        }
        to.fabric.close();
        while (!from.fabric.isGone(1)) {
            from.fabric.poll();
        }
        assertThat(from.fabric.fence(1, PATIENT)).isTrue();
        assertThat(from.fabric.fenceAll(0)).isTrue();
        assertThat(from.fabric.put(new PutTarget().at(1, to.region, 64), source, 0, 64, PATIENT)).isFalse();
    }

    /** One connection is in use for longer than a process may be silent; the others are served meanwhile. */
    @Test
    void shouldServeOthersWhileOneTakesLong() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch served = new CountDownLatch(1);
        start(3, 1);
        Process busy = processes.get(0);
        Process sender = processes.get(1);
        Process other = processes.get(2);
        Thread rank = Thread.ofPlatform().unstarted(() -> {
            while (begun.getCount() > 0) {
                busy.fabric.poll();
            }
        });
        long slow = busy.fabric.register(arena.allocate(64, 64), new SlowAccumulator(rank, begun, served));
        put(other, busy, 1);
        rank.start();
        while (begun.getCount() > 0) { // the service thread may have taken the one before
            SectionPieces pieces = new SectionPieces();
            pieces.begin(0, arena.allocate(8), 0, 8);
            assertThat(sender.fabric.send(0, slow, pieces, 0, 1, 0, PATIENT)).isTrue();
            sender.fabric.flush();
            Thread.sleep(1);
        }
        try {
            put(other, busy, 2);
        } finally {
            served.countDown();
            rank.join();
        }
    }

    /** A thread that woke every 0.7 ms while its rank polls would wake 280 times, and there are two. */
    @Test
    void shouldSleepLongerWhileRanksPoll() {
        Set<Thread> before = serviceThreads();
        start(2, 1);
        put(processes.get(1), processes.get(0), 1);
        Set<Thread> threads = serviceThreads();
        threads.removeAll(before);
        assertThat(threads).hasSize(2);
        poll(400);
        long parks = parks(threads);
        poll(200);
        assertThat(parks(threads) - parks).isBetween(1L, 150L);
        put(processes.get(1), processes.get(0), 2);
    }

    private static Set<Thread> serviceThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("tutti service"))
                .collect(Collectors.toSet());
    }

    private static long parks(Set<Thread> threads) {
        return threads.stream().mapToLong(thread -> ManagementFactory.getThreadMXBean()
                .getThreadInfo(thread.threadId()).getWaitedCount()).sum();
    }

    private void poll(long millis) {
        processes.forEach(process -> process.fabric.beginPolling());
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() - end < 0) {
            processes.forEach(process -> process.fabric.poll());
        }
        processes.forEach(process -> process.fabric.endPolling(false));
    }

    private static void put(Process from, Process to, long value) {
        assertThat(
                from.fabric.put(new PutTarget().at(0, to.region, 64).raise(0, value, 0), from.memory, 0, 64, PATIENT))
                .isTrue();
        assertThat(from.fabric.fence(0, PATIENT)).isTrue();
        assertThat(Words.load(to.memory, 0)).isEqualTo(value);
    }

    /** Takes a rank's thread as long as a put of very many bytes would. */
    private record SlowAccumulator(Thread rank, CountDownLatch begun, CountDownLatch served) implements RegionHandler {
        @Override
        public boolean accepts(int operation, long offset, long bytes) {
            return true;
        }

        @Override
        public long handle(int process, int operation, long scale, long imaginary, long offset, MemorySegment source,
                long sourceOffset, long bytes) {
            if (!Thread.currentThread().equals(rank)) {
                return bytes;
            }
            begun.countDown();
            try {
                return served.await(20, TimeUnit.SECONDS) ? bytes : REFUSED;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void shouldLeaveWhileItConnects() throws InterruptedException {
        start(1, 2);
        Random random = new Random(9);
        for (int round = 0; round < 200; round++) {
            Process leaving = new Process(1, SECRET, 2, Service.SLEEP);
            processes.add(leaving);
            leaving.fabric.tell(0, 7, round, round); // begins to connect
            for (long untilNanos = System.nanoTime() + random.nextLong(2_000_000); System.nanoTime() < untilNanos;) {
                Thread.onSpinWait();
            }
            leaving.fabric.close();
            processes.remove(leaving);
            Process staying = processes.get(0);
            while (staying.fabric.processesConnected() > 0) {
                Thread.sleep(1);
            }
            assertThat(staying.heard).as("round " + round).noneMatch(each -> each.startsWith("lost"));
            processes.remove(staying);
            staying.fabric.close();
            start(1, 2);
        }
    }

    @Test
    void shouldBlameItselfWhenItsServiceThreadCannotGoOn() throws InterruptedException {
        start(2, 1);
        Process failing = processes.get(0);
        Process other = processes.get(1);
        put(other, failing, 1);
        assertThat(failing.fabric.put(new PutTarget().at(UNKNOWN, 0, 0), arena.allocate(8), 0, 8, PATIENT))
                .isFalse();
        while (!failing.fabric.isGone(1) || !other.fabric.isGone(0)) {
            Thread.sleep(1);
        }
        assertThat(failing.heard.get(0)).isEqualTo("failed: java.lang.LinkageError: the directory is broken");
        assertThat(failing.heard.stream().filter(each -> each.startsWith("failed"))).hasSize(1);
        assertThat(other.heard).hasSize(1);
        assertThat(other.heard.get(0)).startsWith("lost 0: ");
    }

    @Test
    void shouldGiveBackWhatItHadForProcessesThatAreGone() throws InterruptedException {
        int rails = 4;
        start(1, rails);
        Process staying = processes.get(0);
        int descriptors = ManyProcessesTest.descriptors();
        long bytes = DirectMemory.bytesInUse();
        for (int other = 1; other < UNKNOWN; other++) {
            Process leaving = new Process(other, SECRET, rails, Service.SLEEP);
            put(leaving, staying, other);
            leaving.fabric.close();
        }
        while (ManyProcessesTest.descriptors() > descriptors + rails) { // nobody waits for arrivals meanwhile
            Thread.sleep(1);
        }
        while (DirectMemory.bytesInUse() > bytes + RetransmitBuffer.BYTES) {
            Thread.sleep(10);
        }
    }

    @Test
    void shouldReportAProcessThatCannotBeReached() {
        start(2, 1);
        processes.get(1).fabric.close();
        MemorySegment source = arena.allocate(8);
        assertThat(processes.get(0).fabric.put(new PutTarget().at(1, 0, 0), source, 0, 8, PATIENT)).isFalse();
        assertThat(processes.get(0).heard).hasSize(1);
        assertThat(processes.get(0).heard.get(0))
                .startsWith("lost 1: rail 0 from 127.0.0.1 does not reach 127.0.0.1:");
    }

    @Test
    void shouldTellNews() throws InterruptedException {
        start(2, 1);
        while (!processes.get(0).fabric.tell(1, 3, 4, 5)) {
            Thread.sleep(1);
        }
        processes.get(0).fabric.fence(1, PATIENT);
        assertThat(processes.get(1).heard).containsExactly("news 3 4 5");
    }
}
