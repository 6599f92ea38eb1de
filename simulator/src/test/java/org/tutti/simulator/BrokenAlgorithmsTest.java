/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.barrier.SrmBarrier;

import static org.assertj.core.api.Assertions.assertThat;

/** The simulator bites: every fault is found with one of a few seeds, for the right reason; what is right passes. */
class BrokenAlgorithmsTest {
    private static final int SEEDS = 6;
    private static final int WAYS_OF_CHOOSING = 3;

    /** What is right is verified on all shapes elsewhere; here the short run does it once in each way of choosing. */
    private static final int SEEDS_OF_WHAT_IS_RIGHT =
            Integer.getInteger("rows.every", 1) == 1 ? 3 * WAYS_OF_CHOOSING : WAYS_OF_CHOOSING;

    private static final int CALLS = 40;
    private static final int CALLS_WITH_A_ROOT = 20;
    private static final int[] SMALL = {100, 40, 3000};
    private static final int[] SIZES = {100, 200_000, 40, 70_000, 150_000};
    private static final int[] BLOCKS = {100, 9000, 40, 700, 5000}; // of a rank for another one

    private static final Topology ONE_NODE = Sweep.even(1, 4);
    private static final Topology NODES = Sweep.even(4, 3);
    private static final Topology PAIR = Sweep.even(2, 1);
    private static final Topology SINGLES = Sweep.even(3, 1);
    private static final Topology DOUBLES = Sweep.even(4, 2);

