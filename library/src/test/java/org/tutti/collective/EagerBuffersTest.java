/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.CollectiveMismatchException;
import org.tutti.DataType;
import org.tutti.RankFailedException;
import org.tutti.Topology;
import org.tutti.collective.broadcast.SrmBroadcast;
import org.tutti.collective.gather.DirectGather;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.window.WindowPool;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.WordAction;
import org.tutti.job.CountedMemory;
import org.tutti.job.LocalNodes;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A communicator costs little until its first long message between nodes; then its eager buffers are claimed once. */
@Timeout(60)
class EagerBuffersTest {
    private static final int SENDER = 0;
    private static final int RECEIVER = 1;
    private static final int NODES = 2;
    private static final int SHORT = 7;
    private static final int LONG = 1000;
    private static final int BLOCK = 4 << 10; // elements, so that a block exceeds the eager buffer of a pair
    private static final int LONG_BUFFERS = 16;

    /** Two nodes of one rank have 64 slots with an edge for each other node and one more. */
    private static final long EAGER_BUFFERS_BYTES = 64 * eagerBuffersOfSlot(NODES, 2);

    private final AtomicLong claimed = new AtomicLong();
    private final Memory[] memories = {new CountedMemory(claimed), new CountedMemory(claimed)};
    private final Map<Long, MemorySegment> regions = new ConcurrentHashMap<>();
    private final NodeView[] views = new NodeView[NODES];
    private final long[] addresses = new long[NODES];
    private final ScriptedMembers members = new ScriptedMembers();
    private final EndpointTable endpoints;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    EagerBuffersTest() {
        long[] handles = new long[NODES];
        RingLayout layout = new RingLayout(NODES, 1);
        for (int node = 0; node < NODES; node++) {
            views[node] = new NodeView(new Topology(new int[]{0, 1}), node);
            addresses[node] = memories[node].claim(layout.bytes(), "a test");
            handles[node] = register(memories[node].block(addresses[node], layout.bytes()));
        }
        this.endpoints = new EndpointTable(new int[]{0, 1}, handles);
        claimed.set(0);
    }

    @AfterEach
    void close() {
        threads.shutdownNow(); // a failed test leaves calls waiting
        threads.close();
        for (Memory memory : memories) {
            memory.close();
        }
    }

    // ---- how much

    /** Edges have a line and 64 KiB; pairs with up to four nodes two lines, 16 KiB and a quarter of a long buffer. */
    private static long eagerBuffersOfSlot(int nodes, int edges) {
        return edges * (64 + (64L << 10)) + nodes * (128 + (16L << 10) + (64L << 10) / 4);
    }

