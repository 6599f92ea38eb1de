/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Every method that takes an array, for every primitive type, called by reflection so that none is forgotten. */
class TypedArraysTest {
    private static final int RANKS = 3;
    private static final int LENGTH = 20;

    static Stream<Class<?>> types() {
        return Stream.of(boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class,
                double.class);
    }

    private static Object array(Class<?> type, int seed) {
        Object array = Array.newInstance(type, LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            set(array, i, value(type, seed, i));
        }
        return array;
    }

    /** Small and different for every seed and index. */
    private static int value(Class<?> type, int seed, int index) {
        return type == boolean.class ? (seed + index) % 2 : (seed * 31 + index * 7) % 97;
    }

    private static void set(Object array, int index, int value) {
        Class<?> type = array.getClass().getComponentType();
        if (type == boolean.class) {
            Array.setBoolean(array, index, value != 0);
        } else if (type == char.class) {
            Array.setChar(array, index, (char) value);
        } else if (type == byte.class) {
            Array.setByte(array, index, (byte) value);
        } else if (type == short.class) {
            Array.setShort(array, index, (short) value);
        } else {
            Array.setInt(array, index, value); // widened where the array's type asks for it
        }
    }

    /** The greatest value of all ranks; true if any is, for booleans. */
    private static Object greatest(Class<?> type) {
        Object expected = Array.newInstance(type, LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            int greatest = 0;
            for (int rank = 0; rank < RANKS; rank++) {
                greatest = Math.max(greatest, value(type, rank, i));
            }
            set(expected, i, greatest);
        }
        return expected;
    }

    private static void call(Communicator world, String name, Object... arguments) throws Exception {
        Class<?>[] parameters = Stream.of(arguments)
                .map(argument -> argument instanceof Integer ? int.class : argument.getClass())
                .toArray(Class<?>[]::new);
        Method method = Communicator.class.getMethod(name, parameters);
        method.invoke(world, arguments);
    }

    @ParameterizedTest
    @MethodSource("types")
    void shouldMoveAndCombineArrays(Class<?> type) {
        Reduction greatest = type == boolean.class ? Reduction.LOGICAL_OR : Reduction.MAX;
        Tutti.runLocal(RANKS, job -> {
            Communicator world = job.world();
            int rank = job.rank();
            for (int root = 0; root < RANKS; root++) {
                Object data = array(type, rank);
                call(world, "broadcast", data, root);
                assertThat(data).isEqualTo(array(type, root));

                data = array(type, rank);
                call(world, "reduce", data, greatest, root);
                assertThat(data).isEqualTo(rank == root ? greatest(type) : array(type, rank));

                Object source = array(type, rank);
                Object target = Array.newInstance(type, LENGTH);
                call(world, "reduce", source, target, greatest, root);
                assertThat(source).isEqualTo(array(type, rank));
                assertThat(target).isEqualTo(rank == root ? greatest(type) : Array.newInstance(type, LENGTH));
            }
            Object data = array(type, rank);
            call(world, "allreduce", data, greatest);
            assertThat(data).isEqualTo(greatest(type));

            Object source = array(type, rank);
            Object target = Array.newInstance(type, LENGTH);
            call(world, "allreduce", source, target, greatest);
            assertThat(source).isEqualTo(array(type, rank));
            assertThat(target).isEqualTo(greatest(type));
        });
    }
}
