/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulator bites into the algorithms of the catalogue as they are: whatever goes wrong at one of their lines, a
 * wait, a copy, or a put, is found. The thorough run tries an eighth of the slips of every ninth algorithm, the short
 * one of fewer algorithms; with {@code -Dsimulator.every=1 -Dslips.every=1} all are.
 */
@Tag("sampled")
class SlipsTest {
    private static final long SEED = Long.getLong("simulator.seed", 20261121);
    private static final int EVERY = Integer.getInteger("simulator.every", 2);
    private static final int OF_AN_ALGORITHM = Integer.getInteger("slips.every", EVERY <= 4 ? 4 : 8);
    private static final int SEEDS = 6;
    private static final int SEEDS_OF_A_SLIP = 3 * SEEDS; // long blocks are rare
    private static final int STAGES = 4;
    private static final Topology[] SHAPES = {new Topology(new int[]{0, 0, 1, 2, 2, 2, 3, 3, 4}), Sweep.even(5, 2),
            new Topology(new int[]{0, 1, 1, 2, 3, 3, 4, 5, 6})};

    /**
     * Slips that nobody can notice on these shapes. Mostly they are waits, and other waits have told the rank as much.
     */
    private static final List<Pattern> IMPLIED = Stream.of(
            // in an allreduce, who has what all have in this round has read what all had in the one before
            "NOT_AWAITED CREDIT .*RecursiveDoublingAllreduce.exchange",
            "NOT_AWAITED (CREDIT|DONE) (NodeTree.passOn < )?SrmAllreduce.(receive|contribute)",
            "allreduce rank-order: NOT_AWAITED DONE RunChain.run",
            // the total of the chunk before, which the rank has, contains the sum that the SMP master has made of it
            "NOT_AWAITED READY ChengSum.contribute < ChengSum.run < ChengAllreduce.run",
            // there is nothing to read; or nothing to forward, because no other node receives
            "^reduce cheng: NOT_AWAITED READY ChengSum.awaitSum",
            "allreduce (halving|srm-binary|srm-fibonacci): NOT_AWAITED READY .*SrmAllreduce.runShort",
            // the root contributes to the next chunk when it has taken this one
            "NOT_AWAITED (CREDIT|DONE) Reduce.deliver", "NOT_AWAITED DONE SrmReduce.combineAtTop",
            "NOT_AWAITED READY NodeStage.awaitResult < TwoLevelReduce.combineNode",
            // a master reads all blocks, and so has awaited them
            "NOT_AWAITED ARRIVED Contributions.complete < DirectAllgather.run",
            // the same was awaited before: the first section, the invitation for the first part
            "NOT_AWAITED READY ShownSections.await < ShownSections.findFirst < DepartingSections.openFurther",
            "NOT_AWAITED CREDIT GatherBroadcastAllgather.sendOthers",
            // who looks ahead has seen that all is there
            "NOT_AWAITED ARRIVED .*ArrivingSections.takeFirst < .*BlockExchange.lookAhead",
            // the next operation of the call begins in the node, where a master awaits the ranks that take the records
            "NOT_AWAITED ARRIVED (DirectGather.show|TreeGather.run|(Direct|Tree)Scatter.receive) < .*BlockRecords.run",
            // the master copies the last block, which is in the last piece: the whole message has come
            "allgather bruck.*: NOT_AWAITED ARRIVED RelayedAllgather.run",
            "NOT_AWAITED ARRIVED RelayedAllgather.run < BlockRecords.run",
            // a rank copies a record for itself, too, and nobody reads it
            "READ_BESIDE ((Direct|Tree)Scatter.scatter|(Direct|Routed)AllToAll.run) < .*BlockRecords.run",
            // each reader is also a source, and the master has awaited the sources of its node
            "^(gather|all-to-all) .*: NOT_AWAITED READY ShownSections.await < ShownSections.findLength",
            // a rank shows what it sends next when it has read what came before; few drawn plans have long blocks only
            // for a rank that sends short ones
            "all-to-all .*: NOT_AWAITED DONE BlockRoles.awaitReaders < BlockExchange.invite",
            // with one step there is nothing to pass on; with 7 nodes one sends in step 1 to who has sent in step 0
            "all-to-all aggregated: NOT_AWAITED ARRIVED .* < RoutedAllToAll.passOn",
            "all-to-all bruck@3-ports: NOT_AWAITED CREDIT RoutedAllToAll.send").map(Pattern::compile).toList();

    static Stream<Algorithm> algorithms() {
        List<Algorithm> all =
                Stream.of(Collective.values()).flatMap(each -> Catalogue.of(each).stream()).toList();
        return IntStream.range(0, all.size()).filter(i -> Math.floorMod(i + SEED, EVERY) == 0).mapToObj(all::get);
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldFindWhateverGoesWrongAtOneLine(Algorithm algorithm) {
        Set<Slip> possible = new TreeSet<>(Comparator.comparing(Slip::toString));
        for (int run = 0; run < SEEDS; run++) {
            assertThat(verify(algorithm, null, possible, run, 1)).isEmpty();
        }
        assertThat(possible).isNotEmpty();
        List<String> wrong = new ArrayList<>();
        int each = 0;
        for (Slip slip : possible) {
            if (each++ % OF_AN_ALGORITHM != 0 || isImplied(algorithm, slip)) {
                continue;
            }
            String found = find(algorithm, slip);
            if (!slip.kind().isFoundBy(found)) {
                wrong.add(slip + ": " + found);
            }
        }
        assertThat(wrong).as(name(algorithm)).isEmpty();
    }

    /** A put reaches a rank that has left its call while another rank waits, which then breaks its communicator. */
    @Test
    void shouldNameTheFaultAndNotTheDeadlockThatFollows() {
        Algorithm algorithm = Catalogue.find(Collective.ALLREDUCE, "srm-binary");
        Set<Slip> possible = new HashSet<>();
        assertThat(verify(algorithm, null, possible, 1, 1)).isEmpty();
        Slip slip =
                possible.stream().filter(each -> each.toString().startsWith("NOT_AWAITED ARRIVED Partners.takeOver"))
                        .findFirst().orElseThrow();
        assertThat(verify(algorithm, slip, Set.of(), 1, 1).orElseThrow()).hasMessageContaining("has left that call");
    }

    private static boolean isImplied(Algorithm algorithm, Slip slip) {
        String text = name(algorithm) + ": " + slip.withoutLines();
        return IMPLIED.stream().anyMatch(pattern -> pattern.matcher(text).find());
    }

    private static String name(Algorithm algorithm) {
        return algorithm.collective().label() + " " + algorithm.description().name();
    }

    /** Blocking calls first, then several operations in flight. */
    private static String find(Algorithm algorithm, Slip slip) {
        for (int stages = 1; stages <= STAGES; stages += STAGES - 1) {
            for (int seed = 0; seed < SEEDS_OF_A_SLIP; seed++) {
                Optional<SimulationFailure> found = verify(algorithm, slip, Set.of(), seed, stages);
                if (found.isPresent()) {
                    return found.get().getMessage().lines().findFirst().orElseThrow();
                }
            }
        }
        return "";
    }

    private static Optional<SimulationFailure> verify(Algorithm algorithm, Slip slip, Set<Slip> possible, int seed,
            int stages) {
        Topology topology = SHAPES[seed % SHAPES.length];
        int part = seed % AlgorithmPlan.parts(algorithm, topology);
        return Verifier.verify(topology, new AlgorithmPlan(algorithm, topology, part, seed).calls(), stages, seed,
                (world, thread) -> new SlippingMachine(world, thread, slip, possible));
    }
}
