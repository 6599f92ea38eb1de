/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/**
 * Segments over the arrays of the latest calls, so that a program that calls again and again with the same few arrays
 * allocates nothing. Segments are kept weakly: they vanish with the next garbage collection, and so can the arrays. As
 * a {@code boolean[]} has no segment, its elements are staged through bytes.
 */
final class ArraySegments {
    private static final int REMEMBERED = 4;
    private static final int STAGED_BYTES_KEPT = 1 << 20;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private final WeakReference<MemorySegment>[] segments = new WeakReference[REMEMBERED];

    @SuppressWarnings({"unchecked", "rawtypes"})
    private final WeakReference<Object>[] arrays = new WeakReference[REMEMBERED];

    private int oldest;
    private byte[] staging = new byte[0];
    private MemorySegment staged = MemorySegment.ofArray(staging);

    MemorySegment of(Object array) {
        for (int i = 0; i < REMEMBERED; i++) {
            WeakReference<Object> remembered = arrays[i];
            if (remembered != null && remembered.refersTo(array)) {
                MemorySegment segment = segments[i].get();
                if (segment != null) {
                    return segment;
                }
            }
        }
        return remember(array);
    }

    /** The elements as bytes, in memory that the next call uses again. */
    MemorySegment staged(boolean[] array) {
        if (staging.length < array.length) {
            staging = new byte[array.length];
            staged = MemorySegment.ofArray(staging);
        }
        for (int i = 0; i < array.length; i++) {
            staging[i] = array[i] ? (byte) 1 : 0;
        }
        if (staged.byteSize() != array.length) {
            staged = MemorySegment.ofArray(staging).asSlice(0, array.length);
        }
        return staged;
    }

    void unstage(boolean[] array) {
        for (int i = 0; i < array.length; i++) {
            array[i] = staging[i] != 0;
        }
    }

    /** Ends a call with staged elements: little memory is kept for the next one, much is not. */
    void release() {
        if (staging.length > STAGED_BYTES_KEPT) {
            staging = new byte[0];
            staged = MemorySegment.ofArray(staging);
        }
    }

    private MemorySegment remember(Object array) {
        MemorySegment segment = switch (array) {
            case byte[] bytes -> MemorySegment.ofArray(bytes);
            case char[] chars -> MemorySegment.ofArray(chars);
            case short[] shorts -> MemorySegment.ofArray(shorts);
            case int[] ints -> MemorySegment.ofArray(ints);
            case long[] longs -> MemorySegment.ofArray(longs);
            case float[] floats -> MemorySegment.ofArray(floats);
            case double[] doubles -> MemorySegment.ofArray(doubles);
            case null -> throw new NullPointerException("the array is null");
            default -> throw new IllegalArgumentException("not an array of a primitive type: " + array.getClass());
        };
        int index = vacancy();
        arrays[index] = new WeakReference<>(array);
        segments[index] = new WeakReference<>(segment);
        return segment;
    }

    private int vacancy() {
        for (int i = 0; i < REMEMBERED; i++) {
            if (segments[i] == null || segments[i].refersTo(null)) {
                return i;
            }
        }
        oldest = (oldest + 1) % REMEMBERED;
        return oldest;
    }
}
