/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.choice.Catalogue;
import org.tutti.job.CountedMemory;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Groups of ranks wherever these are: what they compute, beside other groups and the communicator they come from. */
@Timeout(300)
@Tag("sampled")
class GroupsTest {
    /** With the eager buffers of two nodes. */
    static final long GROUP_BYTES = 9 << 20;

    /** For each rank its node. */
    static Stream<int[]> placements() {
        return Rows.sampled(Stream.of(new int[]{0}, new int[]{0, 0}, new int[]{0, 0, 0, 0, 0}, new int[]{0, 1},
                new int[]{0, 1, 0, 1}, new int[]{0, 1, 2, 1, 0, 0}, new int[]{0, 0, 1, 1, 1}));
    }

    /** AssertJ would take longer than the calls. */
    private static void assertAll(long[] data, long expected) {
        assertThat(LongStream.of(data).filter(each -> each != expected).findFirst()).as("not %s", expected).isEmpty();
    }

    /** Uses each collective, and checks the results by the ranks that the group is said to have. */
    private static void use(Communicator group, int... ranks) {
        assertThat(group.size()).isEqualTo(ranks.length);
        int self = group.rank();
        for (int bytes : new int[]{8, 200, 100_000}) {
            int count = bytes / Long.BYTES;
            long[] data = new long[count];
            Arrays.fill(data, ranks[self]);
            group.allreduce(data, Reduction.SUM);
            assertAll(data, IntStream.of(ranks).sum());
            for (int root = 0; root < ranks.length; root++) {
                Arrays.fill(data, ranks[self]);
                group.broadcast(data, root);
                assertAll(data, ranks[root]);
                Arrays.fill(data, ranks[self]);
                group.reduce(data, Reduction.MAX, root);
                assertAll(data, self == root ? IntStream.of(ranks).max().orElseThrow() : ranks[self]);
            }
        }
        group.barrier();
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldSplitByColorInTheOrderOfTheKeys(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            int self = world.rank();
            try (Communicator group = world.split(self % 2, -self)) {
                int[] expected = IntStream.range(0, world.size()).map(each -> world.size() - 1 - each)
                        .filter(each -> each % 2 == self % 2).toArray();
                assertThat(expected[group.rank()]).isEqualTo(self);
                use(group, expected);
                use(world, IntStream.range(0, world.size()).toArray());
                use(group, expected);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldLetRanksSitOut(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            int self = world.rank();
            OptionalInt color =
                    self % 3 == 0 ? OptionalInt.empty() : OptionalInt.of(self % 3 * (Integer.MAX_VALUE / 2));
            try (Communicator group = world.split(color, Integer.MIN_VALUE + self / 3).orElse(null)) {
                assertThat(group == null).isEqualTo(color.isEmpty());
                if (group != null) {
                    use(group, IntStream.range(0, world.size()).filter(each -> each % 3 == self % 3).toArray());
                }
                use(world, IntStream.range(0, world.size()).toArray());
            }
            assertThat(world.split(OptionalInt.empty(), 0)).isEmpty();
            assertThatThrownBy(() -> world.split(OptionalInt.of(-1), 0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("rank " + self + " called split with color -1; a color is 0 or more");
        });
    }

    @Test
    void shouldRefuseToFlattenThreadsOfOneProcess() {
        LocalNodes.run(new int[]{0, 1, 1}, job -> {
            Communicator world = job.world();
            assertThatThrownBy(world::flatten).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("rank " + world.rank() + " cannot call flatten, because rank 1 and rank 2 are threads "
                            + "of one process, and the network connects only processes; start a process for each "
                            + "rank");
            use(world, 0, 1, 2);
            try (Communicator pair = world.rank() < 2 ? world.create(1, 0) : null) {
                if (pair != null) {
                    try (Communicator flat = pair.flatten()) {
                        use(flat, 1, 0);
                        assertThat(flat.topology().nodes()).isEqualTo(2);
                    }
                }
            }
        });
    }

    @Test
    void shouldFlattenARankAlone() {
        LocalNodes.run(new int[]{0}, job -> {
            try (Communicator flat = job.world().flatten()) {
                use(flat, 0);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE - 3})
    void shouldOrderByAnyKey(int least) {
        LocalNodes.run(new int[]{0, 1, 0, 0}, job -> {
            Communicator world = job.world();
            try (Communicator group = world.split(Integer.MAX_VALUE, least + (world.rank() + 2) % 4)) {
                use(group, 2, 3, 0, 1);
            }
        });
    }

    @Test
    void shouldFindRanksInOtherCommunicators() {
        var others = new Communicator[1];
        LocalNodes.run(new int[]{0, 1, 0, 1}, job -> {
            Communicator world = job.world();
            if (world.rank() == 1) {
                others[0] = world;
            }
            try (Communicator back = world.split(0, -world.rank());
                    Communicator half = back.split(back.rank() / 2, 0)) {
                for (int rank = 0; rank < 4; rank++) {
                    assertThat(back.rankIn(world, rank)).hasValue(3 - rank);
                    assertThat(world.rankIn(back.withDeadline(Duration.ofDays(1)), rank)).hasValue(3 - rank);
                    assertThat(world.rankIn(world, rank)).hasValue(rank);
                    int first = world.rank() < 2 ? 1 : 3; // whose number in its half is 0
                    assertThat(world.rankIn(half, rank)).isEqualTo(rank / 2 == world.rank() / 2
                            ? OptionalInt.of(first - rank) : OptionalInt.empty());
                }
                assertThat(half.rankIn(world, half.rank())).hasValue(world.rank());
                assertRefused("rank 2 is not one of this communicator, whose ranks are 0 to 1",
                        () -> half.rankIn(world, 2));
                assertRefused("rank -1 is not one of this communicator, whose ranks are 0 to 1",
                        () -> half.rankIn(world, -1));
                if (world.rank() == 0) {
                    assertRefused("rank 0 cannot find rank 3 in a communicator that is not one of its own; "
                            + "both must be those of the same rank", () -> world.rankIn(others[0], 3));
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldMakeAGroupOfItsMembersOnly(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            int[] ranks = IntStream.range(0, world.size()).map(each -> each * 2 % world.size() + (world.size() % 2 == 0
                    && each * 2 >= world.size() ? 1 : 0)).limit(Math.max(1, world.size() - 1)).toArray();
            for (int time = 0; time < 3 && IntStream.of(ranks).anyMatch(each -> each == world.rank()); time++) {
                try (Communicator group = world.create(ranks)) {
                    use(group, ranks);
                }
            }
            use(world, IntStream.range(0, world.size()).toArray());
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldDuplicateAndSplitByNode(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            int[] all = IntStream.range(0, world.size()).toArray();
            int[] here = IntStream.of(all).filter(each -> nodeOfRank[each] == nodeOfRank[world.rank()]).toArray();
            try (Communicator same = world.duplicate();
                    Communicator node = same.splitByNode();
                    Communicator alone = node.create(node.rank())) {
                use(same, all);
                assertThat(node.topology().nodes()).isEqualTo(1);
                use(node, here);
                use(alone, world.rank());
                use(world, all);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldGiveMemoryThatAGroupReaches(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            try (Communicator group = world.split(world.rank() % 2, -world.rank());
                    RemoteMemory memory = group.allocate(DataType.LONG, group.size())) {
                for (int to = 0; to < group.size(); to++) {
                    memory.at(to).put((long) group.rank() * Long.BYTES, new long[]{world.rank()});
                }
                memory.barrier();
                long[] got = new long[group.size()];
                memory.at(group.rank()).get(0, got);
                assertThat(got).containsExactly(IntStream.range(0, world.size()).map(each -> world.size() - 1 - each)
                        .filter(each -> each % 2 == world.rank() % 2).asLongStream().toArray());
            }
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldGiveBackWhatAClosedGroupHad(int[] nodeOfRank) {
        var claimed = new AtomicLong();
        var after = new AtomicLong[]{new AtomicLong(), new AtomicLong()};
        LocalNodes.run(nodeOfRank, () -> new CountedMemory(claimed), job -> {
            Communicator world = job.world();
            for (int round = 0; round < after.length; round++) {
                for (int i = 0; i < 100; i++) {
                    try (Communicator group = world.split(world.rank() % 2, i)) {
                        group.allreduce(new long[20_000], Reduction.SUM);
                    }
                    world.barrier();
                }
                after[round].accumulateAndGet(claimed.get(), Math::max);
            }
        });
        assertThat(after[1].get() - after[0].get()).as("what waits for others to close it").isLessThan(4 * GROUP_BYTES);
    }

    /** Rank 3 leaves when it has shown its block; then its master is invited to send both, over the eager buffers. */
    @Test
    void shouldReachAMasterWhenOthersOfItsNodeHaveLeftTheJob() {
        int bytes = 64 << 10; // too long for a pair
        byte[] gathered = new byte[4 * bytes];
        LocalNodes.run(new int[]{0, 0, 1, 1}, job -> {
            for (int call = 1; call <= 2; call++) {
                if (call == 2 && job.rank() == 2) {
                    Thread.sleep(100);
                }
                try (Arena arena = Arena.ofConfined()) { // cannot be lent, so nobody waits until it was read
                    MemorySegment block = arena.allocate(bytes).fill((byte) (4 * call + job.rank()));
                    job.world().gather(Span.of(block, DataType.BYTE), job.rank() == 0 ? Span.of(gathered) : null, 0);
                }
            }
        });
        for (int rank = 0; rank < 4; rank++) {
            assertThat(Arrays.copyOfRange(gathered, rank * bytes, (rank + 1) * bytes)).containsOnly((byte) (8 + rank));
        }
    }

    @Test
    void shouldHaveManyGroupsOpenAtOnce() {
        var claimed = new AtomicLong();
        LocalNodes.run(new int[]{0, 1, 0, 1}, () -> new CountedMemory(claimed), job -> {
            Communicator world = job.world();
            long before = claimed.get();
            List<Communicator> groups = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                groups.add(world.duplicate());
            }
            world.barrier();
            assertThat((claimed.get() - before) / 200).isLessThan(2 * (2 * (16 << 10) + (64 << 10)));
            for (int i = 0; i < groups.size(); i++) {
                int[] data = {i + world.rank()};
                groups.get(i).allreduce(data, Reduction.SUM);
                assertThat(data).containsExactly(4 * i + 6);
            }
            groups.reversed().forEach(Communicator::close);
        });
    }

    /** What may grow with groups that were made: claimed bytes, threads, and descriptors of this process. */
    private static void assertRefused(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void shouldRefuseMistakesAndGoOn() {
        LocalNodes.run(new int[]{0, 0, 0}, job -> {
            Communicator world = job.world();
            int self = world.rank();
            String who = "rank " + self + " called ";
            assertRefused(who + "split with color -1; a color is 0 or more", () -> world.split(-1, 0));
            assertRefused(who + "create with rank 1 more than once", () -> world.create(self == 1 ? 0 : self, 1, 1));
            assertRefused(who + "create with rank 3, which is not one of this communicator, whose ranks are 0 to 2",
                    () -> world.create(self, 3));
            assertRefused(
                    who + "create for a group that it is not in: [" + (self + 1) % 3 + "]; only its members call it",
                    () -> world.create((self + 1) % 3));
            assertRefused(who + "splitBy with level 0; its nodes have no levels", () -> world.splitBy(0));
            assertThatThrownBy(world::close).isInstanceOf(IllegalStateException.class)
                    .hasMessage("rank " + self + " cannot close the world: it is closed with its job, by Job.close()");
            Communicator group = world.create(2, 1, 0);
            if (self == 0) {
                Request pending = group.nonBlocking().barrier();
                assertThatThrownBy(group::close).isInstanceOf(IllegalStateException.class).hasMessage(
                        "rank 2 (rank 0 of the job) called close with 1 request in flight on the same communicator; "
                                + "await them first");
                world.barrier();
                pending.await();
            } else {
                world.barrier();
                group.barrier();
            }
            group.close();
            world.barrier();
        });
    }

    @Test
    void shouldRefuseAClosedGroupAndSayWhoHasClosedIt() {
        for (int[] nodeOfRank : new int[][]{{0, 0}, {0, 1}}) {
            LocalNodes.run(nodeOfRank, job -> {
                Communicator world = job.world();
                Communicator group = world.create(1, 0).withName("rows");
                String self = "rank " + group.rank() + " of \"rows\" (rank " + world.rank() + " of the job)";
                if (world.rank() == 0) {
                    group.close();
                    group.close();
                    assertThatThrownBy(group::barrier).isInstanceOf(IllegalStateException.class)
                            .hasMessage(self + " has closed this communicator, and cannot use it any more");
                } else {
                    assertThatThrownBy(group::barrier).isInstanceOf(CommunicatorBrokenException.class).hasMessage(self
                            + " cannot go on with barrier: rank 1 of \"rows\" (rank 0 of the job) has closed the "
                            + "communicator; close it after the last call, at every rank");
                    group.close();
                }
                use(world, 0, 1);
            });
        }
    }

    /** Rows and columns of a square of ranks: every rank is in one of each, and uses both at the same time. */
    @ParameterizedTest
    @ValueSource(strings = {"0 0 0 0", "0 0 1 1", "0 1 1 0"})
    void shouldBeUsedByDifferentThreadsAtOnce(String placement) {
        int[] nodeOfRank = Arrays.stream(placement.split(" ")).mapToInt(Integer::parseInt).toArray();
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            int row = world.rank() / 2;
            int column = world.rank() % 2;
            try (Communicator rows = world.split(row, 0);
                    Communicator columns = world.split(column, 0);
                    var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var inRow = threads.submit(() -> {
                    for (int i = 0; i < 20; i++) {
                        use(rows, 2 * row, 2 * row + 1);
                    }
                });
                var inColumn = threads.submit(() -> {
                    for (int i = 0; i < 20; i++) {
                        use(columns, column, column + 2);
                    }
                });
                use(world, 0, 1, 2, 3);
                inRow.get();
                inColumn.get();
            } catch (ExecutionException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldHaveWhatACommunicatorHas(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            try (Communicator group = world.split(0, -world.rank())) {
                int size = group.size();
                for (Collective collective : Collective.values()) {
                    Catalogue.of(collective).stream().filter(each -> each.keepsOrder(group.topology()))
                            .forEach(each -> use(group.withAlgorithm(collective, each.description().name()),
                                    IntStream.range(0, size).map(rank -> size - 1 - rank).toArray()));
                }
                int[] one = {1};
                long[] two = {2};
                Request first = group.nonBlocking().allreduce(one, Reduction.SUM);
                Request second = group.nonBlocking().allreduce(two, Reduction.SUM);
                second.await();
                first.await();
                assertThat(one).containsExactly(size);
                assertThat(two).containsExactly(2L * size);
                try (RemoteMemory memory = group.allocate(Long.BYTES); Mutexes mutexes = memory.allocateMutexes(1)) {
                    mutexes.lock(0, size - 1);
                    long[] value = new long[1];
                    memory.at(size - 1).get(0, value);
                    value[0] += group.rank();
                    memory.at(size - 1).put(0, value);
                    memory.fence(size - 1);
                    mutexes.unlock(0, size - 1);
                    memory.barrier();
                    memory.at(size - 1).get(0, value);
                    assertThat(value).containsExactly((long) size * (size - 1) / 2);
                    memory.barrier();
                }
            }
        });
    }

    @Test
    void shouldSplitByLevelAndKeepTheLevelsThatAGroupHas() {
        int[] ranks = new int[8];
        LocalNodes.run(ranks, new int[]{2, 4}, job -> {
            Communicator world = job.world();
            int self = world.rank();
            try (Communicator pair = world.splitBy(0);
                    Communicator half = world.splitBy(1);
                    Communicator even = world.split(self % 2, 0);
                    Communicator back = world.split(0, -self);
                    Communicator most = self < 7 ? world.create(0, 1, 2, 3, 4, 5, 6) : world.create(7)) {
                use(pair, self / 2 * 2, self / 2 * 2 + 1);
                int first = self / 4 * 4;
                use(half, first, first + 1, first + 2, first + 3);
                assertThat(half.topology().levels()).containsExactly(2);
                assertThat(even.topology().levels()).as("of 4 ranks 2 are in each half").containsExactly(2);
                use(even, self % 2, self % 2 + 2, self % 2 + 4, self % 2 + 6);
                assertThat(back.topology().levels()).isEmpty();
                assertThat(most.topology().levels()).containsExactly(self < 7 ? new int[]{2, 4} : new int[0]);
            }
        });
    }

    /** Levels of a group by counting: its ranks of a node must be in the groups that the sizes say. */
    @Test
    void shouldKeepOnlyLevelsThatAreTrue() {
        var random = new Random(5);
        for (int i = 0; i < 2_000; i++) {
            int[] nodeOfRank = IntStream.range(0, 12).map(rank -> rank / 6).toArray();
            var topology = new Topology(nodeOfRank, new int[]{2, 4});
            List<Integer> ranks = new ArrayList<>(IntStream.range(0, 12).boxed().toList());
            if (i % 3 == 0) {
                Collections.shuffle(ranks, random);
            }
            ranks.removeIf(_ -> random.nextInt(4) == 0);
            if (ranks.isEmpty()) {
                continue;
            }
            int[] members = ranks.stream().mapToInt(each -> each).toArray();
            Topology group = topology.of(members);
            for (int size : group.levels()) {
                assertThat(IntStream.of(2, 4).anyMatch(level -> pairs(members.length).allMatch(pair -> together(group,
                        pair[0], pair[1], size) == together(topology, members[pair[0]], members[pair[1]], level))))
                        .as("%s of %s, level %s", members, topology, size).isTrue();
            }
        }
    }

    private static Stream<int[]> pairs(int size) {
        return IntStream.range(0, size * size).mapToObj(pair -> new int[]{pair / size, pair % size});
    }

    private static boolean together(Topology topology, int one, int other, int level) {
        return topology.nodeOf(one) == topology.nodeOf(other)
                && topology.localRankOf(one) / level == topology.localRankOf(other) / level;
    }
}
