/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What docs/algorithms.md says is chosen, on all kinds of shapes, and at both sides of each limit. */
class ChoiceTest {
    /** Every number of bytes at which some choice changes. */
    private static final long[] LIMITS = {128, 512, 8192, 65536, 131072, 262144, 786432, 1048576, 2359296, 1L << 40};

    /**
     * Shapes are the node of each rank, or nodes x ranks on each, then the levels. What is expected is an algorithm,
     * and for longer messages from how many bytes on which other one.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1x1          | barrier   | commutes | flat
            1x2          | barrier   | commutes | flat
            1x8          | barrier   | commutes | flat
            1x9          | barrier   | commutes | srm
            1x64         | barrier   | commutes | srm
            1x8/4        | barrier   | commutes | tree
            1x64/8.16    | barrier   | commutes | tree
            1x4/4        | barrier   | commutes | flat
            1x9/9        | barrier   | commutes | srm
            2x1          | barrier   | commutes | srm
            2x4          | barrier   | commutes | srm
            2x8/2        | barrier   | commutes | srm
            0.1.0.1      | barrier   | commutes | srm
            1x1          | broadcast | commutes | slot-ring
            1x4          | broadcast | commutes | slot-ring
            1x64/8.16    | broadcast | commutes | slot-ring
            2x1          | broadcast | commutes | slot-ring 131072 srm 524288 srm@240k
            2x4          | broadcast | commutes | slot-ring 131072 srm 524288 srm@240k
            2x8/2        | broadcast | commutes | slot-ring 131072 srm 524288 srm@240k
            0.1.0.1      | broadcast | commutes | slot-ring 131072 srm 524288 srm@240k
            3x1          | broadcast | commutes | slot-ring 131072 srm 786432 chain
            0.1.1.2.0    | broadcast | commutes | slot-ring 131072 srm 786432 chain
            4x2          | broadcast | commutes | slot-ring 131072 srm 1048576 chain
            9x3/2        | broadcast | commutes | slot-ring 131072 srm 2359296 chain
            1x1          | reduce    | commutes | flat 65536 srm 262144 index-range
            1x4          | reduce    | commutes | flat 65536 srm 262144 index-range
            1x4          | reduce    | ordered  | flat 65536 srm 262144 index-range
            1x64         | reduce    | commutes | flat 65536 srm 262144 index-range
            1x8/8        | reduce    | commutes | flat 65536 srm 262144 index-range
            1x8/4        | reduce    | commutes | srm
            1x8/4        | reduce    | ordered  | srm
            2x1          | reduce    | commutes | srm 524288 srm@240k
            2x1          | reduce    | ordered  | srm 524288 srm@240k
            9x3/2        | reduce    | commutes | srm 2359296 srm@240k
            9x3/2        | reduce    | ordered  | srm 2359296 srm@240k
            0.0.1.2.2.2  | reduce    | ordered  | srm 786432 srm@240k
            0.1.0.1      | reduce    | commutes | srm 524288 srm@240k
            0.1.0.1      | reduce    | ordered  | rank-order
            0.1.1.0.1/2  | reduce    | ordered  | rank-order
            1x1          | allreduce | commutes | flat 8192 index-range
            1x4          | allreduce | commutes | flat 8192 index-range
            1x4          | allreduce | ordered  | flat 8192 index-range
            1x16         | allreduce | commutes | flat 8192 index-range
            1x17         | allreduce | commutes | srm 8192 index-range
            1x17         | allreduce | ordered  | srm 8192 index-range
            1x64/64      | allreduce | commutes | srm 8192 index-range
            1x8/4        | allreduce | commutes | srm 512 index-radix
            1x64/8.16    | allreduce | commutes | srm 512 index-radix
            1x64/8.16    | allreduce | ordered  | srm 512 index-radix
            2x1          | allreduce | commutes | srm 65536 index-range
            2x1          | allreduce | ordered  | srm 65536 index-range
            9x3/2        | allreduce | commutes | srm 65536 index-range
            9x3/2        | allreduce | ordered  | srm 65536 index-range
            0.0.1.2.2.2  | allreduce | ordered  | srm 65536 index-range
            0.1.0.1      | allreduce | commutes | srm 65536 index-range
            0.1.0.1      | allreduce | ordered  | rank-order
            0.1.1.0.1/2  | allreduce | ordered  | rank-order
            1x4          | allgather | commutes | direct
            2x1          | allgather | commutes | direct
            2x2          | allgather | commutes | direct 1048576 blocks
            4x2          | allgather | commutes | standard-exchange 1024 direct 1048576 blocks
            2x4          | allgather | commutes | direct 1048576 blocks
            3x3          | allgather | commutes | standard-exchange 1024 direct
            1x4          | all_to_all | commutes | direct
            2x1          | all_to_all | commutes | direct 262144 blocks
            4x2          | all_to_all | commutes | bruck 128 direct 262144 blocks
            0.1.0.1      | all_to_all | commutes | direct 262144 blocks
            2x32         | all_to_all | commutes | direct 262144 blocks
            5x13         | all_to_all | commutes | bruck 128 direct""")
    void shouldChoose(String shape, String collective, String operator, String expected) {
        Shortlist shortlist = Choice.DEFAULT.shortlist(topology(shape));
        Collective called = Collective.valueOf(collective.toUpperCase(Locale.ROOT));
        String[] steps = expected.split(" ");
        for (long bytes : lengths()) {
            String name = steps[0];
            for (int step = 1; step < steps.length; step += 2) {
                name = bytes >= Long.parseLong(steps[step]) ? steps[step + 1] : name;
            }
            assertThat(shortlist.algorithm(called, bytes, operator.equals("commutes")).description().name())
                    .as("%s bytes", bytes).isEqualTo(name);
        }
    }

    /** Where links are slow no byte enters or leaves a node twice. */
    @ParameterizedTest
    @CsvSource({"2x2, BROADCAST, 65536, slot-ring", "4x1, BROADCAST, 16376, slot-ring", "4x1, BROADCAST, 16384, chain",
            "8x2, BROADCAST, 16384, slot-ring", "8x2, BROADCAST, 65536, chain", "2x2, REDUCE, 1048576, srm@240k",
            "3x1, REDUCE, 49152, chain", "4x2, REDUCE, 32760, srm", "4x2, REDUCE, 32768, chain",
            "4x1, ALLREDUCE, 8184, srm", "4x1, ALLREDUCE, 8192, rabenseifner", "8x2, ALLREDUCE, 16376, srm",
            "3x1, ALLREDUCE, 65528, rabenseifner", "4x1, ALLREDUCE, 65536, index-range", "2x2, ALLREDUCE, 32768, srm",
            "1x4, BROADCAST, 1048576, slot-ring", "3x2, ALLGATHER, 65536, direct",
            "4x1, REDUCE_SCATTER, 65528, direct", "4x2, REDUCE_SCATTER, 65536, halving",
            "3x1, REDUCE_SCATTER, 65536, direct", "8x1, REDUCE_SCATTER, 65536, direct"})
    void shouldChooseForSlowLinks(String shape, Collective collective, long bytes, String name) {
        Choice choice = Choice.DEFAULT.over(Links.SLOW);
        assertThat(choice.shortlist(topology(shape)).algorithm(collective, bytes, true).description().name())
                .isEqualTo(name);
        String asked = switch (collective) {
            case ALLGATHER -> "bruck";
            case ALLREDUCE -> "ring";
            case REDUCE_SCATTER -> "pairwise";
            default -> "srm";
        };
        assertThat(choice.with(collective, asked).shortlist(topology(shape)).algorithm(collective, bytes, true)
                .description().name()).as("what is asked for counts more").isEqualTo(asked);
    }

