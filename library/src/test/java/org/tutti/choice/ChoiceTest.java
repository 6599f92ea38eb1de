/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Topology;
import org.tutti.collective.kernel.Kernel;

import static org.assertj.core.api.Assertions.assertThat;

/** What docs/algorithms.md says is chosen, at both sides of each limit. */
class ChoiceTest {
    @ParameterizedTest
    @CsvSource({"1, 8, BARRIER, 0, flat", "1, 9, BARRIER, 0, srm", "2, 1, BARRIER, 0, srm",
            "1, 8, BROADCAST, 8388608, slot-ring", "2, 1, BROADCAST, 131064, slot-ring", "2, 1, BROADCAST, 131072, srm",
            "2, 2, BROADCAST, 8388608, srm", "3, 1, BROADCAST, 786424, srm", "3, 1, BROADCAST, 786432, chain",
            "4, 2, BROADCAST, 1048568, srm", "4, 2, BROADCAST, 1048576, chain",
            "1, 4, REDUCE, 65528, flat", "1, 4, REDUCE, 65536, srm", "1, 4, REDUCE, 262136, srm",
            "1, 4, REDUCE, 262144, index-range", "4, 2, REDUCE, 8388608, srm",
            "1, 16, ALLREDUCE, 8184, flat", "1, 17, ALLREDUCE, 8184, srm", "1, 17, ALLREDUCE, 8192, index-range",
            "2, 2, ALLREDUCE, 65528, srm", "2, 2, ALLREDUCE, 65536, index-range"})
    void shouldChoose(int nodes, int ranksPerNode, Collective collective, long bytes, String name) {
        int[] nodeOf = new int[nodes * ranksPerNode];
        for (int rank = 0; rank < nodeOf.length; rank++) {
            nodeOf[rank] = rank / ranksPerNode;
        }
        var algorithm = Choice.DEFAULT.algorithm(collective, new Topology(nodeOf), bytes,
                Kernel.of(Reduction.SUM, DataType.DOUBLE));
        assertThat(algorithm.description().name()).isEqualTo(name);
    }
}