    /** A rank has a line to say at its end what it has called. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 48, 63, 64})
    void shouldTakeSixteenKibibytesARankAndSixtyFourANodeAtMostWhenACommunicatorIsNew(int nodes) {
        for (int ranks : new int[]{1, 2, 3, 4, 8, 16, 64, 256}) {
            assertThat(new RingLayout(nodes, ranks).bytes()).as(ranks + " ranks")
                    .isLessThanOrEqualTo(ranks * (64 + (16L << 10)) + (64L << 10));
        }
    }

    @ParameterizedTest
    @CsvSource({"1024", "4095", "4096"})
    void shouldTakeSixtyFourMebibytesAtMostWhenThousandsOfNodesHaveHadLongMessages(int nodes) {
        for (int ranks : new int[]{1, 8, 64, 256}) {
            RingLayout layout = new RingLayout(nodes, ranks);
            assertThat(layout.bytes() + layout.eagerBuffersBytes()).as(ranks + " ranks").isLessThanOrEqualTo(64L << 20);
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 64, 2", "3, 32, 3", "4, 32, 4"})
    void shouldClaimEagerBuffersOfEachNodeOnceWhenTheFirstMessageIsLong(int nodes, int slots, int edges) {
        AtomicLong all = new AtomicLong();
        int[] oneRankEach = new int[nodes];
        Arrays.setAll(oneRankEach, node -> node);
        LocalNodes.run(oneRankEach, () -> new CountedMemory(all), job -> {
            job.world().barrier();
            long before = all.get();
            for (int i = 0; i < 3 * slots; i++) {
                int[] value = {job.rank() == 0 ? i : -1};
                job.world().broadcast(value, 0);
                assertThat(value[0]).isEqualTo(i);
            }
            job.world().barrier();
            assertThat(all.get()).isEqualTo(before);
            job.world().barrier();
            for (int i = 0; i < 3 * slots; i++) {
                long[] values = new long[LONG];
                Arrays.fill(values, job.rank() == 0 ? i : -1);
                job.world().withAlgorithm(Collective.BROADCAST, "srm").broadcast(values, 0);
                assertThat(values).containsOnly(i);
            }
            job.world().barrier();
            assertThat(all.get() - before).isEqualTo(nodes * slots * eagerBuffersOfSlot(nodes, edges));
        });
    }

    // ---- the first long message

    @Test
    void shouldWaitForAReceiverThatEntersLateWhenTheFirstMessageIsLong() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        Team sender = team(SENDER, asked::countDown);
        Team receiver = team(RECEIVER, () -> {});
        Future<long[]> sent = threads.submit(() -> broadcast(sender, LONG, SENDER, 5));
        asked.await();
        assertThat(claimed.get()).isEqualTo(EAGER_BUFFERS_BYTES); // the sender's own
        assertThat(broadcast(receiver, LONG, SENDER, 0)).hasSize(LONG).containsOnly(5);
        assertThat(sent.get()).containsOnly(5);
        assertThat(claimed.get()).isEqualTo(2 * EAGER_BUFFERS_BYTES);
    }

    @Test
    void shouldWaitForNobodyWhenMessagesAreShort() {
        Team sender = team(SENDER, () -> {
            throw new AssertionError("the sender waits");
        });
        Team receiver = team(RECEIVER, () -> {});
        broadcast(sender, SHORT, SENDER, 5);
        assertThat(broadcast(receiver, SHORT, SENDER, 0)).containsOnly(5);
        assertThat(claimed.get()).isZero();
    }

    /** A rank with a request that has not run may be as many operations ahead of it as there are slots. */
    @Test
    void shouldWaitForARequestOfAnotherNodeBeforeItsSlotIsUsedAgain() {
        AtomicReference<long[]> received = new AtomicReference<>();
        Team receiver = team(RECEIVER, () -> {});
        Data request = new Data(receiver.forBackground(machine(() -> {})), SHORT, SENDER, 0);
        Team sender = team(SENDER, () -> received.compareAndSet(null, request.run()));
        new Data(sender.forBackground(machine(() -> {})), SHORT, SENDER, 11).run();
        for (int i = 1; i < 64; i++) {
            broadcast(receiver, SHORT, RECEIVER, i);
            assertThat(broadcast(sender, SHORT, RECEIVER, 0)).containsOnly(i);
        }
        broadcast(sender, SHORT, SENDER, 22);
        assertThat(received.get()).containsOnly(11);
        assertThat(broadcast(receiver, SHORT, SENDER, 0)).containsOnly(22);
    }

    /** Four slots share a long buffer, so an operation uses it again before the slot is used again. */
    @Test
    void shouldWaitForARequestOfAnotherNodeBeforeItsLongBufferIsUsedAgain() throws Exception {
        AtomicReference<long[]> received = new AtomicReference<>();
        Team receiver = team(RECEIVER, () -> {});
        AtomicReference<Runnable> whenPausing = new AtomicReference<>(EagerBuffersTest::letOthersRun);
        Team sender = team(SENDER, () -> whenPausing.get().run());
        Future<long[]> first = threads.submit(() -> broadcast(receiver, LONG, SENDER, 0));
        broadcast(sender, LONG, SENDER, 5); // the sender finds out where the eager buffers of the receiver are
        assertThat(first.get()).containsOnly(5);
        Gathered request = new Gathered(receiver.forBackground(machine(() -> {})), RECEIVER, 0);
        whenPausing.set(() -> received.compareAndSet(null, request.run()));
        new Gathered(sender.forBackground(machine(() -> {})), RECEIVER, 11).run();
        for (int i = 1; i < LONG_BUFFERS; i++) {
            broadcast(receiver, SHORT, RECEIVER, i);
            assertThat(broadcast(sender, SHORT, RECEIVER, 0)).containsOnly(i);
        }
        assertThat(received.get()).isNull();
        new Gathered(sender, RECEIVER, 22).run();
        assertThat(received.get()).containsOnly(11);
        assertThat(new Gathered(receiver, RECEIVER, 0).run()).containsOnly(22);
    }

    @Test
    void shouldThrowWhenTheReceiverFailsBeforeItEntersTheFirstLongMessage() {
        Team sender = team(SENDER, () -> members.fail(RECEIVER));
        assertThatThrownBy(() -> broadcast(sender, LONG, SENDER, 5)).isInstanceOf(RankFailedException.class);
    }

    @Test
    void shouldThrowWhenTheReceiverLeavesBeforeItEntersTheFirstLongMessage() {
        Team sender = team(SENDER, () -> members.leave(RECEIVER));
        assertThatThrownBy(() -> broadcast(sender, LONG, SENDER, 5)).isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank 1 has left");
    }

    @Test
    void shouldSaySoWhenTheReceiverIsInAnotherCallInsteadOfTheFirstLongMessage() {
        Team receiver = team(RECEIVER, () -> {});
        Team sender = team(SENDER, () -> {
            if (receiver.context.operations.history() == 0) {
                broadcast(receiver, SHORT, RECEIVER, 5); // both believe that they are the root
            }
        });
        assertThatThrownBy(() -> broadcast(sender, LONG, SENDER, 5)).isInstanceOf(CollectiveMismatchException.class);
    }