    @Test
    void shouldRefuseLinksThatThereAreNot() {
        assertThat(Links.parse("slow")).isEqualTo(Links.SLOW);
        assertThatThrownBy(() -> Links.parse("1gbit")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("\"1gbit\" is no kind of links; give fast or slow");
    }

    @ParameterizedTest
    @CsvSource({"0.1.0.1, srm", "0.0.1.1, ring"})
    void shouldRefuseWhatIsAskedForAndDoesNotKeepTheOrder(String shape, String name) {
        Shortlist shortlist = Choice.DEFAULT.with(Collective.ALLREDUCE, name).shortlist(topology(shape));
        assertThat(shortlist.algorithm(Collective.ALLREDUCE, 8, true).description().name()).isEqualTo(name);
        assertThatThrownBy(() -> shortlist.algorithm(Collective.ALLREDUCE, 8, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("\"" + name + "\"", topology(shape).toString(), "does not commute");
    }

    /** A lone rank runs no algorithm, on one node all combine in order, and of no elements nothing is combined. */
    @ParameterizedTest
    @CsvSource({"1x1, 8", "1x2, 8", "1x5, 1048576", "2x2, 0", "0.1.0.1, 0"})
    void shouldTakeWhatIsAskedForWhereTheOrderDoesNotMatter(String shape, long bytes) {
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                String name = algorithm.description().name();
                assertThat(Choice.DEFAULT.with(collective, name).shortlist(topology(shape))
                        .algorithm(collective, bytes, false)).isSameAs(algorithm);
            }
        }
    }

    @Test
    void shouldChooseWhatIsAskedForInsteadOfAllRules() {
        Shortlist shortlist = Choice.parse("reduce=chain, barrier=tree").shortlist(topology("1x4"));
        for (long bytes : lengths()) {
            assertThat(shortlist.algorithm(Collective.REDUCE, bytes, true).description().name()).isEqualTo("chain");
            assertThat(shortlist.algorithm(Collective.REDUCE, bytes, false).description().name()).isEqualTo("chain");
        }
        assertThat(shortlist.algorithm(Collective.BARRIER, 0, true).description().name()).isEqualTo("tree");
        assertThat(shortlist.algorithm(Collective.ALLREDUCE, 0, true).description().name()).isEqualTo("flat");
    }

    /** Qian and Afsahi, section 7, at the powers of two that they measured; what they have not is as ever. */
    @ParameterizedTest
    @CsvSource({"GATHER, 8, tree", "GATHER, 256, tree", "GATHER, 512, direct", "GATHER, 1048576, direct",
            "ALLGATHER, 8, gather-and-broadcast", "ALLGATHER, 256, gather-and-broadcast", "ALLGATHER, 512, bruck",
            "ALLGATHER, 8192, bruck", "ALLGATHER, 16384, direct", "ALL_TO_ALL, 64, bruck", "ALL_TO_ALL, 128, direct",
            "SCATTER, 8, direct", "REDUCE, 8, srm"})
    void shouldChooseAsThePaperWhenAskedTo(Collective collective, long bytes, String name) {
        Choice choice = Choice.parse("qian-afsahi");
        assertThat(choice.shortlist(topology("2x4")).algorithm(collective, bytes, true).description().name())
                .isEqualTo(name);
        assertThat(choice.shortlist(topology("1x4")).algorithm(collective, bytes, true))
                .isSameAs(Choice.DEFAULT.shortlist(topology("1x4")).algorithm(collective, bytes, true));
    }

    @Test
    void shouldTakeWhatIsAskedForLast() {
        assertThat(Choice.parse("qian-afsahi,gather=halving").shortlist(topology("2x2"))
                .algorithm(Collective.GATHER, 8, true).description().name()).isEqualTo("halving");
        assertThat(Choice.parse("gather=halving, qian-afsahi").shortlist(topology("2x2"))
                .algorithm(Collective.GATHER, 8, true).description().name()).isEqualTo("tree");
        assertThatThrownBy(() -> Choice.parse("qian")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nor a table of rules, of which there is qian-afsahi");
    }

    private static TreeSet<Long> lengths() {
        TreeSet<Long> lengths = new TreeSet<>(List.of(0L, 1L, 8L, 112L, 113L));
        for (long limit : LIMITS) {
            lengths.addAll(List.of(limit - 1, limit, limit + 1));
        }
        return lengths;
    }

    private static Topology topology(String shape) {
        String[] sides = shape.split("/");
        int[] levels = sides.length == 1 ? new int[0] : numbers(sides[1], "\\.");
        if (sides[0].contains(".")) {
            return new Topology(numbers(sides[0], "\\."), levels);
        }
        int[] counts = numbers(sides[0], "x");
        int[] nodeOfRank = new int[counts[0] * counts[1]];
        Arrays.setAll(nodeOfRank, rank -> rank / counts[1]);
        return new Topology(nodeOfRank, levels);
    }

    private static int[] numbers(String text, String separator) {
        return Arrays.stream(text.split(separator)).mapToInt(Integer::parseInt).toArray();
    }
}
