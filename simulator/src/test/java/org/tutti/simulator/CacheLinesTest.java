/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The bytes that cross between cores, and the owners from which they come. Rank r is on core r unless a test says
 * otherwise.
 */
class CacheLinesTest {
    private static final long START = SymbolicMemory.start(0);

    private final CacheLines lines = new CacheLines(2);
    private final List<String> crossing = new ArrayList<>();

    @BeforeEach
    void useWhatNobodyHas() {
        assertThat(read(0, 0, 50)).isEmpty();
        assertThat(write(1, 50, 100)).isEmpty();
    }

    @Test
    void shouldComeFromWhoHasWrittenOrWasFirstToRead() {
        assertThat(read(2, 0, 150)).containsExactly("50 of 0", "100 of 1");
    }

    @Test
    void shouldStayWithWhoHasRead() {
        assertThat(read(2, 20, 60)).containsExactly("30 of 0", "30 of 1");
        assertThat(read(2, 0, 150)).containsExactly("20 of 0", "70 of 1");
        assertThat(read(2, 0, 150)).isEmpty();
    }

    @Test
    void shouldBelongToWhoeverWrites() {
        assertThat(write(2, 40, 20)).containsExactly("10 of 0", "10 of 1");
        assertThat(write(2, 40, 20)).isEmpty();
        assertThat(read(0, 0, 100)).containsExactly("20 of 2", "40 of 1");
        assertThat(write(2, 40, 20)).containsExactly("20 of 2");
    }

    @Test
    void shouldNotCrossBetweenRanksOfACore() {
        lines.read(7, 1, START, 150, this::note);
        assertThat(crossing).containsExactly("50 of 0");
    }

    @Test
    void shouldNotCrossWhereMemoryBelongsToOneRank() {
        long own = SymbolicMemory.start(2);
        lines.write(0, 0, own, 8, this::note);
        lines.read(1, 1, own, 8, this::note);
        assertThat(crossing).isEmpty();
    }

    private List<String> read(int rank, long at, long bytes) {
        crossing.clear();
        assertThat(lines.read(rank, rank, START + at, bytes, this::note)).isEqualTo(sum());
        return crossing;
    }

    private List<String> write(int rank, long at, long bytes) {
        crossing.clear();
        assertThat(lines.write(rank, rank, START + at, bytes, this::note)).isEqualTo(sum());
        return crossing;
    }

    private double sum() {
        return crossing.stream().mapToDouble(each -> Double.parseDouble(each.split(" ")[0])).sum();
    }

    private double note(long bytes, int owner) {
        crossing.add(bytes + " of " + owner);
        return bytes;
    }
}
