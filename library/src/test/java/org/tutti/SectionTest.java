/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Sections against an enumeration of their bytes one by one, alone and in transfers. */
@Timeout(300)
class SectionTest {
    private static final int SLICE_BYTES = 60_000;
    private static final int TRANSFERS = 12;

    /** A section, and its bytes as they were found by counting, in their order. */
    private record Counted(Section section, List<Long> bytes) {}

    private static List<Long> bytes(Section section) {
        List<Long> bytes = new ArrayList<>();
        for (long run = 0; run < section.runs(); run++) {
            for (long i = 0; i < section.bytesOf(run); i++) {
                bytes.add(section.offsetOf(run) + i);
            }
        }
        return bytes;
    }

    /** All indexes of a box, the last one fastest. */
    private static void indexes(long[] count, int dimension, long[] index, List<long[]> all) {
        if (dimension == count.length) {
            all.add(index.clone());
            return;
        }
        for (index[dimension] = 0; index[dimension] < count[dimension]; index[dimension]++) {
            indexes(count, dimension + 1, index, all);
        }
    }

    private static Counted box(Random random, int elementsMax) {
        DataType[] types = {DataType.BYTE, DataType.SHORT, DataType.INT, DataType.DOUBLE};
        DataType type = types[random.nextInt(types.length)];
        int dimensions = 1 + random.nextInt(4);
        long[] shape = new long[dimensions];
        long[] from = new long[dimensions];
        long[] count = new long[dimensions];
        int sideMax = (int) Math.pow(elementsMax, 1.0 / dimensions);
        for (int i = 0; i < dimensions; i++) {
            shape[i] = 1L + random.nextInt(sideMax);
            count[i] = random.nextInt(4) == 0 ? shape[i] : random.nextInt((int) shape[i] + 1);
            from[i] = random.nextInt((int) (shape[i] - count[i]) + 1);
        }
        List<long[]> all = new ArrayList<>();
        indexes(count, 0, new long[dimensions], all);
        long offset = random.nextInt(3) * 13L;
        List<Long> expected = new ArrayList<>();
        for (long[] index : all) {
            long element = 0;
            for (int i = 0; i < dimensions; i++) {
                element = element * shape[i] + from[i] + index[i];
            }
            for (int i = 0; i < type.bytes(); i++) {
                expected.add(offset + element * type.bytes() + i);
            }
        }
        return new Counted(offset == 0 ? Section.box(type, shape, from, count)
                : Section.box(offset, type, shape, from, count), expected);
    }

    private static Counted strided(Random random) {
        int levels = random.nextInt(4);
        long[] counts = new long[levels];
        long[] strides = new long[levels];
        long bytes = random.nextInt(40);
        long offset = random.nextInt(100);
        long extent = bytes;
        for (int i = 0; i < levels; i++) {
            counts[i] = random.nextInt(7);
            strides[i] = extent + random.nextInt(3) * 5L;
            extent = strides[i] * Math.max(1, counts[i]);
        }
        List<Long> expected = new ArrayList<>();
        long[] outerFirst = new long[levels];
        Arrays.setAll(outerFirst, i -> counts[levels - 1 - i]);
        List<long[]> all = new ArrayList<>();
        indexes(outerFirst, 0, new long[levels], all);
        for (long[] index : all) {
            long start = offset;
            for (int i = 0; i < levels; i++) {
                start += index[i] * strides[levels - 1 - i];
            }
            for (int i = 0; i < bytes; i++) {
                expected.add(start + i);
            }
        }
        return new Counted(Section.strided(offset, bytes, counts, strides), expected);
    }

    /** A vector of so many bytes in all, whose runs do not overlap, in any order. */
    private static Counted vector(Random random, int bytes) {
        List<long[]> runs = new ArrayList<>();
        long at = random.nextInt(20);
        for (int left = bytes; left > 0;) {
            int length = Math.min(left, random.nextInt(random.nextBoolean() ? 10 : 900));
            runs.add(new long[]{at, length});
            at += length + random.nextInt(30);
            left -= length;
        }
        Collections.shuffle(runs, random);
        List<Long> expected = new ArrayList<>();
        for (long[] run : runs) {
            for (long i = 0; i < run[1]; i++) {
                expected.add(run[0] + i);
            }
        }
        return new Counted(Section.vector(runs.stream().mapToLong(run -> run[0]).toArray(),
                runs.stream().mapToLong(run -> run[1]).toArray()), expected);
    }

    private static void assertCounted(Counted counted) {
        assertThat(bytes(counted.section)).isEqualTo(counted.bytes);
        assertThat(counted.section.bytes()).isEqualTo(counted.bytes.size());
        assertThat(counted.section.end())
                .isGreaterThanOrEqualTo(counted.bytes.stream().mapToLong(each -> each + 1).max().orElse(0));
    }

