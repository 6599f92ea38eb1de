/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Eight strides beside contiguous runs, near and far, by every protocol; an odometer counts the expected indexes. */
@Timeout(120)
class StrideLevelsTest {
    private static final int LEVELS = 8;
    private static final int RUN = 2;
    private static final int PART_LONGS = 200_000;

    /** The strides of one side; no two runs touch. */
    private record Grid(long[] counts, long[] strides, int first) {
        Section section() {
            return Section.strided(DataType.LONG, first, RUN, counts, strides);
        }

        /** The index of each element, in the order of the transfer. */
        int[] indexes() {
            int runs = (int) Arrays.stream(counts).reduce(1, (all, each) -> all * each);
            int[] all = new int[runs * RUN];
            long[] odometer = new long[counts.length];
            for (int run = 0; run < runs; run++) {
                long start = first;
                for (int level = 0; level < counts.length; level++) {
                    start += odometer[level] * strides[level];
                }
                for (int i = 0; i < RUN; i++) {
                    all[run * RUN + i] = (int) start + i;
                }
                int level = 0;
                while (level < counts.length && ++odometer[level] == counts[level]) {
                    odometer[level++] = 0;
                }
            }
            return all;
        }
    }

    private static final Grid THERE = new Grid(new long[]{2, 3, 2, 2, 2, 2, 2, 2},
            new long[]{3, 7, 25, 53, 111, 230, 470, 950}, 5);
    private static final Grid HERE = new Grid(new long[]{2, 2, 2, 2, 3, 2, 2, 2},
            new long[]{1000, 500, 240, 110, 30, 14, 6, 2}, 1);

    @Test
    void shouldMoveGridsOfEightStrides() {
        assertThat(THERE.strides).hasSize(LEVELS);
        assertThat(Section.LEVELS_MAX).isEqualTo(LEVELS);
        assertThat(THERE.section().directions()).isEqualTo(LEVELS);
        LocalNodes.run(new int[]{0, 0, 1}, job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, PART_LONGS)) {
                for (int target = 0; target < 3; target++) {
                    for (TransferProtocol protocol : TransferProtocol.values()) {
                        if (world.rank() == 0) {
                            move(memory, target, protocol, false);
                            move(memory, target, protocol, true);
                        }
                        memory.barrier();
                    }
                }
            }
        });
    }

    private static void move(RemoteMemory memory, int target, TransferProtocol protocol, boolean waits) {
        RemotePart part = memory.at(target).withProtocol(protocol);
        NonBlockingPart started = part.nonBlocking();
        int[] there = THERE.indexes();
        int[] here = HERE.indexes();
        long[] source = IntStream.range(0, 4000).mapToLong(i -> i * 31L + target).toArray();
        long[] expected = IntStream.range(0, PART_LONGS).mapToLong(i -> i * 3L).toArray();
        memory.at(target).put(0, expected);
        for (int i = 0; i < there.length; i++) {
            expected[there[i]] = 3 * source[here[i]]; // put, and then accumulated twice
        }
        if (waits) {
            part.put(THERE.section(), Span.of(source), HERE.section());
            part.accumulate(THERE.section(), Span.of(source), HERE.section(), 2);
        } else {
            Request.awaitAll(started.put(THERE.section(), Span.of(source), HERE.section()),
                    started.accumulate(THERE.section(), Span.of(source), HERE.section(), 2));
        }
        memory.fence(target);
        long[] all = new long[PART_LONGS];
        memory.at(target).get(0, all);
        assertThat(Arrays.mismatch(all, expected)).isEqualTo(-1);
        long[] got = new long[4000];
        if (waits) {
            part.get(THERE.section(), Span.of(got), HERE.section());
        } else {
            started.get(THERE.section(), Span.of(got), HERE.section()).await();
        }
        long[] expectedHere = new long[4000];
        for (int i = 0; i < there.length; i++) {
            expectedHere[here[i]] = expected[there[i]];
        }
        assertThat(got).isEqualTo(expectedHere);
        if (target == 2) {
            assertThat(part.lastProtocol()).contains(protocol);
        }
    }

    @Test
    void shouldDescribeABoxOfNineDimensions() {
        long[] twos = new long[LEVELS + 1];
        Arrays.fill(twos, 2);
        long[] threes = new long[LEVELS + 1];
        Arrays.fill(threes, 3);
        Section box = Section.box(DataType.LONG, threes, new long[LEVELS + 1], twos);
        assertThat(box.directions()).isEqualTo(LEVELS);
        assertThat(box.bytes()).isEqualTo(ValueLayout.JAVA_LONG.byteSize() << LEVELS + 1);
        long last = 0;
        for (int dimension = 0; dimension <= LEVELS; dimension++) {
            last = 3 * last + 1;
        }
        assertThat(box.end()).isEqualTo(8 * (last + 1));
        assertThatThrownBy(() -> Section.strided(0, 8, twos, threes)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 8");
        assertThatThrownBy(() -> Section.box(DataType.LONG, new long[10], new long[10], new long[10]))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 to 9");
    }
}
