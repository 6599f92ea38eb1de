/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.collective.layout.RingLayout;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.Loss;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** News of broken communicators, at one process of a job of four nodes of two processes, each of one rank. */
class GossipTest {
    private static final int SIZE = 8;
    private static final int NODES = 4;
    private static final int RANKS_PER_NODE = 2;
    private static final int NODE = 1;
    private static final int MASTER = 2;
    private static final int STATE = 1;
    private static final int BROKEN = 3;
    private static final long WORLD = 0;
    private static final long ID = 7;
    private static final long WORD = 0x0200_0000_0000_0002L;

    private final Memory memory = new PrivateMemory();
    private final Node node = Node.create(memory, memory.claim(NodeLayout.bytes(SIZE), "a test"),
            new NodeShape("test", SIZE, NODE, NODES, RANKS_PER_NODE), Secret.random(), false);
    private final MemorySegment ring = ring();

    /** What was told of broken communicators, as process, id and word; the process is −1 for all at once. */
    private final List<List<Long>> told = new ArrayList<>();

    /** What was told of ranks, as process and rank; the process is −1 for all at once. */
    private final List<List<Integer>> toldOfRanks = new ArrayList<>();
    private final Set<Integer> deaf = new HashSet<>();
    private final Set<Integer> abandoned = new HashSet<>();
    private final Fabric fabric = (Fabric) Proxy.newProxyInstance(Fabric.class.getClassLoader(),
            new Class<?>[]{Fabric.class}, (_, method, arguments) -> switch (method.getName()) {
                case "tell" -> tell((int) arguments[0], (int) arguments[1], (long) arguments[2], (long) arguments[3]);
                case "tellAll" -> tell(-1, (int) arguments[0], (long) arguments[1], (long) arguments[2]);
                case "isGone", "isSilent" -> false;
                case "abandon" -> abandon((int) arguments[0]);
                default -> null;
            });

    private boolean tell(int process, int kind, long id, long word) {
        if (kind == BROKEN && !deaf.contains(process)) {
            told.add(List.of((long) process, id, word));
        }
        if (kind == STATE) {
            toldOfRanks.add(List.of(process, (int) id));
        }
        return !deaf.contains(process);
    }

    private Object abandon(int process) {
        abandoned.add(process);
        return null;
    }

    @BeforeEach
    void meet() {
        for (int rank = 0; rank < SIZE; rank++) {
            register(rank, rank);
            node.markJoinedElsewhere(rank);
        }
        node.directory().complete();
    }

    private void register(int rank, int firstRankOfProcess) {
        node.directory().write(rank, new NodeShape("test", SIZE, rank / RANKS_PER_NODE, NODES, RANKS_PER_NODE),
                firstRankOfProcess, "host", 0, List.of(List.of(new InetSocketAddress("127.0.0.1", 1))));
    }

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void shouldHearThatACommunicatorIsBrokenThatItKnowsAndNoOther() {
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        gossip.news(BROKEN, ID, WORD);
        assertThat(broken(ring)).isEqualTo(WORD);
        assertThat(broken(node.ring())).isZero();
        gossip.news(BROKEN, WORLD, WORD + 1);
        assertThat(broken(ring)).isEqualTo(WORD);
        assertThat(broken(node.ring())).isEqualTo(WORD + 1);
    }

    /** No reason, reasons that do not exist, a culprit outside the job or missing, and witnesses that are no ranks. */
    @ParameterizedTest
    @ValueSource(longs = {0, 2, 0x0900_0000_0000_0000L, 0xff00_0000_0000_0000L, 0x0400_0009_0000_0000L,
            0x0400_0000_0000_0000L, 0x0200_0000_0000_0003L, 0x0200_0000_8000_0000L})
    void shouldForgetWhatMakesNoSense(long word) {
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        gossip.news(BROKEN, ID, word);
        assertThat(broken(ring)).isZero();
    }

    @Test
    void shouldForgetWhatItHearsOfACommunicatorThatItDoesNotKnow() {
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        gossip.news(BROKEN, ID + 1, WORD);
        assertThat(List.of(broken(ring), broken(node.ring()))).containsOnly(0L);
        assertThat(gossip.spread()).isTrue();
        assertThat(told).isEmpty();
    }

    @Test
    void shouldTellTheNodesBesideItThatHaveRanksOfTheCommunicator() {
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        Words.store(ring, RingLayout.BROKEN, WORD);
        assertThat(gossip.spread()).isTrue();
        assertThat(told).containsExactlyInAnyOrder(List.of(-1L, ID, WORD), List.of(5L, ID, WORD),
                List.of(7L, ID, WORD));
        told.clear();
        assertThat(gossip.spread()).isTrue();
        assertThat(told).as("all know it").isEmpty();
    }

