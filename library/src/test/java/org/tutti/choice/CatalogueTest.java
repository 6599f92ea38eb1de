/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Reduction;
import org.tutti.Tutti;
import org.tutti.collective.Algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Algorithms are found by name, with chunks of a length or without. */
class CatalogueTest {
    @Test
    void shouldFindAnAlgorithmWithChunksOfALength() {
        Algorithm usual = Catalogue.find(Collective.REDUCE, "srm");
        Algorithm other = Catalogue.find(Collective.REDUCE, "srm@4k");
        assertThat(other.description().name()).isEqualTo("srm@4k");
        assertThat(other.getClass()).isEqualTo(usual.getClass());
        // on one node each of three ranks has two buffers, of 64 KiB or of 4
        assertThat(usual.memoryBytes(1, 3, 1 << 20)).isEqualTo(3 * 2 * (64 << 10));
        assertThat(other.memoryBytes(1, 3, 1 << 20)).isEqualTo(3 * 2 * (4 << 10));
        assertThat(Catalogue.search(Collective.BROADCAST, "slot-ring@1024k")).isPresent();
    }

    /** As many as there may be rails. */
    @Test
    void shouldFindEveryNumberOfPorts() {
        for (int count = 2; count <= 4; count++) {
            String ports = "@" + count + "-ports";
            for (String name : new String[]{"bruck", "standard-exchange", "gather-and-broadcast"}) {
                assertThat(Catalogue.find(Collective.ALLGATHER, name + ports).description().name())
                        .isEqualTo(name + ports);
            }
            assertThat(Catalogue.search(Collective.GATHER, "tree" + ports)).isPresent();
            assertThat(Catalogue.search(Collective.SCATTER, "tree" + ports)).isPresent();
            assertThat(Catalogue.search(Collective.ALL_TO_ALL, "bruck" + ports)).isPresent();
            assertThat(Catalogue.search(Collective.ALL_TO_ALL, "standard-exchange" + ports)).isPresent();
            assertThat(Catalogue.search(Collective.REDUCE_SCATTER, "halving" + ports)).isPresent();
        }
        assertThat(Catalogue.search(Collective.ALLGATHER, "bruck@5-ports")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"srm@", "srm@3k", "srm@1025k", "srm@032k", "srm@32", "srm@32m", "srm@-4k", "srm@4k@4k",
            "flat@32k", "best", "@4k", ""})
    void shouldFindNothingElse(String name) {
        assertThat(Catalogue.search(Collective.REDUCE, name)).isEmpty();
        assertThatThrownBy(() -> Catalogue.find(Collective.REDUCE, name)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("there is no algorithm \"" + name + "\" for reduce; ",
                        "here are flat, srm, srm-binary");
    }

    @Test
    void shouldListThoseThatHaveChunksWhenSomeWereAskedFor() {
        assertThatThrownBy(() -> Catalogue.find(Collective.REDUCE, "flat@32k"))
                .hasMessageEndingWith("those with chunks of 4k to 1024k, as in srm@32k, are srm, "
                        + "srm-binary, srm-fibonacci, halving, index-range");
    }

    @Test
    void shouldListThoseThatHavePortsWhenSomeWereAskedFor() {
        assertThatThrownBy(() -> Catalogue.find(Collective.GATHER, "halving@2-ports"))
                .hasMessageEndingWith("; those with 1 to 4 ports, as in direct@2-ports, are direct, tree");
    }

    /** Chunks of 4 and 5 KiB, and of more than a window has room for, of a message that they do not divide. */
    @ParameterizedTest
    @ValueSource(strings = {"4k", "5k", "1024k"})
    void shouldComputeTheSameWithOtherChunks(String chunk) {
        int count = 100_003;
        Tutti.runLocal(3, job -> {
            long[] source = new long[count];
            Arrays.setAll(source, i -> i + job.rank());
            for (String name : new String[]{"srm", "srm-fibonacci", "index-range"}) {
                long[] sum = new long[count];
                job.world().withAlgorithm(Collective.ALLREDUCE, name + "@" + chunk).allreduce(source, sum,
                        Reduction.SUM);
                assertIsSum(sum);
                long[] atRoot = new long[count];
                job.world().withAlgorithm(Collective.REDUCE, name + "@" + chunk).reduce(source, atRoot, Reduction.SUM,
                        2);
                if (job.rank() == 2) {
                    assertIsSum(atRoot);
                }
            }
            for (String name : new String[]{"slot-ring", "srm", "srm-binary"}) {
                long[] data = job.rank() == 1 ? source.clone() : new long[count];
                job.world().withAlgorithm(Collective.BROADCAST, name + "@" + chunk).broadcast(data, 1);
                long[] expected = new long[count];
                Arrays.setAll(expected, i -> i + 1);
                assertThat(data).isEqualTo(expected);
            }
        });
    }

    private static void assertIsSum(long[] sum) {
        long[] expected = new long[sum.length];
        Arrays.setAll(expected, i -> 3L * i + 3);
        assertThat(sum).isEqualTo(expected);
    }

    @Test
    void shouldFindEveryAlgorithmByItsName() {
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                assertThat(Catalogue.find(collective, algorithm.description().name())).isSameAs(algorithm);
            }
        }
        for (Algorithm algorithm : Catalogue.unlisted()) {
            assertThat(Catalogue.find(algorithm.collective(), algorithm.description().name())).isSameAs(algorithm);
        }
    }
}
