/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.function.Function;

/**
 * Creates the views through which calls access the arrays of a program, which are memory segments or {@link Span}s. It
 * remembers the views of the latest arrays, so that a program that calls again with the same few arrays allocates
 * nothing. The references are weak. Therefore a garbage collection can free the views and the arrays.
 *
 * <p><b>Concurrency.</b> Any number of threads may call, without a lock. An array and its view are remembered as one
 * object with final fields, so a thread that reads the object sees both. If two threads remember an array at the same
 * time, one of the two views may be lost, and is made again later.
 */
final class ArrayViews<V> {
    /** The number of arrays to remember if calls must allocate nothing. */
    static final int REMEMBERED = 4;

    /** An array, and the view of it. */
    private record Remembered<V>(WeakReference<Object> array, WeakReference<V> view) {}

    private final Function<Object, V> maker;
    private final @Nullable Remembered<V>[] latest;
    private int oldest;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private ArrayViews(Function<Object, V> maker, int remembered) {
        this.maker = maker;
        latest = new Remembered[remembered];
    }

    /** Returns views that are segments, for arrays of all types except boolean. */
    static ArrayViews<MemorySegment> segments(int remembered) {
        return new ArrayViews<>(ArrayViews::segment, remembered);
    }

    /** Returns views that are spans, for arrays of type boolean, because no segment can be over these. */
    static ArrayViews<Span> booleans(int remembered) {
        return new ArrayViews<>(array -> Span.standingFor((boolean[]) array), remembered);
    }

    /** Returns a new span over an array of any type. A span stands for itself. */
    static Span span(Object elements) {
        return switch (elements) {
            case Span span -> span;
            case boolean[] booleans -> Span.standingFor(booleans);
            case byte[] bytes -> Span.of(bytes);
            case char[] chars -> Span.of(chars);
            case short[] shorts -> Span.of(shorts);
            case int[] ints -> Span.of(ints);
            case long[] longs -> Span.of(longs);
            case float[] floats -> Span.of(floats);
            case double[] doubles -> Span.of(doubles);
            default -> throw new IllegalArgumentException("not an array with a span: " + elements.getClass());
        };
    }

    private static MemorySegment segment(Object array) {
        return switch (array) {
            case byte[] bytes -> MemorySegment.ofArray(bytes);
            case char[] chars -> MemorySegment.ofArray(chars);
            case short[] shorts -> MemorySegment.ofArray(shorts);
            case int[] ints -> MemorySegment.ofArray(ints);
            case long[] longs -> MemorySegment.ofArray(longs);
            case float[] floats -> MemorySegment.ofArray(floats);
            case double[] doubles -> MemorySegment.ofArray(doubles);
            default -> throw new IllegalArgumentException("not an array with a segment: " + array.getClass());
        };
    }

    V of(Object array) {
        Objects.requireNonNull(array, "the array is null");
        for (Remembered<V> each : latest) {
            if (each != null && each.array.refersTo(array)) {
                V view = each.view.get();
                if (view != null) {
                    return view;
                }
            }
        }
        return remember(array, maker.apply(array));
    }

    private V remember(Object array, V view) {
        if (latest.length > 0) {
            latest[vacancy()] = new Remembered<>(new WeakReference<>(array), new WeakReference<>(view));
        }
        return view;
    }

    private int vacancy() {
        for (int i = 0; i < latest.length; i++) {
            Remembered<V> each = latest[i];
            if (each == null || each.view.refersTo(null)) {
                return i;
            }
        }
        int next = (oldest + 1) % latest.length;
        oldest = next;
        return next;
    }
}