    @Test
    void shouldTellTheNodesBesideItThatTheWorldIsBroken() {
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        Words.store(node.ring(), RingLayout.BROKEN, WORD);
        assertThat(gossip.spread()).isTrue();
        assertThat(told).containsExactlyInAnyOrder(List.of(-1L, WORLD, WORD), List.of(4L, WORLD, WORD),
                List.of(0L, WORLD, WORD));
    }

    @Test
    void shouldLeaveItToTheLowestOfTheCommunicatorsRanksOnItsNode() {
        Gossip gossip = gossip(3, MASTER, 3, 5);
        Words.store(ring, RingLayout.BROKEN, WORD);
        assertThat(gossip.spread()).isTrue();
        assertThat(told).containsExactly(List.of(-1L, ID, WORD));
        node.markLeft(MASTER);
        assertThat(gossip.spread()).isTrue();
        assertThat(told).as("until that has left").contains(List.of(5L, ID, WORD));
    }

    /** Ranks 2 and 3 are on one node, and do not share memory of the communicator. */
    @Test
    void shouldTellTheProcessesBesideItWhereEachRankIsANode() {
        Gossip gossip = gossip(3, true, 1, 2, 3, 6);
        Words.store(ring, RingLayout.BROKEN, WORD);
        assertThat(gossip.spread()).isTrue();
        assertThat(told).containsExactlyInAnyOrder(List.of(-1L, ID, WORD), List.of(2L, ID, WORD),
                List.of(6L, ID, WORD));
    }

    @Test
    void shouldAbandonAProcessWhenNoneOfItsRanksTakesPart() {
        register(7, 6);
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        node.markFailed(RankFailure.threw(5));
        node.markFailed(RankFailure.threw(6));
        gossip.spread();
        assertThat(abandoned).as("rank 7 goes on in the process of rank 6").containsExactly(5);
        node.markFailed(RankFailure.threw(7));
        gossip.spread();
        assertThat(abandoned).containsExactlyInAnyOrder(5, 6);
    }

    @Test
    void shouldTellOfTheFirstFailureBeforeThoseThatItCaused() {
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        node.markFailed(RankFailure.threw(7));
        node.markFailed(RankFailure.threw(3));
        node.markFailed(RankFailure.threw(5));
        assertThat(gossip.spread()).isTrue();
        for (int process : new int[]{-1, 0, 4}) {
            assertThat(toldOfRanks.stream().filter(each -> each.getFirst() == process).map(List::getLast)
                    .filter(rank -> rank != MASTER)).as("told %d", process).containsExactly(7, 3, 5);
        }
    }

    @Test
    void shouldAccuseNobodyWhenNoneOfItsRanksTakesPart() {
        Gossip gossip = gossip(MASTER, MASTER, 5, 7);
        gossip.lost(5, Loss.ENDED, "a test");
        assertThat(node.state(5)).isEqualTo(NodeLayout.FAILED);
        node.markFailed(RankFailure.threw(MASTER));
        gossip.lost(7, Loss.ENDED, "a test");
        assertThat(node.state(7)).isEqualTo(NodeLayout.JOINED);
    }

    @Test
    void shouldTellAgainWhenItCouldNotBeTold() {
        Gossip gossip = gossip(MASTER, MASTER, 5);
        Words.store(ring, RingLayout.BROKEN, WORD);
        deaf.add(5);
        assertThat(gossip.spread()).isFalse();
        deaf.clear();
        told.clear();
        assertThat(gossip.spread()).isTrue();
        assertThat(told).contains(List.of(5L, ID, WORD));
    }

    @Test
    void shouldTellTheNextOfANodeWhenTheOneHasLeftThatWasTold() {
        Gossip gossip = gossip(MASTER, MASTER, 4, 5);
        Words.store(ring, RingLayout.BROKEN, WORD);
        gossip.spread();
        assertThat(told).contains(List.of(4L, ID, WORD)).doesNotContain(List.of(5L, ID, WORD));
        node.markLeft(4);
        gossip.spread();
        assertThat(told).contains(List.of(5L, ID, WORD));
    }

    @Test
    void shouldTellANewcomerWhatHasBeenToldToAll() {
        Gossip gossip = gossip(MASTER, MASTER, 5);
        Words.store(ring, RingLayout.BROKEN, WORD);
        gossip.spread();
        told.clear();
        gossip.connected(6);
        gossip.spread();
        assertThat(told).containsExactly(List.of(-1L, ID, WORD));
    }

    private Gossip gossip(int self, int... ranks) {
        return gossip(self, false, ranks);
    }

    private Gossip gossip(int self, boolean isFlat, int... ranks) {
        Gossip gossip = new Gossip(node, node.directory(), self, 10_000, 10_000);
        gossip.setFabric(fabric);
        gossip.know(ID, ring, ranks, isFlat);
        return gossip;
    }

    private MemorySegment ring() {
        long bytes = new RingLayout(NODES, 1).bytes();
        return memory.block(memory.claim(bytes, "a test"), bytes);
    }

    private static long broken(MemorySegment of) {
        return Words.load(of, RingLayout.BROKEN);
    }
}