    @Test
    void shouldClaimOnceWhenTheFirstLongMessagesOfSeveralThreadsAreConcurrent() throws Exception {
        int calls = OperationSequence.AT_ONCE_MAX;
        List<Future<long[]>> results = new ArrayList<>();
        for (int rank = 0; rank < NODES; rank++) {
            Team blocking = team(rank, EagerBuffersTest::letOthersRun);
            List<Callable<long[]>> all = new ArrayList<>();
            CountDownLatch begun = new CountDownLatch(calls);
            for (int i = 0; i < calls; i++) {
                Team team = blocking.forBackground(machine(EagerBuffersTest::letOthersRun));
                Data data = new Data(team, LONG, i % NODES, 100 + i);
                all.add(() -> {
                    begun.countDown();
                    begun.await();
                    return data.run();
                });
            }
            for (Callable<long[]> each : all) {
                results.add(threads.submit(each));
            }
        }
        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).get()).hasSize(LONG).containsOnly(100 + i % calls);
        }
        assertThat(claimed.get()).isEqualTo(2 * EAGER_BUFFERS_BYTES);
    }

    // ---- two nodes whose masters reach each other's memory

    private Team team(int rank, Runnable whenPausing) {
        return new Team(machine(whenPausing), members, new WindowPool(memories[rank], views[rank].windowBytesMax()),
                addresses[rank], rank, views[rank], endpoints);
    }

    private static long[] broadcast(Team team, int elements, int root, long value) {
        return new Data(team, elements, root, value).run();
    }

    /** A broadcast that was drawn; the root has the value in all elements. */
    private static final class Data {
        private final Team team;
        private final Call call = new Call();
        private final long[] elements;

        Data(Team team, int count, int root, long value) {
            this.team = team;
            this.elements = new long[count];
            Arrays.fill(elements, team.rank() == root ? value : -1);
            MemorySegment segment = MemorySegment.ofArray(elements);
            call.set(SrmBroadcast.BINOMIAL, root, Long.MAX_VALUE);
            call.setElements(segment, segment, DataType.LONG, count, null);
            call.draw(team);
        }

        long[] run() {
            call.run(team);
            return elements;
        }
    }

    /** A gather that was drawn, of blocks that need a long buffer; all elements of a block have one value. */
    private static final class Gathered {
        private final Team team;
        private final Call call = new Call();
        private final long[] blocks = new long[NODES * BLOCK];

        Gathered(Team team, int root, long value) {
            this.team = team;
            long[] block = new long[BLOCK];
            Arrays.fill(block, value);
            call.set(new DirectGather(), root, Long.MAX_VALUE);
            call.setElements(MemorySegment.ofArray(block), MemorySegment.ofArray(blocks), DataType.LONG, BLOCK, null);
            call.draw(team);
        }

        /** Returns the block of the sender. */
        long[] run() {
            call.run(team);
            return Arrays.copyOfRange(blocks, SENDER * BLOCK, (SENDER + 1) * BLOCK);
        }
    }

    private long register(MemorySegment memory) {
        long handle = memory.address();
        regions.put(handle, memory);
        return handle;
    }

    /** Virtual threads that only yield can keep each other from running. */
    private static void letOthersRun() {
        LockSupport.parkNanos(1);
    }

    /** Puts and gets what it reaches at once. */
    private Machine machine(Runnable whenPausing) {
        LiveMachine live = new LiveMachine(new Waiter(false));
        return (Machine) Proxy.newProxyInstance(Machine.class.getClassLoader(), new Class<?>[]{Machine.class},
                (_, method, arguments) -> {
                    switch (method.getName()) {
                        case "put" -> put((PutTarget) arguments[0], (PutSource) arguments[1]);
                        case "get" -> {
                            MemorySegment.copy(regions.get((long) arguments[1]), (long) arguments[2],
                                    (MemorySegment) arguments[3], (long) arguments[4], (long) arguments[5]);
                            return Machine.Reply.GIVEN;
                        }
                        case "register" -> {
                            return register((MemorySegment) arguments[0]);
                        }
                        case "pause" -> whenPausing.run();
                        case "flush" -> {
                        }
                        default -> {
                            return method.invoke(live, arguments);
                        }
                    }
                    return method.getReturnType() == boolean.class ? true : null;
                });
    }

    private void put(PutTarget target, PutSource source) {
        MemorySegment memory = regions.get(target.region());
        source.copy(0, memory, target.offset(), source.bytes());
        if (target.action() == WordAction.RAISE) {
            Words.storePlain(memory, target.word() + Long.BYTES, target.tag());
            Words.store(memory, target.word(), target.value());
        }
    }
}
