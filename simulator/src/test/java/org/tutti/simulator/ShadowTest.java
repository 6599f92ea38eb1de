/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The history of bytes finds the races that a history of each single byte finds. */
class ShadowTest {
    private static final int ACCESSORS = 3;
    private static final int ACCESSES = 400;
    private static final long START = 3L * Shadow.PAGE_BYTES - 40; // so that accesses cross pages
    private static final int LENGTH = 80;

    /** One byte: its last writer, and the readers since, with their times. */
    private static final class Single {
        private int writer = -1;
        private int time;
        private final Map<Integer, Integer> readers = new HashMap<>();
    }

    @RepeatedTest(20)
    void shouldFindTheRacesOfEverySingleByte(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        List<String> races = new ArrayList<>();
        TreeSet<Long> found = new TreeSet<>();
        Shadow shadow = new Shadow((what, _, _, address, end) -> {
            races.add(what);
            for (long at = address; at < end; at++) {
                found.add(at);
            }
        });
        Map<Long, Single> bytes = new HashMap<>();
        Clock[] clocks = new Clock[ACCESSORS];
        for (int i = 0; i < ACCESSORS; i++) {
            clocks[i] = new Clock(ACCESSORS);
            clocks[i].set(i, 1);
        }
        for (int step = 0; step < ACCESSES; step++) {
            int who = random.nextInt(ACCESSORS);
            Clock clock = clocks[who];
            long address = START + random.nextInt(LENGTH);
            int length = 1 + random.nextInt(LENGTH / 2);
            TreeSet<Long> expected = new TreeSet<>();
            boolean isWrite = random.nextBoolean();
            boolean isWritten = true;
            for (long at = address; at < address + length; at++) {
                isWritten &= bytes.containsKey(at);
            }
            assertThat(shadow.isWritten(address, length)).isEqualTo(isWritten);
            if (!isWrite && !isWritten) {
                continue; // a reader of unwritten bytes ends its run
            }
            for (long at = address; at < address + length; at++) {
                Single single = bytes.computeIfAbsent(at, _ -> new Single());
                boolean isRace = single.writer >= 0 && !clock.covers(single.writer, single.time)
                        || isWrite && single.readers.entrySet().stream()
                                .anyMatch(reader -> !clock.covers(reader.getKey(), reader.getValue()));
                if (isRace) {
                    expected.add(at);
                }
                if (isWrite) {
                    single.writer = who;
                    single.time = clock.time(who);
                    single.readers.clear();
                } else {
                    single.readers.put(who, clock.time(who));
                }
            }
            found.clear();
            if (isWrite) {
                shadow.write(address, length, who, clock, step);
            } else {
                shadow.read(address, length, who, clock, step);
            }
            assertThat(found).as("step %s", step).isEqualTo(expected);
            clock.set(who, clock.time(who) + 1);
            if (random.nextInt(4) != 0) {
                clock.join(clocks[random.nextInt(ACCESSORS)]);
            }
        }
        assertThat(races).contains("reads bytes while they may still be written",
                "writes bytes while they may still be written", "overwrites bytes that may still be read");
    }

    @Test
    void shouldReportBytesThatWereNeverWritten() {
        List<String> races = new ArrayList<>();
        Shadow shadow = new Shadow((what, earlier, _, address, end) -> races
                .add(what + " " + earlier + " " + address + " " + end));
        Clock clock = new Clock(1);
        shadow.write(100, 20, 0, clock, 1);
        shadow.write(130, 20, 0, clock, 2);
        shadow.read(105, 40, 0, clock, 3);
        assertThat(races).containsExactly("reads bytes that nobody has written -1 120 130");
    }

    @Test
    void shouldPassOnAllBytesThatWereWritten() {
        Shadow shadow = new Shadow((_, _, _, _, _) -> {
        });
        Clock clock = new Clock(1);
        TreeSet<Long> written = new TreeSet<>();
        for (long address = 0; address < 3000L * Shadow.PAGE_BYTES; address += Shadow.PAGE_BYTES + 8) {
            shadow.write(address, 16, 0, clock, 1);
            for (long at = address; at < address + 16; at++) {
                written.add(at);
            }
        }
        TreeSet<Long> passed = new TreeSet<>();
        shadow.forEachWritten((address, bytes) -> {
            for (long at = address; at < address + bytes; at++) {
                assertThat(passed.add(at)).isTrue();
            }
        });
        assertThat(passed).isEqualTo(written);
    }
}
