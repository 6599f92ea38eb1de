/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
import org.tutti.collective.Cost;
import org.tutti.collective.Team;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.barrier.SrmBarrier;

import static org.assertj.core.api.Assertions.assertThat;

/** The simulator bites: every fault is found with one of a few seeds, for the right reason; what is right passes. */
class BrokenAlgorithmsTest {
    private static final int SEEDS = 6;
    private static final int SEEDS_OF_WHAT_IS_RIGHT = 9;
    private static final int WAYS_OF_CHOOSING = 3;
    private static final int CALLS = 40;
    private static final int CALLS_WITH_A_ROOT = 20;
    private static final int[] SMALL = {100, 40, 3000};
    private static final int[] SIZES = {100, 200_000, 40, 70_000, 150_000};

    private static final Topology ONE_NODE = Sweep.even(1, 4);
    private static final Topology NODES = Sweep.even(4, 3);
    private static final Topology SINGLES = Sweep.even(3, 1);

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
                fault(Fault.NO_WAIT_FOR_CREDIT, "overwrites bytes that may still be read"),
                fault(Fault.NO_CREDIT, "deadlock: .* CREDIT of edge . in slot"),
                fault(Fault.WRONG_ROOT, "deadlock|reads bytes|threw"),
                fault(Fault.ONE_BYTE_SHORT, "wrong byte in its result"),
                fault(Fault.SWAPPED_BUFFER, "reads bytes|overwrites|threw|wrong byte"),
                fault(Fault.FORWARDS_BEFORE_ARRIVAL, "reads bytes"),
                fault(Fault.EVERYBODY_IS_SAID_TO_BE_HERE, "may still be read|shrink|may still set it"),
                fault(Fault.SHOWS_NOTHING_BUT_READS, "reads bytes that nobody has written|threw"),
                fault(Fault.STEP_BUMPED_TWICE, "shrink from step 2 of generation . to step 1"),
                fault(Fault.A_BUFFER_FOR_EACH_CHUNK, "(15|20)0000 bytes .* more than the bound of 131072"),
                fault(Fault.LEAVES_BEFORE_THE_PUT, "may still be|wrong byte|no longer"),
                fault(Fault.SIGNALS_BEFORE_THE_PUT, "reads bytes"),
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
                fault(Fault.SLOT_IS_TAKEN_BEFORE_ALL_HAVE_LEFT, "may still|shrink"),
                fault(Fault.LEAVES_THE_NEXT_OPERATION_TOO, "may still|shrink"),
                fault(Fault.LEDGER_IS_NOT_LOCKED, "left word .* (shrink|may still set it)"));
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

    @Test
    void shouldTryEveryFault() {
        Set<Fault> tried = EnumSet.of(Fault.NONE);
        faults().forEach(arguments -> tried.add((Fault) arguments.get()[0]));
        assertThat(tried).containsExactlyInAnyOrder(Fault.values());
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindNothingWhenNothingIsWrong(Collective collective) {
        for (long seed = 0; seed < SEEDS_OF_WHAT_IS_RIGHT; seed++) {
            switch (collective) {
                case BARRIER -> pass(NODES, calls(collective, new BrokenBarrier(Fault.NONE), NODES), seed);
                case BROADCAST -> {
                    pass(NODES, calls(collective, new BrokenBroadcast(Fault.NONE), NODES), seed);
                    pass(ONE_NODE, calls(collective, new BrokenLendingBroadcast(Fault.NONE), ONE_NODE), seed);
                    pass(SINGLES, calls(collective, new BrokenDirectBroadcast(Fault.NONE), SINGLES), seed);
                }
                case ALLREDUCE -> pass(ONE_NODE, calls(collective, new BrokenAllreduce(Fault.NONE), ONE_NODE), seed);
                default -> assertThat(collective.combines() || collective.hasBlocks()).isTrue(); // no broken copies
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
            calls.add(new PlannedCall(new EndedBarrier(ended), Operation.BYTES, 0, 0, true, i));
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

        @Override
        public Cost cost(int nodes, int localRanks, long bytes) {
            throw new UnsupportedOperationException("nobody predicts this");
        }
    }

    @Test
    void shouldSayTheSameWithTheSameSeed() {
        String first = verify(Fault.NO_CREDIT, 2).orElseThrow().getMessage();
        assertThat(verify(Fault.NO_CREDIT, 2).orElseThrow().getMessage()).isEqualTo(first);
        String inFlight = verify(Fault.LEAVES_THE_NEXT_OPERATION_TOO, 2).orElseThrow().getMessage();
        assertThat(verify(Fault.LEAVES_THE_NEXT_OPERATION_TOO, 2).orElseThrow().getMessage()).isEqualTo(inFlight);
    }

    private static void pass(Topology topology, List<PlannedCall> calls, long seed) {
        assertThat(Verifier.verify(topology, calls, 1, seed)).as("seed %s", seed).isEmpty();
    }

    private static Optional<SimulationFailure> verify(Fault fault, long seed) {
        if (fault.compareTo(Fault.LEAVES_BEFORE_THE_PUT) < 0) {
            return Verifier.verify(NODES, calls(Collective.BROADCAST, new BrokenBroadcast(fault), NODES), 1, seed);
        }
        if (fault.compareTo(Fault.RESULTS_ARE_NOT_AWAITED) < 0) {
            return Verifier.verify(SINGLES, calls(Collective.BROADCAST, new BrokenDirectBroadcast(fault), SINGLES), 1,
                    seed, (world, thread) -> new BrokenMachine(world, thread, fault));
        }
        if (fault.compareTo(Fault.LENDER_DOES_NOT_WAIT) < 0) {
            return Verifier.verify(ONE_NODE, calls(Collective.ALLREDUCE, new BrokenAllreduce(fault), ONE_NODE), 1,
                    seed);
        }
        if (fault.compareTo(Fault.MASTER_GOES_FIRST) < 0) {
            return Verifier.verify(ONE_NODE, calls(Collective.BROADCAST, new BrokenLendingBroadcast(fault), ONE_NODE),
                    1, seed);
        }
        if (fault.compareTo(Fault.SLOT_IS_TAKEN_BEFORE_ALL_HAVE_LEFT) < 0) {
            return Verifier.verify(NODES, calls(Collective.BARRIER, new BrokenBarrier(fault), NODES), 1, seed);
        }
        return Verifier.verify(NODES, mixed(NODES), 5, seed,
                (world, thread) -> new BrokenMachine(world, thread, fault));
    }

    private static List<PlannedCall> mixed(Topology topology) {
        List<PlannedCall> calls = new ArrayList<>();
        for (int part = 0; part < 3; part++) {
            calls.addAll(Calls.mixed(topology, part));
        }
        return calls;
    }

    private static List<PlannedCall> calls(Collective collective, Algorithm algorithm, Topology topology) {
        List<PlannedCall> calls = new ArrayList<>();
        // between nodes a root is to run ahead until slots are used again
        int withARoot = topology.nodes() > 1 ? Calls.slots(topology) + CALLS_WITH_A_ROOT / 2 : CALLS_WITH_A_ROOT;
        for (int i = 0; i < CALLS * withARoot / CALLS_WITH_A_ROOT; i++) {
            int root = collective == Collective.BROADCAST ? i / withARoot % topology.size() : 0;
            Operation operation = collective == Collective.ALLREDUCE && i % 2 == 1 ? Operation.MATRIX : Operation.BYTES;
            int[] sizes = i < withARoot ? SMALL : SIZES; // small ones let a root run ahead
            int bytes = collective == Collective.BARRIER ? 0
                    : sizes[i % sizes.length] / operation.unitBytes() * operation.unitBytes();
            calls.add(new PlannedCall(algorithm, operation, root, bytes, i % 3 == 0, i));
        }
        return calls;
    }
}
