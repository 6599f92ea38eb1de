/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.allreduce.FlatAllreduce;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.kernel.Kernels;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;

import static org.assertj.core.api.Assertions.assertThat;

/** A call is as many operations as its elements need, of whole units, with a number each. */
class CallTest {
    private static final int UNIT = 3;
    private static final long UNIT_BYTES = UNIT * Long.BYTES;

    /** Four units, and a part of one. */
    private static final long OPERATION_BYTES_MAX = 4 * UNIT_BYTES + 5;

    private static final Reduction OPERATOR = Reduction.of("units", DataType.LONG, UNIT, false, (_, _, _, _) -> {
    });

    private final Memory memory = new PrivateMemory();
    private final MemorySegment words = memory.block(memory.claim(64, "a test"), 64);
    private final OperationSequence operations =
            new OperationSequence(new ScriptedMembers(), words, 0, new int[]{0}, 0, 1);
    private final Call call = new Call();

    @BeforeEach
    void drawsAnother() {
        Call another = new Call();
        another.set(new FlatBarrier(), 0, Long.MAX_VALUE);
        another.draw(operations, OPERATION_BYTES_MAX, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 5, 7, 8, 9, 41})
    void shouldBeOperationsOfWholeUnitsThatFollowEachOther(int units) {
        MemorySegment source = MemorySegment.ofArray(new long[units * UNIT]);
        MemorySegment target = MemorySegment.ofArray(new long[units * UNIT]);
        prepare(source, target, units);
        call.draw(operations, OPERATION_BYTES_MAX, 0);
        long at = 0;
        long operations = 0;
        do {
            assertThat(call.source().segment()).isEqualTo(source);
            assertThat(call.target().segment()).isEqualTo(target);
            assertThat(call.source().start()).isEqualTo(at);
            assertThat(call.target().start()).isEqualTo(at);
            assertThat(call.bytes()).isLessThanOrEqualTo(OPERATION_BYTES_MAX);
            assertThat(call.bytes() % UNIT_BYTES).isZero();
            assertThat(call.sequence).isEqualTo(1 + operations);
            at += call.bytes();
            operations++;
        } while (call.next());
        assertThat(at).isEqualTo(units * UNIT_BYTES);
        assertThat(operations).isEqualTo(Math.max(1, (units + 3) / 4));
    }

    @Test
    void shouldLeaveTheNumbersOfItsOperationsToNobodyElse() {
        prepare(MemorySegment.NULL, MemorySegment.NULL, 9);
        call.draw(operations, OPERATION_BYTES_MAX, 0);
        Call next = new Call();
        next.set(new FlatBarrier(), 0, Long.MAX_VALUE);
        long before = operations.history();
        next.draw(operations, OPERATION_BYTES_MAX, 0);
        long last = call.sequence;
        while (call.next()) {
            last++;
        }
        assertThat(call.sequence).isEqualTo(last);
        assertThat(call.history).isEqualTo(before);
        assertThat(next.sequence).isEqualTo(call.sequence + 1);
    }

    @Test
    void shouldHaveTheFurtherOperationsOfItsAlgorithmAfterThoseOfItsLength() {
        prepare(MemorySegment.NULL, MemorySegment.NULL, 9);
        call.draw(operations, OPERATION_BYTES_MAX, 2);
        long first = call.sequence;
        for (long left = 5; left > 1; left--) {
            assertThat(call.operationsLeft()).isEqualTo(left);
            assertThat(call.next()).isTrue();
        }
        assertThat(call.operationsLeft()).isEqualTo(1);
        assertThat(call.next()).isFalse();
        assertThat(call.sequence).isEqualTo(first + 4);
    }

    private void prepare(MemorySegment source, MemorySegment target, int units) {
        call.set(new FlatAllreduce(), 0, Long.MAX_VALUE);
        call.setElements(source, target, DataType.LONG, (long) units * UNIT, Kernels.of(OPERATOR, DataType.LONG));
    }
}
