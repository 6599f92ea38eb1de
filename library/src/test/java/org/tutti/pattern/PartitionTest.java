/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PartitionTest {
    @Test
    void shouldCutBetweenUnitsAndEvenly() {
        for (int unit : new int[]{1, 8, 12}) {
            for (int units = 0; units < 50; units++) {
                for (int parts = 1; parts < 12; parts++) {
                    long bytes = (long) units * unit;
                    assertThat(Partition.start(bytes, unit, parts, 0)).isZero();
                    assertThat(Partition.start(bytes, unit, parts, parts)).isEqualTo(bytes);
                    for (int index = 0; index < parts; index++) {
                        long start = Partition.start(bytes, unit, parts, index);
                        long length = Partition.start(bytes, unit, parts, index + 1) - start;
                        assertThat(start % unit).isZero();
                        assertThat(length / unit).isBetween((long) units / parts, (units + parts - 1L) / parts);
                        for (long at = start; at < start + length; at++) {
                            assertThat(Partition.index(bytes, unit, parts, at)).isEqualTo(index);
                        }
                    }
                }
            }
        }
    }

    @Test
    void shouldCountAnEmptyRangeAsOneChunk() {
        assertThat(Partition.chunks(0, 10)).isEqualTo(1);
        assertThat(Partition.chunks(1, 10)).isEqualTo(1);
        assertThat(Partition.chunks(10, 10)).isEqualTo(1);
        assertThat(Partition.chunks(11, 10)).isEqualTo(2);
    }
}
