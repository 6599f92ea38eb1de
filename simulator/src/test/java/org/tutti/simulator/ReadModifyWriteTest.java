/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Words that several ranks read and write at once, on the simulated machines. */
class ReadModifyWriteTest {
    private static final int SEEDS = 60;
    private static final int ADDITIONS = 5;
    private static final long WORD = 0;
    private static final long DATA = Words.LINE_BYTES;

    private final MemorySegment memory = Arena.ofAuto().allocate(2L * Words.LINE_BYTES, Words.LINE_BYTES);

    /** Runs ranks with the seed, on memory of zeros; returns what the simulator found. */
    private Optional<String> run(int ranks, long seed, BiConsumer<Integer, VerifyingMachine> body) {
        memory.fill((byte) 0);
        World world = new World(ranks, 1, seed, false);
        try {
            world.ranks().run(rank -> body.accept(rank, new VerifyingMachine(world, rank)));
            return Optional.empty();
        } catch (SimulationFailure e) {
            return Optional.of(e.getMessage());
        }
    }

    /** What the simulator found, with those of the seeds with which it found anything. */
    private List<String> runAll(int ranks, BiConsumer<Integer, VerifyingMachine> body) {
        return LongStream.range(0, SEEDS).mapToObj(seed -> run(ranks, seed, body)).flatMap(Optional::stream).toList();
    }

