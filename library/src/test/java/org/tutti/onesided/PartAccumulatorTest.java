/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.DataType;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.fabric.RegionHandler;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks of stripes that somebody holds, in a part of two stripes. */
@Timeout(300)
class PartAccumulatorTest {
    private static final long DATA_BYTES = 2L * PartLayout.STRIPE_BYTES;
    private static final int SUM = Accumulation.SUM.code(DataType.DOUBLE);
    private static final long ONE = Double.doubleToRawLongBits(1);
    private static final int DEAD = 3;

    private final ScriptedMembers members = new ScriptedMembers();

    private static double[] elements(MemorySegment block) {
        return PartLayout.data(block, DATA_BYTES).toArray(ValueLayout.JAVA_DOUBLE);
    }

    /** Two elements, one on each side of the border between the stripes. */
    private long accumulateOverTheBorder(MemorySegment block) {
        return new PartAccumulator(block, DATA_BYTES, members, 1).accumulate(SUM, ONE, 0,
                PartLayout.STRIPE_BYTES - Double.BYTES, MemorySegment.ofArray(new double[]{2, 3}), 0, 16);
    }

    @Test
    void shouldTakeTheLocksOfAllStripesAndGiveThemBack() {
        members.fail(DEAD); // which is no matter where nobody holds a lock
        try (Arena arena = Arena.ofShared()) {
            MemorySegment block = arena.allocate(PartLayout.bytes(DATA_BYTES, 0), Words.LINE_BYTES);
            assertThat(accumulateOverTheBorder(block)).isEqualTo(16);
            assertThat(accumulateOverTheBorder(block)).isEqualTo(16);
            assertThat(elements(block)).containsOnly(0, 4, 6).contains(4, 6);
        }
    }

    @Test
    void shouldWaitBrieflyForAHolderThatLives() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment block = arena.allocate(PartLayout.bytes(DATA_BYTES, 0), Words.LINE_BYTES);
            long second = PartLayout.lock(DATA_BYTES, PartLayout.STRIPE_BYTES);
            Words.swap(block, second, 2 + 1);
            assertThat(accumulateOverTheBorder(block)).as("the stripe before").isEqualTo(8);
            assertThat(elements(block)).containsOnly(0, 2);
            assertThat(Words.load(block, second)).isEqualTo(2 + 1);
            Words.store(block, second, 0);
            assertThat(accumulateOverTheBorder(block)).isEqualTo(16);
            assertThat(elements(block)).containsOnly(0, 4, 3).contains(4, 3);
        }
    }

    @Test
    void shouldNotWaitForAHolderThatHasFailed() {
        members.fail(DEAD);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment block = arena.allocate(PartLayout.bytes(DATA_BYTES, 0), Words.LINE_BYTES);
            long second = PartLayout.lock(DATA_BYTES, PartLayout.STRIPE_BYTES);
            Words.swap(block, second, DEAD + 1);
            assertThat(accumulateOverTheBorder(block)).isEqualTo(RegionHandler.REFUSED);
            assertThat(elements(block)).as("the stripe before is done").containsOnly(0, 2);
        }
    }

    @Test
    void shouldKnowWhatMakesSense() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment block = arena.allocate(PartLayout.bytes(DATA_BYTES, 0), Words.LINE_BYTES);
            PartAccumulator accumulator = new PartAccumulator(block, DATA_BYTES, members, 1);
            for (Accumulation how : Accumulation.values()) {
                for (DataType type : DataType.values()) {
                    boolean whole = type == DataType.INT || type == DataType.LONG;
                    boolean bitwise = how.name().startsWith("BITWISE");
                    boolean complex = how == Accumulation.SUM_OF_COMPLEX;
                    boolean known = whole && !complex
                            || !bitwise && (type == DataType.FLOAT || type == DataType.DOUBLE);
                    assertThat(accumulator.accepts(how.code(type), 16, 32)).as("%s of %s", how, type).isEqualTo(known);
                    assertThat(accumulator.accepts(how.code(type), 2, 24)).isFalse();
                    assertThat(accumulator.accepts(how.code(type), 16, 6)).isFalse();
                }
            }
            int codes = Accumulation.values().length * DataType.values().length;
            for (int code : new int[]{-1, codes, Short.MAX_VALUE, Short.MIN_VALUE}) {
                assertThat(accumulator.accepts(code, 0, 8)).isFalse();
            }
        }
    }
}
