/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.layout.RingLayout;
import org.tutti.simulator.cost.Costs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** How many messages scans on two levels send, and how many of them wait for each other. */
class ScanMessagesTest {
    private static final double EXACT = 1e-9;
    private static final int RANKS = 3;
    private static final long SHORT_BYTES = 8;

    /** Only the way over the rail takes time: a microsecond a message. */
    private static final Model LATENCY =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    /** Hillis and Steele 1986: ⌈log₂ n⌉ steps, in step j all nodes but 2^j of them send; ⌊log₂ n⌋ messages in a row. */
    @ParameterizedTest
    @CsvSource({"2, 1, 1, 1", "3, 1, 3, 2", "4, 2, 5, 2", "5, 2, 8, 3", "6, 2, 11, 3", "7, 2, 14, 3", "8, 3, 17, 3",
            "9, 3, 21, 4", "13, 3, 37, 4", "16, 4, 49, 4"})
    void shouldDoubleInAsManyStepsAsTheLogarithm(int nodes, int inARow, int messages, int busiest) {
        shouldSend("doubling", nodes, inARow, messages, busiest);
    }

    /** Brent and Kung 1982: for powers of two 2·n − 2 − log₂ n messages, from 4 on 2·log₂ n − 2 of them in a row. */
    @ParameterizedTest
    @CsvSource({"2, 1, 1, 1", "3, 2, 2, 1", "4, 2, 4, 2", "5, 3, 5, 2", "6, 3, 7, 2", "7, 4, 8, 2", "8, 4, 11, 3",
            "9, 4, 12, 3", "13, 5, 19, 3", "15, 6, 22, 3", "16, 6, 26, 4"})
    void shouldGoUpAndDownATreeWithLessThanTwoMessagesANode(int nodes, int inARow, int messages, int busiest) {
        shouldSend("binomial", nodes, inARow, messages, busiest);
        assertThat(messages).isLessThan(2 * nodes);
    }

    private static void shouldSend(String name, int nodes, int inARow, int messages, int busiest) {
        for (Collective collective : new Collective[]{Collective.SCAN, Collective.EXCLUSIVE_SCAN}) {
            Prediction inShort = scan(collective, name, Sweep.even(nodes, RANKS), SHORT_BYTES);
            assertThat(inShort.micros()).isCloseTo(inARow, within(EXACT));
            assertThat(inShort.messages()).isEqualTo(messages);
            assertThat(inShort.bytesPerRail()).isEqualTo(busiest * SHORT_BYTES);
            assertThat(Costs.of(Catalogue.find(collective, name), nodes, RANKS, SHORT_BYTES).railSteps())
                    .isEqualTo(inARow);
            // all are invited at once; each message is an invitation, a put, and one that raises the word
            Prediction longer = scan(collective, name, Sweep.even(nodes, RANKS), longBytes(nodes));
            assertThat(longer.micros()).isCloseTo(1 + inARow, within(EXACT));
            assertThat(longer.messages()).isEqualTo(3L * messages);
        }
    }

    /** Where the ranks of a node do not follow each other, and where there is one node, scans are direct. */
    @ParameterizedTest
    @EnumSource(names = {"SCAN", "EXCLUSIVE_SCAN"})
    void shouldBeDirectElsewhere(Collective collective) {
        for (Topology topology : new Topology[]{new Topology(new int[]{0, 1, 0, 1, 0}), Sweep.even(1, RANKS)}) {
            Prediction direct = scan(collective, "direct", topology, longBytes(topology.nodes()));
            for (String name : new String[]{"doubling", "binomial"}) {
                Prediction other = scan(collective, name, topology, longBytes(topology.nodes()));
                assertThat(other.trace().size()).isEqualTo(direct.trace().size());
                assertThat(other.messages()).isEqualTo(direct.messages());
            }
        }
    }

    /** {@return the length of a message that just exceeds the long buffer of a pair, and is one operation} */
    private static long longBytes(int nodes) {
        return RingLayout.pairLongBytes(nodes) + Long.BYTES;
    }

    private static Prediction scan(Collective collective, String name, Topology topology, long bytes) {
        return Prediction.of(Catalogue.find(collective, name), topology, bytes, 0, LATENCY);
    }
}
