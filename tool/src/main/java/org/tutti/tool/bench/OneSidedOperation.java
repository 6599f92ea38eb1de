/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.tutti.choice.Suggestion;
import org.tutti.tool.UsageException;

/**
 * The operations that {@code --one-sided} measures. Unless stated otherwise, the first rank calls them on the memory of
 * the last rank.
 */
public enum OneSidedOperation {
    /** A put, and a fence. */
    PUT,
    /** A get. */
    GET,
    /** An accumulate of doubles, and a fence. */
    ACCUMULATE,
    /** A fetch-and-add of a long. */
    FETCH_ADD,
    /** A put; every sixteen puts, to different offsets, share a fence. */
    PUT_TRAIN,
    /** A put of the left half of a matrix into the left half of another one, and a fence. */
    PUT_STRIDED,
    /** A get of the left half of a matrix into the left half of another one. */
    GET_STRIDED,
    /** A lock and an unlock of a mutex of the target that no other rank wants. */
    LOCK_UNLOCK,
    /** The lock of {@link #LOCK_UNLOCK} alone, timed by reading the clock before and after it. */
    LOCK,
    /** The unlock of {@link #LOCK_UNLOCK} alone, timed in the same way; to another node, until it is sent. */
    UNLOCK,
    /** A put of eight bytes to every other rank, and then a fence for each of them in turn. */
    FENCE_EACH,
    /** The same puts, and then one fence for all ranks. */
    FENCE_ALL,
    /** {@link #FENCE_EACH}, called by every rank at the same time. */
    FENCE_EACH_EVERYONE,
    /** {@link #FENCE_ALL}, called by every rank at the same time. */
    FENCE_ALL_EVERYONE;

    private static final List<Long> NOTHING = List.of(0L);
    private static final List<Long> ONE_ELEMENT = List.of((long) Double.BYTES);
    private static final long TRAIN_BYTES_MAX = 64 << 10; // of a put; longer puts measure bandwidth, as without a train

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the labels of all operations} */
    public static List<String> labels() {
        return Stream.of(values()).map(OneSidedOperation::label).toList();
    }

    /** {@return the operation with this label on the command line} */
    static OneSidedOperation ofLabel(String label) {
        return Stream.of(values()).filter(operation -> operation.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--operation " + label + " is not one of "
                        + String.join(", ", labels()) + Suggestion.of(label, labels())));
    }

    /** {@return the sizes in bytes, out of these, with which to measure the operation} */
    List<Long> sizes(List<Long> wanted) {
        return switch (this) {
            case PUT, GET, ACCUMULATE, PUT_STRIDED, GET_STRIDED -> wanted;
            case PUT_TRAIN -> wanted.stream().filter(bytes -> bytes <= TRAIN_BYTES_MAX).toList();
            case LOCK_UNLOCK, LOCK, UNLOCK -> NOTHING;
            case FETCH_ADD, FENCE_EACH, FENCE_ALL, FENCE_EACH_EVERYONE, FENCE_ALL_EVERYONE -> ONE_ELEMENT;
        };
    }

    /** {@return whether every rank calls the operation, so that no rank is only a target} */
    boolean isCalledByAll() {
        return this == FENCE_EACH_EVERYONE || this == FENCE_ALL_EVERYONE;
    }

    /** {@return whether the operation puts to all other ranks and fences the puts} */
    boolean isFence() {
        return this == FENCE_EACH || this == FENCE_ALL || isCalledByAll();
    }

    /** {@return whether the operation needs a mutex} */
    boolean isLock() {
        return this == LOCK_UNLOCK || this == LOCK || this == UNLOCK;
    }

    /** {@return whether the elements are the left half rows of a matrix} */
    boolean isStrided() {
        return this == PUT_STRIDED || this == GET_STRIDED;
    }
}
