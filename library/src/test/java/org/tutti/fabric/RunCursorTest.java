/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.util.Random;

import org.junit.jupiter.api.Test;
import org.tutti.Section;

import static org.assertj.core.api.Assertions.assertThat;

/** Walks over sections, in steps of any length, against the places that the section itself computes for each run. */
class RunCursorTest {
    private static Section grid(Random random) {
        int directions = random.nextInt(Section.LEVELS_MAX + 1);
        long[] counts = random.longs(directions, directions > 4 ? 1 : 0, directions > 4 ? 4 : 9).toArray();
        long[] strides = random.longs(directions, 0, 500).toArray();
        return Section.strided(random.nextInt(100), random.nextInt(30), counts, strides);
    }

    private static Section vector(Random random) {
        int runs = random.nextInt(40);
        return Section.vector(random.longs(runs, 0, 1000).toArray(), random.longs(runs, 0, 20).toArray());
    }

    /** The place of a byte of a section, and how much of its run is left there. */
    private static long[] place(Section section, long position) {
        long rest = position;
        long run = 0;
        while (rest >= section.bytesOf(run)) {
            rest -= section.bytesOf(run++);
        }
        return new long[]{section.offsetOf(run) + rest, section.bytesOf(run) - rest};
    }

    private static void walk(RunCursor cursor, Section section, Random random) {
        long position = 0;
        while (true) {
            assertThat(cursor.position()).isEqualTo(position);
            assertThat(cursor.left()).isEqualTo(section.bytes() - position);
            if (cursor.left() == 0) {
                assertThat(cursor.runLeft()).isZero();
                return;
            }
            assertThat(new long[]{cursor.offset(), cursor.runLeft()}).isEqualTo(place(section, position));
            long step = switch (random.nextInt(4)) {
                case 0 -> 1;
                case 1 -> cursor.runLeft();
                case 2 -> random.nextLong(cursor.left() + 1);
                default -> Math.min(cursor.left(), random.nextInt(60));
            };
            cursor.skip(step);
            position += step;
        }
    }

    @Test
    void shouldBeWhereTheSectionSays() {
        Random random = new Random(3);
        RunCursor cursor = new RunCursor(); // one for all, as calls use it
        for (int i = 0; i < 5000; i++) {
            Section section = random.nextBoolean() ? grid(random) : vector(random);
            cursor.begin(section);
            walk(cursor, section, random);
        }
    }

    @Test
    void shouldWalkOverBytesThatFollowEachOther() {
        Random random = new Random(4);
        RunCursor cursor = new RunCursor();
        for (int bytes = 0; bytes < 300; bytes++) {
            cursor.begin(17, bytes);
            walk(cursor, Section.of(17, bytes), random);
        }
    }
}
