/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Each parameter of the face that is not said to be nullable refuses null, before the call does anything. */
@Timeout(120)
class NullnessTest {
    private static final List<Class<?>> STATICS =
            List.of(Blocks.class, Reduction.class, Request.class, Section.class, Span.class, Tutti.class);

    /** Arguments that fit. */
    private static final Map<Class<?>, Object> SAMPLES =
            Map.ofEntries(Map.entry(int.class, 0), Map.entry(long.class, 0L),
                    Map.entry(double.class, 1.0), Map.entry(float.class, 1f), Map.entry(byte.class, (byte) 1),
                    Map.entry(boolean.class, true),
                    Map.entry(Blocks.class, Blocks.of(1)),
                    Map.entry(Section.class, Section.vector(new long[1], new long[1])),
                    Map.entry(Duration.class, Duration.ofSeconds(1)), Map.entry(String.class, "some"),
                    Map.entry(JobOptions.class, JobOptions.DEFAULT), Map.entry(Program.class, (Program) _ -> {
                    }));

    private final List<String> faults = new ArrayList<>();
    private int calls;

    @Test
    void shouldRefuseNullWhereItIsNotSaidToBeAllowed() {
        Tutti.runLocal(1, job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(64);
                    GraphCommunicator graph = world.graph(new int[1], new int[1])) {
                for (Object subject : List.of(world, world.nonBlocking(), world.prepare(), memory, memory.at(0),
                        memory.at(0).nonBlocking(), graph, graph.nonBlocking(), graph.prepare(), world.topology(),
                        Span.of(new int[1]), Blocks.of(1),
                        Reduction.SUM, JobOptions.DEFAULT, DataType.INT)) {
                    Class<?> face = face(subject.getClass());
                    Arrays.stream(face.getMethods()).filter(method -> !Modifier.isStatic(method.getModifiers()))
                            .forEach(method -> callWithNulls(subject, method, world));
                }
            }
            world.barrier(); // nothing is broken
        });
        for (Class<?> face : STATICS) {
            Arrays.stream(face.getMethods()).filter(method -> Modifier.isStatic(method.getModifiers()))
                    .forEach(method -> callWithNulls(null, method, null));
        }
        assertThat(faults).isEmpty();
        assertThat(calls).isGreaterThan(500);
    }

    private static Class<?> face(Class<?> implementation) {
        return Modifier.isPublic(implementation.getModifiers())
                && implementation.getPackage() == Tutti.class.getPackage()
                        ? implementation
                        : face(implementation.getSuperclass());
    }

    private void callWithNulls(@Nullable Object subject, Method method, @Nullable Communicator world) {
        if (method.getDeclaringClass().getPackage() != Tutti.class.getPackage()
                || method.getName().equals("equals")) {
            return;
        }
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (!types[i].isPrimitive()
                    && !method.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class)) {
                Object[] arguments = Arrays.stream(types).map(type -> sample(type, types, world)).toArray();
                arguments[i] = null;
                call(subject, method, arguments, i);
            }
        }
    }

    private void call(@Nullable Object subject, Method method, Object[] arguments, int index) {
        calls++;
        try {
            method.invoke(subject, arguments);
            faults.add("nothing for parameter " + index + " of " + method);
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof NullPointerException)) {
                faults.add(e.getCause() + " for parameter " + index + " of " + method);
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Something that fits; what combines booleans is no sum. */
    private static @Nullable Object sample(Class<?> type, Class<?>[] all, @Nullable Communicator world) {
        if (type == Reduction.class) {
            boolean ofBooleans = List.of(all).contains(boolean[].class) || all[0] == boolean.class;
            return ofBooleans ? Reduction.LOGICAL_OR : Reduction.SUM;
        }
        if (type == Communicator.class) {
            return world;
        }
        if (type == Span.class || type == MemorySegment.class) { // each time apart from others
            MemorySegment segment = MemorySegment.ofArray(new double[1]);
            return type == Span.class ? Span.of(segment, DataType.DOUBLE) : segment;
        }
        return type.isArray() ? Array.newInstance(type.componentType(), 1)
                : type.isEnum() ? type.getEnumConstants()[0] : SAMPLES.get(type);
    }
}