    private static Arguments fault(Fault fault, String found) {
        return Arguments.of(fault, found);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault(Fault.ROOT_REFILLS_WITHOUT_WAITING,
                        "overwrites bytes that may still be read|may still be written|wrong byte in its result"),
                fault(Fault.READERS_DO_NOT_WAIT, "reads bytes|threw"),
                fault(Fault.ONE_BUFFER_INSTEAD_OF_TWO, "overwrites bytes that may still be read|may still be written"),
                fault(Fault.READY_BEFORE_THE_COPY, "reads bytes|overwrites bytes that may still be read"),
                fault(Fault.DONE_BEFORE_THE_COPY, "overwrites bytes that may still be read|may still be written"),
                fault(Fault.CREDIT_WITHOUT_WAITING_FOR_LOCAL_READERS, "overwrites bytes that may still be read"),
                fault(Fault.NO_WAIT_FOR_CREDIT, "bytes (while they|that) may still"),
                fault(Fault.NO_CREDIT, "deadlock: .* CREDIT of edge . in slot"),
                fault(Fault.WRONG_ROOT, "deadlock|reads bytes|threw"),
                fault(Fault.ONE_BYTE_SHORT, "wrong byte in its result"),
                fault(Fault.SWAPPED_BUFFER, "reads bytes|overwrites|threw|wrong byte"),
                fault(Fault.FORWARDS_BEFORE_ARRIVAL, "reads bytes"),
                fault(Fault.EVERYBODY_IS_SAID_TO_BE_HERE, "may still be|shrink|may still set it"),
                fault(Fault.SHOWS_NOTHING_BUT_READS, "reads bytes that nobody has written|threw"),
                fault(Fault.STEP_BUMPED_TWICE,
                        "shrink from step 2 of generation . to step 1|(READY|DONE) falls to step 1 of"),
                fault(Fault.A_BUFFER_FOR_EACH_CHUNK, "(15|20)0000 bytes .* more than the bound of 131072"),
                fault(Fault.LEAVES_BEFORE_THE_PUT, "may still be|wrong byte|no longer"),
                fault(Fault.SIGNALS_BEFORE_THE_PUT, "reads bytes"),
                fault(Fault.PART_IS_FILLED_AGAIN_WITHOUT_WAITING, "bytes (while they|that) may still"),
                fault(Fault.LOWER_RANKS_ON_THE_RIGHT, "wrong byte in its result .* matrix-product"),
                fault(Fault.RESULTS_ARE_NOT_AWAITED, "reads bytes|overwrites"),
                fault(Fault.CONTRIBUTIONS_ARE_NOT_AWAITED, "reads bytes|overwrites"),
                fault(Fault.RESULT_READY_BEFORE_IT_IS_COPIED, "reads bytes|overwrites bytes that may still be read"),
                fault(Fault.ONE_PART_INSTEAD_OF_TWO, "overwrites bytes that may still be read"),
                fault(Fault.RESULT_OVER_WHAT_OTHERS_READ, "bytes (while they|that) may still|wrong byte"),
                fault(Fault.NEIGHBOURS_IN_THE_WRONG_ORDER, "wrong byte in its result .* matrix-product"),
                fault(Fault.LENDER_DOES_NOT_WAIT, "bytes (while they|that) may still|threw"),
                fault(Fault.LENDS_AFTER_READY, "reads bytes|overwrites bytes that may still be read|threw"),
                fault(Fault.DONE_BEFORE_WHAT_IS_LENT_IS_READ, "bytes (while they|that) may still|threw"),
                fault(Fault.MASTER_GOES_FIRST, "has left barrier"),
                fault(Fault.ONE_ROUND_TOO_FEW, "has left barrier"),
                fault(Fault.ONE_RANK_IS_FORGOTTEN, "has left barrier"),
                fault(Fault.BLOCK_IS_READY_BEFORE_THE_COPY, "reads bytes|overwrites bytes that may still be read"),
                fault(Fault.WINDOW_IS_LOOKED_FOR_BEFORE_READY, "reads bytes|threw"),
                fault(Fault.PLACES_OVERLAP, "bytes while they may still be written|reads bytes|no longer"),
                fault(Fault.READY_BEFORE_ALL_BLOCKS_ARE_SHOWN, "reads bytes|overwrites bytes that may still be read"),
                fault(Fault.ONLY_THE_FIRST_PIECE_IS_AWAITED, "reads bytes"),
                fault(Fault.BLOCK_IS_READ_BEFORE_READY, "reads bytes|threw"),
                fault(Fault.BLOCK_IS_SENT_BEFORE_READY, "reads bytes|threw"),
                fault(Fault.BLOCK_OF_THE_NEIGHBOUR, "wrong byte in its result"),
                fault(Fault.HALF_IS_USED_AGAIN_BEFORE_ALL_HAVE_READ, "bytes (while they|that) may still|no longer"),
                fault(Fault.PLACE_IS_GIVEN_BACK_BEFORE_ALL_HAVE_READ, "bytes (while they|that) may still"),
                fault(Fault.ALL_IS_SENT_BEFORE_ANY_IS_TAKEN, "deadlock: .* CREDIT"),
                fault(Fault.BLOCKS_ARE_COMBINED_BEFORE_THEY_ARE_SHOWN, "reads bytes|threw"),
                fault(Fault.COMBINATIONS_ARE_NOT_AWAITED, "bytes (while they|that) may still"),
                fault(Fault.MORE_IS_COMBINED_THAN_THE_OWN_PART, "bytes (while they|that) may still"),
                fault(Fault.OWN_NODE_IS_COMBINED_FIRST, "wrong byte in its result .* matrix-product"),
                fault(Fault.RANKS_ARE_COMBINED_BACKWARDS, "wrong byte in its result .* matrix-product"),
                fault(Fault.OWN_ELEMENTS_ARE_LEFT_OUT, "wrong byte in its result after scan"),
                fault(Fault.MASTER_LEAVES_BEFORE_ALL_HAS_COME, "which has left that call|may still|no longer"),
                fault(Fault.WHAT_IS_BEFORE_THE_NODE_IS_NOT_AWAITED, "reads bytes|threw"),
                fault(Fault.READY_BEFORE_ALL_HAS_COME, "bytes (while they|that) may still|wrong byte"),
                fault(Fault.TOTAL_LACKS_WHAT_HAS_COME, "wrong byte in its result after exclusive-scan"),
                fault(Fault.SLOT_IS_TAKEN_BEFORE_ALL_HAVE_LEFT, "may still|shrink"),
                fault(Fault.LEAVES_THE_NEXT_OPERATION_TOO, "may still|shrink"),
                fault(Fault.OPERATION_SEQUENCE_IS_NOT_LOCKED,
                        "left word .* (shrink|may still set it)|eagerBuffers are .* accessed by|buffers are claimed"),
                fault(Fault.REQUESTS_ARE_BELIEVED_TO_LAG_BY_16_OPERATIONS,
                        "may still|shrink|called different collectives"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldFindEveryFaultForTheRightReason(Fault fault, String reason) {
        Optional<SimulationFailure> found = Optional.empty();
        for (long seed = 0; seed < SEEDS && found.isEmpty(); seed++) {
            found = verify(fault, seed);
        }
        assertThat(found).as("%s with %s seeds", fault, SEEDS).isPresent();
        String said = found.orElseThrow().getMessage();
        assertThat(said.lines().findFirst().orElseThrow()).containsPattern(reason);
        assertThat(said).contains("step ", "rank 0");
    }

    /** With odd seeds the ranks are processes, which lend nothing but what is in the node's memory, by its address. */
    @ParameterizedTest
    @EnumSource(names = {"LENDER_DOES_NOT_WAIT", "DONE_BEFORE_WHAT_IS_LENT_IS_READ"})
    void shouldFindThatMemoryLentByAddressIsReadTooLate(Fault fault) {
        List<String> found = new ArrayList<>();
        for (long seed = 1; seed < 2 * SEEDS; seed += 2) {
            verify(fault, seed).ifPresent(failure -> found.add(failure.getMessage()));
        }
        assertThat(found).isNotEmpty().allSatisfy(said -> assertThat(said.lines().findFirst().orElseThrow())
                .containsPattern("may still .* source of rank ., in the memory of the node"));
    }

    /** The words of puts are raised in order, but over several rails their bytes may come in any order. */
    @Test
    void shouldFindThatPutsToOnePlaceMayOvertakeEachOther() {
        List<String> found = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            verify(Fault.NO_WAIT_FOR_CREDIT, seed).ifPresent(failure -> found.add(failure.getMessage()));
        }
        assertThat(found).anySatisfy(said -> assertThat(said).containsPattern(
                "^(a put of rank . into the process of rank .) writes bytes while they may .* accessed by \\1 at"));
    }

    /** In other plans a request lags by little more than 16 operations, because few calls block. */
    @Test
    void shouldNeedRequestsThatAreHeldBackToFindThatTheyLagByMore() {
        Verifier.Machines machines = broken(Fault.REQUESTS_ARE_BELIEVED_TO_LAG_BY_16_OPERATIONS);
        for (int part = 0; part < InFlightPlan.PARTS; part++) {
            InFlightPlan plan = new InFlightPlan(PAIR, part, part);
            assertThat(Verifier.verify(PAIR, plan.calls(), plan.stages(), plan.seed(), machines)).as("%s", plan)
                    .isEmpty();
        }
    }

    @Test
    void shouldTryEveryFault() {
        Set<Fault> tried = EnumSet.of(Fault.NONE);
        faults().forEach(arguments -> tried.add((Fault) arguments.get()[0]));
        assertThat(tried).containsExactlyInAnyOrder(Fault.values());
    }

    @Tag("sampled")
    @ParameterizedTest
    @EnumSource
    void shouldFindNothingWhenNothingIsWrong(Collective collective) {
        assertThat(copies(collective)).isNotEmpty();
        for (long seed = 0; seed < SEEDS_OF_WHAT_IS_RIGHT; seed++) {
            for (Copy copy : copies(collective)) {
                assertThat(copy.verify(Fault.NONE, seed)).as("seed %s", seed).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldFindNothingWhenNothingIsWrongWithSeveralOperationsInFlight(int stages) {
        for (long seed = 0; seed < WAYS_OF_CHOOSING; seed++) {
            assertThat(Verifier.verify(NODES, mixed(NODES), stages, seed)).as("seed %s", seed).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2})
    void shouldLetOperationsEndInAnyOrder(long seed) {
        List<List<Integer>> ended = new ArrayList<>();
        for (int rank = 0; rank < ONE_NODE.size(); rank++) {
            ended.add(new ArrayList<>());
        }
        List<PlannedCall> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.add(new PlannedCall(new EndedBarrier(ended), CheckedOperation.BYTES, 0, 0, true, i));
        }
        assertThat(Verifier.verify(ONE_NODE, calls, 4, seed)).isEmpty();
        List<Integer> inOrder = IntStream.range(0, CALLS).boxed().toList();
        assertThat(ended).allSatisfy(ofRank -> assertThat(ofRank).containsExactlyInAnyOrderElementsOf(inOrder))
                .anySatisfy(ofRank -> assertThat(ofRank).isNotEqualTo(inOrder));
    }

    /** Notes the number of each operation when a rank has ended it. */
    private static final class EndedBarrier extends Barrier {
        private final List<List<Integer>> ended;

        EndedBarrier(List<List<Integer>> ended) {
            super(new Description("ended", Order.ALWAYS, "", "", "", "", ""));
            this.ended = ended;
        }

        @Override
        public void run(Team team, Call call) {
            new SrmBarrier().run(team, call);
            ended.get(team.rank()).add((int) team.operation());
        }
    }

    @Test
    void shouldSayTheSameWithTheSameSeed() {
        String first = verify(Fault.NO_CREDIT, 2).orElseThrow().getMessage();
        assertThat(verify(Fault.NO_CREDIT, 2).orElseThrow().getMessage()).isEqualTo(first);
        String inFlight = verify(Fault.LEAVES_THE_NEXT_OPERATION_TOO, 2).orElseThrow().getMessage();
        assertThat(verify(Fault.LEAVES_THE_NEXT_OPERATION_TOO, 2).orElseThrow().getMessage()).isEqualTo(inFlight);
    }

    private static Optional<SimulationFailure> verify(Fault fault, long seed) {
        for (Collective collective : Collective.values()) {
            for (Copy copy : copies(collective)) {
                if (copy.has(fault)) {
                    return copy.verify(fault, seed);
                }
            }
        }
        if (fault == Fault.REQUESTS_ARE_BELIEVED_TO_LAG_BY_16_OPERATIONS) {
            return new HeldBackPlan(PAIR, (int) seed % HeldBackPlan.PARTS, seed).verify(broken(fault));
        }
        return Verifier.verify(NODES, mixed(NODES), 5, seed, broken(fault));
    }

    private static Verifier.Machines broken(Fault fault) {
        return (world, thread) -> new BrokenMachine(world, thread, fault);
    }

    /**
     * A copy of an algorithm.
     *
     * @param algorithm what makes it, with a fault
     * @param topology where it is run
     * @param first the first of its faults
     * @param last the last one
     */
    private record Copy(Function<Fault, Algorithm> algorithm, Topology topology, Fault first, Fault last) {
        boolean has(Fault fault) {
            return fault.compareTo(first) >= 0 && fault.compareTo(last) <= 0;
        }

        Optional<SimulationFailure> verify(Fault fault, long seed) {
            return Verifier.verify(topology, calls(algorithm.apply(fault), topology), 1, seed, broken(fault));
        }
    }

    private static List<Copy> copies(Collective collective) {
        return switch (collective) {
            case BARRIER -> List.of(
                    new Copy(BrokenBarrier::new, NODES, Fault.MASTER_GOES_FIRST, Fault.ONE_RANK_IS_FORGOTTEN));
            case BROADCAST -> List.of(
                    new Copy(BrokenBroadcast::new, NODES, Fault.ROOT_REFILLS_WITHOUT_WAITING,
                            Fault.A_BUFFER_FOR_EACH_CHUNK),
                    new Copy(BrokenDirectBroadcast::new, SINGLES, Fault.LEAVES_BEFORE_THE_PUT,
                            Fault.SIGNALS_BEFORE_THE_PUT),
                    new Copy(BrokenLendingBroadcast::new, ONE_NODE, Fault.LENDER_DOES_NOT_WAIT,
                            Fault.DONE_BEFORE_WHAT_IS_LENT_IS_READ));
            case REDUCE -> List.of(
                    new Copy(BrokenReduce::new, ONE_NODE, Fault.PART_IS_FILLED_AGAIN_WITHOUT_WAITING,
                            Fault.LOWER_RANKS_ON_THE_RIGHT));
            case ALLREDUCE -> List.of(
                    new Copy(BrokenAllreduce::new, ONE_NODE, Fault.RESULTS_ARE_NOT_AWAITED,
                            Fault.NEIGHBOURS_IN_THE_WRONG_ORDER));
            case GATHER -> List.of(
                    new Copy(BrokenGather::new, DOUBLES, Fault.BLOCK_IS_READY_BEFORE_THE_COPY, Fault.PLACES_OVERLAP));
            case SCATTER -> List.of(
                    new Copy(BrokenScatter::new, DOUBLES, Fault.READY_BEFORE_ALL_BLOCKS_ARE_SHOWN,
                            Fault.ONLY_THE_FIRST_PIECE_IS_AWAITED));
            case ALLGATHER -> List.of(
                    new Copy(BrokenAllgather::new, DOUBLES, Fault.BLOCK_IS_READ_BEFORE_READY,
                            Fault.BLOCK_OF_THE_NEIGHBOUR));
            case ALL_TO_ALL -> List.of(
                    new Copy(BrokenAllToAll::new, DOUBLES, Fault.HALF_IS_USED_AGAIN_BEFORE_ALL_HAVE_READ,
                            Fault.ALL_IS_SENT_BEFORE_ANY_IS_TAKEN));
            case REDUCE_SCATTER -> List.of(
                    new Copy(BrokenReduceScatter::new, DOUBLES, Fault.BLOCKS_ARE_COMBINED_BEFORE_THEY_ARE_SHOWN,
                            Fault.OWN_NODE_IS_COMBINED_FIRST));
            case SCAN -> List.of(
                    new Copy(fault -> new BrokenScan(collective, fault), DOUBLES, Fault.RANKS_ARE_COMBINED_BACKWARDS,
                            Fault.OWN_ELEMENTS_ARE_LEFT_OUT));
            case EXCLUSIVE_SCAN -> List.of(
                    new Copy(fault -> new BrokenScan(collective, fault), DOUBLES,
                            Fault.MASTER_LEAVES_BEFORE_ALL_HAS_COME, Fault.MASTER_LEAVES_BEFORE_ALL_HAS_COME),
                    new Copy(BrokenTwoLevelScan::new, DOUBLES, Fault.WHAT_IS_BEFORE_THE_NODE_IS_NOT_AWAITED,
                            Fault.TOTAL_LACKS_WHAT_HAS_COME));
        };
    }

    private static List<PlannedCall> mixed(Topology topology) {
        List<PlannedCall> calls = new ArrayList<>();
        for (int part = 0; part < 3; part++) {
            calls.addAll(Calls.mixed(topology, part));
        }
        return calls;
    }

    private static List<PlannedCall> calls(Algorithm algorithm, Topology topology) {
        Collective collective = algorithm.collective();
        List<PlannedCall> calls = new ArrayList<>();
        // between nodes a root is to run ahead until slots are used again
        int withARoot = topology.nodes() > 1 ? Calls.slots(topology) + CALLS_WITH_A_ROOT / 2 : CALLS_WITH_A_ROOT;
        int[] longer = collective.hasBlocks() ? BLOCKS : SIZES;
        for (int i = 0; i < withARoot + CALLS_WITH_A_ROOT; i++) {
            int root = collective.hasRoot() ? i / withARoot % topology.size() : 0;
            CheckedOperation operation =
                    collective.combines() && i % 2 == 1 ? CheckedOperation.MATRIX : CheckedOperation.BYTES;
            int[] sizes = i < withARoot ? SMALL : longer; // small ones let a root run ahead
            int bytes = !collective.hasElements() ? 0
                    : sizes[i % sizes.length] / operation.unitBytes() * operation.unitBytes();
            calls.add(new PlannedCall(algorithm, operation, root, bytes, i % 3 == 0, i));
        }
        return calls;
    }
}
