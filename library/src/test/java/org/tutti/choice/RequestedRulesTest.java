/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The texts that request algorithms: which algorithm each chooses, and why a text is refused. */
class RequestedRulesTest {
    private static final String TABLE = "Tutti's";

    /** A topology such as 4x2, or the node of each rank such as 0.1.0.1. */
    private static Topology topology(String text) {
        if (text.contains(".")) {
            return new Topology(text.chars().filter(Character::isDigit).map(digit -> digit - '0').toArray());
        }
        int nodes = Integer.parseInt(text.split("x")[0]);
        int each = Integer.parseInt(text.split("x")[1]);
        return new Topology(IntStream.range(0, nodes * each).map(rank -> rank / each).toArray());
    }

    private static void assertChosen(Choice choice, Collective collective, String topology, long bytes,
            boolean commutes, String name) {
        String expected = name.equals(TABLE) ? Choice.DEFAULT.shortlist(topology(topology))
                .algorithm(collective, bytes, commutes).description().name() : name;
        assertThat(choice.shortlist(topology(topology)).algorithm(collective, bytes, commutes).description().name())
                .as("%s bytes on %s", bytes, topology).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "allreduce=ring                                     | 1x2 | 0        | ring",
            "allreduce=ring                                     | 1x2 | 99999999 | ring",
            "allreduce=ring:0-64k,index-radix:64k-              | 1x2 | 65535    | ring",
            "allreduce=ring:0-64k,index-radix:64k-              | 1x2 | 65536    | index-radix",
            "allreduce=ring:0-64k,index-radix:64k-              | 1x2 | 99999999 | index-radix",
            "allreduce=index-radix:64k-,ring:0-64k              | 1x2 | 65535    | ring",
            " allreduce = ring : 0-64k , index-radix : 64k- ,   | 1x2 | 65536    | index-radix",
            "allreduce=ring:1K-1M                               | 1x2 | 1023     | Tutti's",
            "allreduce=ring:1K-1M                               | 1x2 | 1024     | ring",
            "allreduce=ring:1K-1M                               | 1x2 | 1048575  | ring",
            "allreduce=ring:1K-1M                               | 1x2 | 1048576  | Tutti's",
            "allreduce=ring:1000-1001                           | 1x2 | 999      | Tutti's",
            "allreduce=ring:1000-1001                           | 1x2 | 1000     | ring",
            "allreduce=index-range@8k:0-64k                     | 1x2 | 65535    | index-range@8k",
            "reduce=chain:0-,allreduce=ring:0-8                 | 1x2 | 7        | ring",
            "allreduce=ring:0-8,reduce=chain                    | 1x2 | 7        | ring",
            "allreduce=ring,allreduce=rabenseifner              | 1x2 | 8        | rabenseifner",
            "allreduce=ring,allreduce=rabenseifner:64k-         | 1x2 | 65535    | ring",
            "allreduce=ring,allreduce=rabenseifner:64k-         | 1x2 | 65536    | rabenseifner",
            "allreduce=ring:0-64k,allreduce=rabenseifner:32k-1m | 1x2 | 32768    | rabenseifner",
            "allreduce=ring:0-64k,allreduce=rabenseifner        | 1x2 | 8        | rabenseifner",
            "allreduce=ring:0-64k,qian-afsahi                   | 1x2 | 8        | ring",
            "4x2:allreduce=ring                                 | 4x2 | 8        | ring",
            "4x2:allreduce=ring                                 | 2x4 | 8        | Tutti's",
            "4x2:allreduce=ring                                 | 4x1 | 8        | Tutti's",
            "4x2: allreduce=ring:0-64k, index-radix:64k-        | 4x2 | 65536    | index-radix",
            "4x2: allreduce=ring:0-64k, index-radix:64k-        | 2x4 | 65536    | Tutti's",
            "allreduce=ring,4x2:allreduce=rabenseifner          | 4x2 | 8        | rabenseifner",
            "allreduce=ring,4x2:allreduce=rabenseifner          | 1x2 | 8        | ring",
            "4x2:allreduce=rabenseifner,allreduce=ring          | 4x2 | 8        | ring"})
    void shouldChooseAsTheTextSays(String text, String topology, long bytes, String name) {
        assertChosen(Choice.parse(text), Collective.ALLREDUCE, topology, bytes, true, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ring", "ring:0-64k"})
    void shouldRefuseAnEntryWithoutACollective(String text) {
        for (String before : new String[]{"", "qian-afsahi,"}) {
            assertThatThrownBy(() -> Choice.parse(before + text)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("\"" + text + "\" is neither of the form collective=algorithm or "
                            + "collective=algorithm:FROM-TO, nor a table of rules, of which there is qian-afsahi");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            barrier=flat:0-64q            | "0-64q" NO_RANGE
            barrier=flat:                 | "" NO_RANGE
            barrier=flat:64k              | "64k" NO_RANGE
            barrier=flat:-64k             | "-64k" NO_RANGE
            barrier=flat:0-8-9            | "0-8-9" NO_RANGE
            barrier=flat:0-9999999999999  | "0-9999999999999" NO_RANGE
            barrier=flat:0-8;reduce=srm   | "0-8;reduce=srm" NO_RANGE
            barrier=flat:64k-64k          | the range 64k-64k EMPTY 64k
            barrier=flat:0-0              | the range 0-0 EMPTY 0
            barrier=flat:2048-1K          | the range 2048-1K EMPTY 2k
            barrier=flat:0-64k,srm:32k-   | flat:0-64k and srm:32k- OVERLAP
            barrier=flat:0-8,tree:8-9,srm:7-8 | flat:0-8 and srm:7-8 OVERLAP
            barrier=flat,srm:1m-          | flat:0- and srm:1m- OVERLAP
            1x2:barrier=flat:0-8,flat:0-  | flat:0-8 and flat:0- OVERLAP
            barrier=falt:0-64k            | there is no algorithm "falt" for barrier; did you mean flat? There BARRIERS
            barrier=flat:0-8,best:8-      | there is no algorithm "best" for barrier; there BARRIERS
            barier=flat                   | there is no collective "barier"; did you mean barrier? There COLLECTIVES
            gossip=flat                   | there is no collective "gossip"; there COLLECTIVES
            4y2:barrier=flat              | "4y2" NO_LAYOUT
            0x2:barrier=flat              | "0x2" NO_LAYOUT
            :barrier=flat                 | "" NO_LAYOUT""")
    void shouldSayWhyATextIsRefused(String text, String message) {
        String whole = message
                .replace("NO_RANGE", "is no range of message bytes; give FROM-TO such as 0-64k, or FROM- such as 64k- "
                        + "without an end")
                .replace("EMPTY", "is empty, because its end is exclusive; give an end above")
                .replace("OVERLAP", "overlap; give each length of a message to one algorithm")
                .replace("BARRIERS", "are srm, flat, tree, halving, cheng, cheng-random")
                .replace("COLLECTIVES", "are barrier, broadcast, reduce, allreduce, gather, scatter, allgather, "
                        + "all-to-all, reduce-scatter, scan, exclusive-scan")
                .replace("NO_LAYOUT", "is no layout; give NODESxRANKS, such as 4x2 for 4 nodes with 2 ranks each");
        assertThatThrownBy(() -> Choice.parse(text)).isInstanceOf(IllegalArgumentException.class).hasMessage(whole);
    }

    @Test
    void shouldTakeAListOfOneCollective() {
        Choice choice = Choice.DEFAULT.with(Collective.ALLREDUCE, "ring:0-64k, index-radix:64k-1m");
        assertChosen(choice, Collective.ALLREDUCE, "1x2", 65535, true, "ring");
        assertChosen(choice, Collective.ALLREDUCE, "1x2", 65536, true, "index-radix");
        assertChosen(choice, Collective.ALLREDUCE, "1x2", 1 << 20, true, TABLE);
        assertChosen(choice.with(Collective.ALLREDUCE, "flat"), Collective.ALLREDUCE, "1x2", 8, true, "flat");
        assertThatThrownBy(() -> choice.with(Collective.ALLREDUCE, "ring:0-64k,"))
                .hasMessageStartingWith("there is no algorithm \"\" for allreduce; there are ");
    }

    /** A rule of the table that does not keep the order of the ranks would not be taken, either. */
    @Test
    void shouldLeaveOperatorsThatNeedTheOrderToTutti() {
        for (String text : new String[]{"allreduce=ring:8-64k", "4x1:allreduce=ring", "2x2:allreduce=ring"}) {
            assertChosen(Choice.parse(text), Collective.ALLREDUCE, "0.1.0.1", 8, false, TABLE);
        }
        assertChosen(Choice.parse("allreduce=ring:8-64k"), Collective.ALLREDUCE, "0.1.0.1", 8, true, "ring");
        assertChosen(Choice.parse("allreduce=ring:8-64k"), Collective.ALLREDUCE, "1x4", 8, false, "ring");
    }

    /** The name without a range holds for all lengths that the list leaves, and is refused there. */
    @Test
    void shouldNameTheAlgorithmThatIsRefused() {
        Shortlist shortlist = Choice.parse("allreduce=ring,allreduce=rank-order:0-8").shortlist(topology("0.1.0.1"));
        assertThat(shortlist.algorithm(Collective.ALLREDUCE, 7, false).description().name()).isEqualTo("rank-order");
        assertThatThrownBy(() -> shortlist.algorithm(Collective.ALLREDUCE, 8, false))
                .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("algorithm \"ring\" does not ");
    }
}
