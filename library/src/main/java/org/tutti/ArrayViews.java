/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.function.Function;

/**
 * Segments or spans for the arrays that calls are given. Those for the arrays of the latest calls are remembered, so
 * that a program that calls again and again with the same few arrays allocates nothing: weakly, so that they vanish
 * with the next garbage collection, and so can the arrays.
 */
final class ArrayViews<V> {
    /** For how many arrays the views are remembered where calls must allocate nothing. */
    static final int REMEMBERED = 4;

    private final Function<Object, V> maker;
    private final @Nullable WeakReference<V>[] views;
    private final @Nullable WeakReference<Object>[] arrays;
    private int oldest;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private ArrayViews(Function<Object, V> maker, int remembered) {
        this.maker = maker;
        views = new WeakReference[remembered];
        arrays = new WeakReference[remembered];
    }

    /** Segments over arrays of all types but boolean. */
    static ArrayViews<MemorySegment> segments(int remembered) {
        return new ArrayViews<>(ArrayViews::segment, remembered);
    }

    /** Spans for arrays that no segment can be over. */
    static ArrayViews<Span> booleans(int remembered) {
        return new ArrayViews<>(array -> Span.standingFor((boolean[]) array), remembered);
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
        for (int i = 0; i < arrays.length; i++) {
            WeakReference<Object> remembered = arrays[i];
            WeakReference<V> made = views[i];
            if (remembered != null && made != null && remembered.refersTo(array)) {
                V view = made.get();
                if (view != null) {
                    return view;
                }
            }
        }
        return remember(array, maker.apply(array));
    }

    private V remember(Object array, V view) {
        if (arrays.length > 0) {
            int index = vacancy();
            arrays[index] = new WeakReference<>(array);
            views[index] = new WeakReference<>(view);
        }
        return view;
    }

    private int vacancy() {
        for (int i = 0; i < views.length; i++) {
            WeakReference<V> view = views[i];
            if (view == null || view.refersTo(null)) {
                return i;
            }
        }
        oldest = (oldest + 1) % views.length;
        return oldest;
    }
}
