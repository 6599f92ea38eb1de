/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.tutti.DataType;
import org.tutti.Reduction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Values that the grid's whole numbers do not cover: overflow, NaN, −0.0, ties. */
class KernelTest {
    @Test
    void shouldWrapOnOverflow() {
        assertThat(ints(Reduction.SUM, Integer.MAX_VALUE, 1)).isEqualTo(Integer.MIN_VALUE);
        assertThat(ints(Reduction.PRODUCT, 1 << 20, 1 << 12)).isZero();
        byte[] sum = {100};
        combine(Reduction.SUM, DataType.BYTE, MemorySegment.ofArray(sum), MemorySegment.ofArray(new byte[]{100}));
        assertThat(sum[0]).isEqualTo((byte) 200);
    }

    @Test
    void shouldTreatNotANumberAndSignedZeroAsMathDoes() {
        double[] values = {Double.NaN, -0.0, 0.0, 1, -1, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY};
        for (double left : values) {
            for (double right : values) {
                assertSame(doubles(Reduction.MIN, left, right), Math.min(left, right));
                assertSame(doubles(Reduction.MAX, left, right), Math.max(left, right));
                assertSame(doubles(Reduction.SUM, left, right), left + right);
                assertSame(doubles(Reduction.PRODUCT, left, right), left * right);
                float leftFloat = (float) left;
                float rightFloat = (float) right;
                assertSame(floats(Reduction.MIN, leftFloat, rightFloat), Math.min(leftFloat, rightFloat));
                assertSame(floats(Reduction.MAX, leftFloat, rightFloat), Math.max(leftFloat, rightFloat));
            }
        }
    }

    @Test
    void shouldCompareCharsAsUnsigned() {
        char[] least = {'\uffff'};
        combine(Reduction.MIN, DataType.CHAR, MemorySegment.ofArray(least), MemorySegment.ofArray(new char[]{'a'}));
        assertThat(least[0]).isEqualTo('a');
    }

    @Test
    void shouldPreferTheSmallerIndexOfEqualValues() {
        assertThat(pair(Reduction.MIN_LOCATION, 5, 7, 5, 3)).containsExactly(5, 3);
        assertThat(pair(Reduction.MAX_LOCATION, 5, 3, 5, 7)).containsExactly(5, 3);
        assertThat(pair(Reduction.MIN_LOCATION, 4, 9, 5, 3)).containsExactly(4, 9);
        assertThat(pair(Reduction.MAX_LOCATION, 4, 9, 5, 3)).containsExactly(5, 3);
    }

    @Test
    void shouldLetNotANumberWinALocation() {
        assertThat(pair(Reduction.MIN_LOCATION, Double.NaN, 1, -5, 0)).containsExactly(Double.NaN, 1);
        assertThat(pair(Reduction.MAX_LOCATION, 7, 0, Double.NaN, 1)).containsExactly(Double.NaN, 1);
        assertThat(pair(Reduction.MIN_LOCATION, Double.NaN, 4, Double.NaN, 2)).containsExactly(Double.NaN, 2);
        assertThat(pair(Reduction.MIN_LOCATION, 0.0, 0, -0.0, 1)).containsExactly(-0.0, 1);
    }

    @Test
    void shouldYieldZeroOrOneForLogicalOperators() {
        assertThat(ints(Reduction.LOGICAL_AND, 5, -3)).isEqualTo(1);
        assertThat(ints(Reduction.LOGICAL_OR, 0, 8)).isEqualTo(1);
        assertThat(ints(Reduction.LOGICAL_XOR, 4, 8)).isZero();
    }

    @Test
    void shouldGiveUsersSlicesThatAreWritableOnlyWhereTheResultGoes() {
        Reduction meddling = Reduction.of("meddling", DataType.LONG, 1, true,
                (left, right, result, count) -> left.set(ValueLayout.JAVA_LONG, 0, 1));
        long[] values = {1};
        assertThatThrownBy(() -> combine(meddling, DataType.LONG, MemorySegment.ofArray(values),
                MemorySegment.ofArray(new long[]{2}))).isInstanceOf(IllegalArgumentException.class);
    }

    private static void combine(Reduction reduction, DataType type, MemorySegment left, MemorySegment right) {
        Kernels.of(reduction, type).combine(left, 0, right, 0, left, 0, left.byteSize());
    }

    private static int ints(Reduction reduction, int left, int right) {
        int[] result = {left};
        combine(reduction, DataType.INT, MemorySegment.ofArray(result), MemorySegment.ofArray(new int[]{right}));
        return result[0];
    }

    private static double doubles(Reduction reduction, double left, double right) {
        double[] result = {left};
        combine(reduction, DataType.DOUBLE, MemorySegment.ofArray(result), MemorySegment.ofArray(new double[]{right}));
        return result[0];
    }

    private static float floats(Reduction reduction, float left, float right) {
        float[] result = {left};
        combine(reduction, DataType.FLOAT, MemorySegment.ofArray(result), MemorySegment.ofArray(new float[]{right}));
        return result[0];
    }

    private static double[] pair(Reduction reduction, double left, double leftIndex, double right, double rightIndex) {
        double[] result = {left, leftIndex};
        combine(reduction, DataType.DOUBLE, MemorySegment.ofArray(result),
                MemorySegment.ofArray(new double[]{right, rightIndex}));
        return result;
    }

    private static void assertSame(double actual, double expected) {
        assertThat(Double.doubleToLongBits(actual)).isEqualTo(Double.doubleToLongBits(expected));
    }
}