    @Test
    void shouldBeTheBytesThatTheirNumbersSay() {
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            assertCounted(box(random, 3000));
            assertCounted(strided(random));
            assertCounted(vector(random, random.nextInt(3000)));
        }
        assertThat(Section.of(3, 4).end()).isEqualTo(7);
        assertThat(Section.box(DataType.INT, new long[]{5, 6, 7}, new long[]{1, 0, 0}, new long[]{2, 6, 7}).runs())
                .as("what touches is one run").isEqualTo(1);
    }

    @Test
    void shouldCountInElements() {
        Section strided = Section.strided(DataType.DOUBLE, 2, 3, new long[]{4, 2}, new long[]{5, 100});
        assertThat(bytes(strided)).isEqualTo(bytes(Section.strided(16, 24, new long[]{4, 2}, new long[]{40, 800})));
        assertThat(bytes(Section.of(DataType.SHORT, 3, 2))).containsExactly(6L, 7L, 8L, 9L);
        assertThat(bytes(Section.vector(DataType.INT, new long[]{5, 0}, new long[]{1, 1})))
                .containsExactly(20L, 21L, 22L, 23L, 0L, 1L, 2L, 3L);
        for (long number : new long[]{-1, Long.MIN_VALUE, 1L << 61, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> Section.of(DataType.LONG, number, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Section.of(DataType.LONG, 0, number)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Section.strided(DataType.LONG, 0, 1, new long[]{2}, new long[]{number}))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Whether runs begin and end at multiples, against a look at each byte. */
    @Test
    void shouldKnowWhichElementsItCuts() {
        Random random = new Random(6);
        for (int i = 0; i < 2000; i++) {
            Section section =
                    random.nextBoolean() ? strided(random).section : vector(random, random.nextInt(9)).section;
            Section even = Section.strided(8L * random.nextInt(3), 8L * random.nextInt(3),
                    new long[]{random.nextInt(3), random.nextInt(3)}, new long[]{8, random.nextInt(50)});
            for (int unit : new int[]{1, 2, 3, 4, 6, 8, 16}) {
                assertThat(section.isMultipleOf(unit)).isEqualTo(cutsNone(section, unit));
                assertThat(even.isMultipleOf(unit)).as("%s of %d", even, unit).isEqualTo(cutsNone(even, unit));
            }
        }
        assertThat(Section.strided(0, 64, new long[]{1}, new long[]{7}).isMultipleOf(8)).isTrue();
        assertThat(Section.of(3, 0).isMultipleOf(8)).isTrue();
    }

    private static boolean cutsNone(Section section, int unit) {
        for (long run = 0; run < section.runs(); run++) {
            if (section.bytesOf(run) > 0
                    && (section.offsetOf(run) % unit != 0 || section.bytesOf(run) % unit != 0)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void shouldRefuseNumbersThatMakeNoSense() {
        long[] none = {};
        assertThatThrownBy(() -> Section.of(-1, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Section.of(Long.MAX_VALUE, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Section.strided(0, 1, new long[]{2}, none))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("as many counts as strides");
        assertThatThrownBy(() -> Section.strided(0, 1, new long[9], new long[9]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Section.strided(0, 8, new long[]{Long.MAX_VALUE}, new long[]{9}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Section.vector(new long[]{0, -3}, new long[]{1, 1}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Section.box(DataType.INT, new long[]{4}, new long[]{2}, new long[]{3}))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Section.box(-4, DataType.INT, new long[]{4}, new long[]{2}, new long[]{1}))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("cannot begin at byte -4");
        assertThatThrownBy(() -> Section.box(Long.MAX_VALUE - 7, DataType.INT, new long[]{2}, new long[1], new long[1]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Section.box(DataType.INT, none, none, none))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Section.box(DataType.INT, new long[]{1L << 40, 1L << 40}, new long[2], new long[2]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Counted draw(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> box(random, 6000);
            case 1 -> strided(random);
            default -> vector(random, random.nextInt(12_000));
        };
    }

    /** Moves a drawn section into the slice of a writer: a vector of the same runs, further on. */
    private static Section moved(Section section, long by) {
        long[] offsets = new long[(int) section.runs()];
        long[] lengths = new long[offsets.length];
        Arrays.setAll(offsets, i -> section.offsetOf(i) + by);
        Arrays.setAll(lengths, section::bytesOf);
        return Section.vector(offsets, lengths);
    }

    private static byte[] source(Random random) {
        byte[] source = new byte[SLICE_BYTES];
        random.nextBytes(source);
        return source;
    }

    private static byte[] expectedSlice(int writer, int target) {
        byte[] slice = new byte[SLICE_BYTES];
        Random random = new Random(writer * 100L + target);
        byte[] source = source(random);
        for (int k = 0; k < TRANSFERS; k++) {
            Counted there = draw(random);
            Counted here = vector(random, there.bytes.size());
            for (int i = 0; i < there.bytes.size(); i++) {
                slice[there.bytes.get(i).intValue()] = source[here.bytes.get(i).intValue()];
            }
        }
        return slice;
    }

    @ParameterizedTest
    @MethodSource("org.tutti.OneSidedTest#shapes")
    void shouldPutAndGetSections(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            try (RemoteMemory memory = world.allocate((long) world.size() * SLICE_BYTES)) {
                for (int target = 0; target < world.size(); target++) {
                    Random random = new Random(self * 100L + target);
                    byte[] source = source(random);
                    for (int k = 0; k < TRANSFERS; k++) {
                        Counted there = draw(random);
                        Counted here = vector(random, there.bytes.size());
                        memory.at(target).put(moved(there.section, (long) self * SLICE_BYTES), Span.of(source),
                                here.section);
                        memory.fence(target); // puts to the same bytes have no order otherwise, with several rails
                    }
                }
                memory.barrier();
                Random random = new Random(self);
                for (int writer = 0; writer < world.size(); writer++) {
                    byte[] expected = expectedSlice(writer, self);
                    assertThat(memory.local().asSlice((long) writer * SLICE_BYTES, SLICE_BYTES)
                            .toArray(ValueLayout.JAVA_BYTE)).as("slice of rank %d", writer).isEqualTo(expected);
                    checkGets(memory.at((self + 1) % world.size()), writer, random);
                }
            }
        });
    }

    private static void checkGets(RemotePart part, int writer, Random random) {
        byte[] theirs = expectedSlice(writer, part.rank());
        for (int k = 0; k < TRANSFERS; k++) {
            Counted there = draw(random);
            Counted here = vector(random, there.bytes.size());
            byte[] expected = new byte[SLICE_BYTES];
            for (int i = 0; i < there.bytes.size(); i++) {
                expected[here.bytes.get(i).intValue()] = theirs[there.bytes.get(i).intValue()];
            }
            byte[] got = new byte[SLICE_BYTES];
            part.get(moved(there.section, (long) writer * SLICE_BYTES), Span.of(got), here.section);
            assertThat(got).isEqualTo(expected);
        }
    }

    /** All ranks add a column of a matrix of theirs to a column of rank 0's, times three. */
    @ParameterizedTest
    @MethodSource("org.tutti.OneSidedTest#shapes")
    void shouldAccumulateSections(OneSidedTest.Shape shape) {
        int rows = 700;
        int columns = 5;
        shape.runner().accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.DOUBLE, world.rank() == 0 ? rows * columns : 0)) {
                double[] own = new double[2 * rows];
                Arrays.setAll(own, i -> i % 2 == 1 ? i / 2 + world.rank() : -1);
                Section column = Section.box(DataType.DOUBLE, new long[]{rows, columns}, new long[]{0, 3},
                        new long[]{rows, 1});
                Section second = Section.box(DataType.DOUBLE, new long[]{rows, 2}, new long[]{0, 1},
                        new long[]{rows, 1});
                memory.at(0).accumulate(column, Span.of(own), second, 3);
                memory.barrier();
                if (world.rank() == 0) {
                    int size = world.size();
                    for (int i = 0; i < rows * columns; i++) {
                        double expected = i % columns == 3 ? 3.0 * (size * (i / columns) + size * (size - 1) / 2) : 0;
                        assertThat(memory.local().getAtIndex(ValueLayout.JAVA_DOUBLE, i)).isEqualTo(expected);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("org.tutti.OneSidedTest#shapes")
    void shouldRefuseSectionsThatDoNotFit(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(64); Arena arena = Arena.ofConfined()) {
                RemotePart part = memory.at(world.size() - 1);
                Span eight = Span.of(new byte[8]);
                Section good = Section.of(0, 8);
                Section beyond = Section.strided(0, 4, new long[]{2}, new long[]{61});
                assertThatThrownBy(() -> part.put(beyond, eight, good)).isInstanceOf(IndexOutOfBoundsException.class)
                        .hasMessageContaining("a section of 8 bytes in 2 runs, from byte 0 to 65, as rank ");
                assertThatThrownBy(() -> part.get(good, eight, Section.of(1, 8)))
                        .isInstanceOf(IndexOutOfBoundsException.class).hasMessageContaining(
                                "has 8 bytes, and a section of 8 bytes in 1 run, from byte 1 to 9 does not fit");
                assertThatThrownBy(() -> part.get(good, eight, Section.of(0, 7)))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("has 8 bytes");
                assertThatThrownBy(() -> part.accumulate(Section.of(4, 8), Span.of(new double[1]), good, 1))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("its runs cut elements of type DOUBLE");
                MemorySegment confined = arena.allocate(8);
                assertThatThrownBy(() -> part.get(good, Span.of(confined, DataType.BYTE), good))
                        .isInstanceOf(IllegalArgumentException.class);
                memory.barrier();
                assertThat(memory.local().toArray(ValueLayout.JAVA_BYTE)).containsOnly(new byte[64]);
            }
        });
    }
}