    @Test
    void shouldFindThatLoadsAndStoresLoseAdditions() {
        List<String> found = runAll(2, (_, machine) -> {
            for (int i = 0; i < ADDITIONS; i++) {
                machine.store(memory, WORD, machine.load(memory, WORD) + 1);
            }
        });
        assertThat(found).isNotEmpty().allSatisfy(said -> assertThat(said).containsPattern("shrink|may still set it"));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldLoseNoAddition(int ranks) {
        for (long seed = 0; seed < SEEDS; seed++) {
            List<Long> before = new ArrayList<>();
            assertThat(run(ranks, seed, (_, machine) -> {
                for (int i = 0; i < ADDITIONS; i++) {
                    before.add(machine.add(memory, WORD, 1));
                }
            })).isEmpty();
            Collections.sort(before);
            assertThat(before).isEqualTo(LongStream.range(0, (long) ranks * ADDITIONS).boxed().toList());
            assertThat(Words.load(memory, WORD)).isEqualTo((long) ranks * ADDITIONS);
        }
    }

    /** So the seeds do interleave the ranks. */
    @Test
    void shouldLetAnyRankAddFirst() {
        List<Integer> first = new ArrayList<>();
        runAll(3, (rank, machine) -> {
            if (machine.add(memory, WORD, 1) == 0) {
                first.add(rank);
            }
        });
        assertThat(first).hasSize(SEEDS).contains(0, 1, 2);
    }

    @Test
    void shouldLetOneOfManySetAWord() {
        for (long seed = 0; seed < SEEDS; seed++) {
            List<Integer> winners = new ArrayList<>();
            assertThat(run(4, seed, (rank, machine) -> {
                if (machine.compareAndSet(memory, WORD, 0, rank + 1L)) {
                    winners.add(rank);
                }
            })).isEmpty();
            assertThat(winners).hasSize(1);
            assertThat(Words.load(memory, WORD)).isEqualTo(winners.getFirst() + 1L);
        }
    }

    /** To an await, to a load, and to an exchange that finds what it does not expect. */
    @Test
    void shouldPublishWhatWasWrittenBefore() {
        assertThat(runAll(4, (rank, machine) -> {
            if (rank == 0) {
                machine.storePlain(memory, DATA, 7);
                machine.compareAndSet(memory, WORD, 0, 1);
                return;
            }
            switch (rank) {
                case 1 -> machine.await(memory, WORD, 1, null);
                case 2 -> {
                    while (machine.load(memory, WORD) == 0) {
                        machine.pause(0);
                    }
                }
                default -> {
                    while (machine.compareAndExchange(memory, WORD, -1, -2) == 0) {
                        machine.pause(0);
                    }
                }
            }
            assertThat(machine.loadPlain(memory, DATA)).isEqualTo(7);
        })).isEmpty();
    }

    @Test
    void shouldNotPublishWhatIsWrittenAfterwards() {
        assertThat(runAll(2, (rank, machine) -> {
            if (rank == 0) {
                machine.add(memory, WORD, 1);
                machine.storePlain(memory, DATA, 7);
            } else {
                machine.await(memory, WORD, 1, null);
                machine.loadPlain(memory, DATA);
            }
        })).hasSize(SEEDS).allSatisfy(said -> assertThat(said).containsPattern("nobody has written|may still be"));
    }

    /** An exchange that fails writes nothing, so it publishes nothing. */
    @Test
    void shouldPublishNothingByAnExchangeThatFails() {
        assertThat(runAll(2, (rank, machine) -> {
            if (rank == 0) {
                machine.storePlain(memory, DATA, 7);
                machine.compareAndSet(memory, WORD, 5, 6);
            } else {
                machine.load(memory, WORD);
                machine.loadPlain(memory, DATA);
            }
        })).hasSize(SEEDS).allSatisfy(said -> assertThat(said).containsPattern("nobody has written|may still be"));
    }

    @Test
    void shouldReportAWordThatAnotherRankWritesPlainly() {
        assertThat(runAll(2, (rank, machine) -> {
            if (rank == 0) {
                machine.storePlain(memory, WORD, 7);
            } else {
                machine.add(memory, WORD, 1);
            }
        })).hasSize(SEEDS).allSatisfy(said -> assertThat(said).contains("writes bytes while they may still"));
    }

    @Test
    void shouldReportAWordThatAnotherRankReadsPlainly() {
        assertThat(runAll(2, (rank, machine) -> {
            if (rank == 0) {
                machine.compareAndSet(memory, WORD, 0, 1);
            } else {
                machine.load(memory, DATA);
                machine.loadPlain(memory, WORD);
            }
        })).hasSize(SEEDS).allSatisfy(said -> assertThat(said).containsPattern("nobody has written|may still be"));
    }

    /** It would lose what was added meanwhile. */
    @Test
    void shouldReportAWordThatAnotherRankStores() {
        assertThat(runAll(2, (rank, machine) -> {
            if (rank == 0) {
                machine.store(memory, WORD, 7);
            } else {
                machine.add(memory, WORD, 1);
            }
        })).isNotEmpty().allSatisfy(said -> assertThat(said).contains("may still set it"));
    }

    /** The classic lock: taken by an exchange, given back by a store. */
    @Test
    void shouldLetALockBeGivenBackByAStore() {
        assertThat(runAll(3, (_, machine) -> {
            for (int i = 0; i < ADDITIONS; i++) {
                while (!machine.compareAndSet(memory, WORD, 0, 1)) {
                    machine.pause(0);
                }
                long before = Words.loadPlain(memory, DATA) == 0 ? 0 : machine.loadPlain(memory, DATA);
                machine.storePlain(memory, DATA, before + 1);
                machine.publish(memory, WORD, 0);
            }
        })).isEmpty();
        assertThat(Words.load(memory, DATA)).isEqualTo(3L * ADDITIONS);
    }

    @Test
    void shouldReportALockThatIsGivenBackPlainly() {
        assertThat(runAll(2, (_, machine) -> {
            while (!machine.compareAndSet(memory, WORD, 0, 1)) {
                machine.pause(0);
            }
            machine.storePlain(memory, WORD, 0);
        })).isNotEmpty().allSatisfy(said -> assertThat(said).contains("writes bytes while they may still"));
    }

    /** The line goes from core to core: each look but the first waits for the store before it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void shouldPassTheLineFromCoreToCore(int ranks) {
        Model model = Model.of("gigabit");
        Cluster cluster = new Cluster(Sweep.even(1, ranks), model, Long.MAX_VALUE, Long.MAX_VALUE);
        SymbolicMemory node = new SymbolicMemory(0);
        MemorySegment word = node.block(node.claim(Words.LINE_BYTES, "word"), Words.LINE_BYTES);
        cluster.ranks().run(rank -> new PredictingMachine(cluster, rank).add(word, 0, rank));
        assertThat(cluster.endMicros()).isCloseTo(
                2 * ranks * model.memoryOverheadMicros() + (ranks - 1) * model.memoryLatencyMicros(), within(1e-9));
        assertThat(cluster.loadPlain(word, 0)).isEqualTo(ranks * (ranks - 1) / 2);
    }

    /** Whether it succeeds or not, as the processor gets the line for itself before it compares. */
    @Test
    void shouldPassTheLineForAnExchangeThatFails() {
        Model model = Model.of("gigabit");
        Cluster cluster = new Cluster(Sweep.even(1, 3), model, Long.MAX_VALUE, Long.MAX_VALUE);
        SymbolicMemory node = new SymbolicMemory(0);
        MemorySegment word = node.block(node.claim(Words.LINE_BYTES, "word"), Words.LINE_BYTES);
        List<Boolean> won = new ArrayList<>();
        cluster.ranks().run(rank -> won.add(new PredictingMachine(cluster, rank).compareAndSet(word, 0, 0, 1)));
        assertThat(won).containsExactlyInAnyOrder(true, false, false);
        assertThat(cluster.endMicros()).isCloseTo(
                6 * model.memoryOverheadMicros() + 2 * model.memoryLatencyMicros(), within(1e-9));
    }
}
