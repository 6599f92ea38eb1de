/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Rule.Length;
import org.tutti.choice.Rule.Range;
import org.tutti.collective.Algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The algorithm that is chosen is that of the first matching line of the table that {@code tutti info --choices}
 * prints, on all kinds of topologies and at both sides of each limit that the table names. No limit of the table stands
 * here, so that it can be tuned without an edit of this test.
 */
class ChoiceTest {
    private static final boolean[] OPERATORS = {true, false}; // whether they commute
    private static final List<Topology> TOPOLOGIES = topologies();

    private static List<Topology> topologies() {
        List<PrintedRule> all = PrintedRule.of(Stream.concat(
                Arrays.stream(Collective.values()).flatMap(collective -> Choice.rules(collective).stream()),
                Choice.tables().values().stream().flatMap(List::stream)).toList());
        List<Topology> topologies = new ArrayList<>();
        for (int nodes : withNeighbours(all.stream().map(PrintedRule::nodes))) {
            for (int ranks : withNeighbours(all.stream().map(PrintedRule::ranks))) {
                if (ranks >= nodes) {
                    int[] blocks = IntStream.range(0, ranks).map(rank -> rank * nodes / ranks).toArray();
                    int[] turns = IntStream.range(0, ranks).map(rank -> rank % nodes).toArray();
                    topologies.addAll(
                            List.of(new Topology(blocks), new Topology(turns), new Topology(blocks).withLevels(2),
                                    new Topology(turns).withLevels(2, 4),
                                    new Topology(blocks).withLevels(Math.max(2, ranks))));
                }
            }
        }
        return topologies;
    }

