/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The eager buffers of edges and pairs, and the long buffers of pairs, divide a node's block among them. */
class RingLayoutTest {
    private static final int EDGE_WORDS_BYTES = 64;
    private static final int PAIR_WORDS_BYTES = 128;

    /** The buffers overlap nowhere, leave no gap, and fill the block. */
    @ParameterizedTest
    @CsvSource({"2, 16384, 16", "4, 16384, 8", "5, 8192, 8", "9, 8192, 4", "100, 1024, 4", "600, 256, 4"})
    void shouldShareLongBuffersAmongFourSlots(int nodes, long eagerBytes, int longBuffers) {
        RingLayout layout = new RingLayout(nodes, 3);
        TreeMap<Long, Long> ends = new TreeMap<>(); // by starts
        Map<Long, Integer> slotsOf = new HashMap<>();
        for (long slot = 0; slot < layout.slots(); slot++) {
            for (int edge = 0; edge < layout.edges(); edge++) {
                long word = layout.eagerArrived(slot, edge);
                ends.put(word, word + EDGE_WORDS_BYTES + (64 << 10));
            }
            for (int node = 0; node < nodes; node++) {
                long word = layout.eagerArrived(slot, layout.pair(node));
                ends.put(word, word + PAIR_WORDS_BYTES + eagerBytes);
                assertThat(layout.isEagerBuffer(word + PAIR_WORDS_BYTES - 1)).isFalse();
                assertThat(layout.isEagerBuffer(word + PAIR_WORDS_BYTES)).isTrue();
                long start = layout.longBuffer(slot, layout.pair(node));
                ends.put(start, start + 4 * eagerBytes);
                slotsOf.merge(start, 1, Integer::sum);
                assertThat(layout.isEagerBuffer(start)).isTrue();
                assertThat(layout.describeEagerBuffers(start + 4 * eagerBytes - 1))
                        .isEqualTo("long buffer " + slot % longBuffers + " of the pair with node " + node);
            }
        }
        assertThat(slotsOf).hasSize(nodes * longBuffers);
        assertThat(slotsOf.values()).containsOnly(4);
        long end = 0;
        for (Map.Entry<Long, Long> buffer : ends.entrySet()) {
            assertThat(buffer.getKey()).isEqualTo(end);
            end = buffer.getValue();
        }
        assertThat(layout.eagerBuffersBytes()).isEqualTo(end);
    }
}