    /** The numbers in the texts and those beside them. */
    private static Set<Integer> withNeighbours(Stream<String> texts) {
        return texts.flatMap(text -> PrintedRule.numbers(text).boxed()).map(Math::toIntExact)
                .flatMap(number -> Stream.of(number - 1, number, number + 1)).filter(number -> number > 0)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Both sides of each limit, and some lengths of any. */
    private static Set<Long> lengths(List<PrintedRule> rules, int nodes) {
        return Stream.concat(Stream.of(0L, 1L, 8L, 1L << 40),
                rules.stream().map(rule -> rule.bytesMin(nodes))
                        .flatMap(least -> Stream.of(least - 1, least, least + 1)))
                .filter(length -> length >= 0).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<PrintedRule> printed(Collective collective) {
        return PrintedRule.of(Choice.rules(collective));
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeTheFirstPrintedRuleThatFits(Collective collective) {
        assertThatTheFirstIsTaken(collective, Choice.DEFAULT, printed(collective));
    }

    @ParameterizedTest
    @EnumSource(names = {"GATHER", "ALLGATHER", "ALL_TO_ALL"})
    void shouldTakeThePrintedRulesOfATableBeforeTheOthers(Collective collective) {
        List<Rule> table = Choice.tables().get("qian-afsahi").stream()
                .filter(rule -> rule.algorithm().collective() == collective).toList();
        assertThat(table).isNotEmpty();
        assertThatTheFirstIsTaken(collective, Choice.parse("qian-afsahi"), PrintedRule.of(
                Stream.concat(table.stream(), Choice.rules(collective).stream()).toList()));
    }

    private static void assertThatTheFirstIsTaken(Collective collective, Choice choice, List<PrintedRule> rules) {
        Map<Links, Choice> choices =
                Arrays.stream(Links.values()).collect(Collectors.toMap(links -> links, choice::over));
        forEachCall(choice, rules, (topology, links, commutes, bytes, shortlist) -> {
            PrintedRule first = rules.stream().filter(rule -> rule.fits(topology, links, commutes, bytes)).findFirst()
                    .orElseThrow(() -> new AssertionError("no rule for " + bytes + " bytes on " + topology));
            String name = shortlist.algorithm(collective, bytes, commutes).description().name();
            Rule rule = choices.get(links).rule(collective, topology, bytes, commutes).orElseThrow();
            String named = rule.algorithm().description().name();
            // without an assertion for each call, of which there are many
            if (!name.equals(first.algorithm()) || !named.equals(name)) {
                assertThat(List.of(name, named))
                        .as("%s, %s bytes, %s links, operator commutes: %s", topology, bytes, links, commutes)
                        .containsOnly(first.algorithm());
            }
        });
    }

    private interface Call {
        void accept(Topology topology, Links links, boolean commutes, long bytes, Shortlist shortlist);
    }

    private static void forEachCall(Choice choice, List<PrintedRule> rules, Call call) {
        for (Topology topology : TOPOLOGIES) {
            for (Links links : Links.values()) {
                Shortlist shortlist = choice.over(links).shortlist(topology);
                for (boolean commutes : OPERATORS) {
                    for (long bytes : lengths(rules, topology.nodes())) {
                        call.accept(topology, links, commutes, bytes, shortlist);
                    }
                }
            }
        }
    }

    /** A rule that never is the first to fit stands below one that covers it, or says the same as the next. */
    @ParameterizedTest
    @EnumSource
    void shouldHaveNoRuleThatChangesNothing(Collective collective) {
        List<PrintedRule> rules = printed(collective);
        Set<PrintedRule> changing = new HashSet<>();
        forEachCall(Choice.DEFAULT, rules, (topology, links, commutes, bytes, _) -> {
            List<PrintedRule> fitting =
                    rules.stream().filter(rule -> rule.fits(topology, links, commutes, bytes)).toList();
            if (fitting.size() == 1 || !fitting.get(0).algorithm().equals(fitting.get(1).algorithm())) {
                changing.add(fitting.getFirst());
            }
        });
        assertThat(changing).containsExactlyInAnyOrderElementsOf(rules);
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheOrderOfTheRanksWhereTheOperatorDoesNotCommute(Collective collective) {
        forEachCall(Choice.DEFAULT, printed(collective), (topology, _, commutes, bytes, shortlist) -> {
            Algorithm algorithm = shortlist.algorithm(collective, bytes, commutes);
            boolean kept = switch (algorithm.description().order()) {
                case ALWAYS -> true;
                case BLOCKS -> PrintedRule.isInBlocks(topology);
                case ONE_NODE -> topology.nodes() == 1;
            };
            if (algorithm.collective() != collective || !commutes && !kept) {
                throw new AssertionError(collective + " of " + bytes + " bytes on " + topology + " takes "
                        + algorithm.collective() + " " + algorithm.description());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldChooseAlikeOnOneNodeWhateverTheLinksAre(Collective collective) {
        forEachCall(Choice.DEFAULT, printed(collective), (topology, links, commutes, bytes, shortlist) -> {
            if (topology.nodes() == 1 && links == Links.SLOW) {
                assertThat(shortlist.algorithm(collective, bytes, commutes))
                        .isSameAs(Choice.DEFAULT.shortlist(topology).algorithm(collective, bytes, commutes));
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"BROADCAST, srm", "REDUCE, srm", "ALLREDUCE, ring", "ALLGATHER, bruck", "REDUCE_SCATTER, pairwise"})
    void shouldTakeWhatIsAskedForWhateverTheLinksAre(Collective collective, String name) {
        forEachCall(Choice.DEFAULT.with(collective, name), printed(collective),
                (_, _, commutes, bytes, shortlist) -> {
                    if (commutes) {
                        assertThat(shortlist.algorithm(collective, bytes, true).description().name()).isEqualTo(name);
                    }
                });
    }

    @Test
    void shouldPrintRangesAndLengths() {
        assertThat(Range.from(1)).hasToString("any");
        assertThat(Range.from(2)).hasToString("2 or more");
        assertThat(Range.exactly(4)).hasToString("4");
        assertThat(Range.upTo(8)).hasToString("up to 8");
        assertThat(new Range(3, 8)).hasToString("3 to 8");
        assertThat(Length.from(0)).hasToString("any");
        assertThat(Length.from(512)).hasToString("512 B or more");
        assertThat(Length.from(128 << 10)).hasToString("128 KiB or more");
        assertThat(Length.fromForEachNode(4 << 10)).hasToString("4 KiB a node or more");
        assertThat(Length.parse("0-64k")).hasToString("below 64 KiB");
        assertThat(Length.parse("1-1500")).hasToString("1 B to below 1500 B");
        assertThat(Length.parse("1k-1m")).hasToString("1 KiB to below 1024 KiB");
        assertThat(Length.parse("0-")).hasToString("any");
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
        for (long bytes : lengths(printed(Collective.REDUCE), 1)) {
            assertThat(shortlist.algorithm(Collective.REDUCE, bytes, true).description().name()).isEqualTo("chain");
            assertThat(shortlist.algorithm(Collective.REDUCE, bytes, false).description().name()).isEqualTo("chain");
        }
        assertThat(shortlist.algorithm(Collective.BARRIER, 0, true).description().name()).isEqualTo("tree");
        assertThat(shortlist.algorithm(Collective.ALLREDUCE, 0, true)).as("of which nothing was said").isSameAs(
                Choice.DEFAULT.shortlist(topology("1x4")).algorithm(Collective.ALLREDUCE, 0, true));
    }

    /** Qian and Afsahi, section 7, at the powers of two that they measured; what they have not is as ever. */
    @ParameterizedTest
    @CsvSource({"GATHER, 8, tree", "GATHER, 256, tree", "GATHER, 512, direct", "GATHER, 1048576, direct",
            "ALLGATHER, 8, gather-and-broadcast", "ALLGATHER, 256, gather-and-broadcast", "ALLGATHER, 512, bruck",
            "ALLGATHER, 8192, bruck", "ALLGATHER, 16384, direct", "ALL_TO_ALL, 64, bruck",
            "ALL_TO_ALL, 128, direct"})
    void shouldChooseAsThePaperWhenAskedTo(Collective collective, long bytes, String name) {
        Choice choice = Choice.parse("qian-afsahi");
        assertThat(choice.shortlist(topology("2x4")).algorithm(collective, bytes, true).description().name())
                .isEqualTo(name);
        assertThat(choice.shortlist(topology("1x4")).algorithm(collective, bytes, true))
                .isSameAs(Choice.DEFAULT.shortlist(topology("1x4")).algorithm(collective, bytes, true));
        assertThat(choice.shortlist(topology("2x4")).algorithm(Collective.REDUCE, bytes, true))
                .isSameAs(Choice.DEFAULT.shortlist(topology("2x4")).algorithm(Collective.REDUCE, bytes, true));
    }

    /** A range has no effect where ranks do not know all lengths. The longest block of a reduce-scatter is known. */
    @ParameterizedTest
    @CsvSource({"'', GATHER, 8, blocks", "'', ALL_TO_ALL, 1048576, blocks", "'', REDUCE_SCATTER, 1048576, direct",
            "gather=tree, GATHER, 8, tree", "gather=tree@2-ports, GATHER, 0, tree@2-ports",
            "gather=tree, SCATTER, 8, blocks", "scatter=halving, SCATTER, 8, halving",
            "allgather=bruck, ALLGATHER, 1048576, bruck", "all-to-all=blocks, ALL_TO_ALL, 8, blocks",
            "all-to-all=bruck:0-1m, ALL_TO_ALL, 8, blocks", "2x4:all-to-all=bruck, ALL_TO_ALL, 8, bruck",
            "3x4:all-to-all=bruck, ALL_TO_ALL, 8, blocks", "qian-afsahi, ALL_TO_ALL, 8, bruck",
            "reduce-scatter=halving:0-1k, REDUCE_SCATTER, 1023, halving",
            "reduce-scatter=halving:0-1k, REDUCE_SCATTER, 1024, direct"})
    void shouldTakeWhatIsAskedForWhereBlocksDifferInLength(String text, Collective collective, long longest,
            String name) {
        Shortlist shortlist = Choice.parse(text).shortlist(topology("2x4"));
        assertThat(shortlist.ofBlocks(collective, longest, true).description().name()).isEqualTo(name);
    }

    @Test
    void shouldKeepTheOrderOfTheRanksWhereBlocksDifferInLength() {
        Topology turns = topology("0.1.0.1");
        assertThat(Choice.DEFAULT.shortlist(turns).ofBlocks(Collective.REDUCE_SCATTER, 8, false).description().name())
                .isEqualTo("rank-order");
        assertThatThrownBy(() -> Choice.parse("reduce-scatter=pairwise").shortlist(turns)
                .ofBlocks(Collective.REDUCE_SCATTER, 8, false)).hasMessageContaining("does not commute");
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

    private static Topology topology(String shape) {
        if (shape.contains(".")) {
            return new Topology(numbers(shape, "\\."));
        }
        int[] counts = numbers(shape, "x");
        int[] nodeOfRank = new int[counts[0] * counts[1]];
        Arrays.setAll(nodeOfRank, rank -> rank / counts[1]);
        return new Topology(nodeOfRank);
    }

    private static int[] numbers(String text, String separator) {
        return Arrays.stream(text.split(separator)).mapToInt(Integer::parseInt).toArray();
    }

    /** A name without a number of ports stands for as many as there are rails; a number in the name stays. */
    @ParameterizedTest
    @CsvSource({"1, direct, direct", "2, direct, direct@2-ports", "4, bruck, bruck@4-ports", "2, bruck@1-ports, "
            + "bruck@1-ports", "2, bruck@3-ports, bruck@3-ports", "2, halving, halving", "2, ring, ring"})
    void shouldHaveAsManyPortsAsRails(int rails, String name, String expected) {
        Choice choice = Choice.DEFAULT.with(Collective.ALLGATHER, name).withRails(rails);
        assertThat(nameOf(choice, new Topology(new int[]{0, 0, 1, 1, 2, 2}))).isEqualTo(expected);
        assertThat(nameOf(choice, new Topology(new int[3]))).isEqualTo(name);
    }

    private static String nameOf(Choice choice, Topology topology) {
        return choice.shortlist(topology).algorithm(Collective.ALLGATHER, 8, true).description().name();
    }
}
