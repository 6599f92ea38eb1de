/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;

import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * A loop that combines two segments into a third one, vector by vector. {@link VectorLoops} defines a hidden class from
 * this class for each combination of operator, type, and kinds of memory of the three segments. In the hidden class
 * these are constants, because the C2 compiler must know all of them to compile vectors to instructions. C2 must know
 * for each segment whether the segment is an array or off-heap memory. It cannot learn this from profiles, because all
 * loops of a program share the profiles of the JDK's methods. The casts in this loop inform C2 instead. They cost
 * nothing, because C2 moves them out of the loop.
 */
final class SegmentLoop implements VectorLoop {
    /**
     * The constants of one hidden class.
     *
     * @param species the element type and the length of a vector
     * @param operator the operator
     * @param left the class of the left segments
     * @param right the class of the right segments
     * @param target the class of the segments for the results
     */
    record Constants(VectorSpecies<?> species, VectorOperators.Binary operator, Class<? extends MemorySegment> left,
            Class<? extends MemorySegment> right, Class<? extends MemorySegment> target) {}

    /** The number of vectors after which the JVM has C2 compile {@link #combineVector}. */
    private static final int LEARNING_VECTORS = 10_000;

    /**
     * The most vectors that one call combines before C2 has compiled the loop. Until then each vector takes
     * microseconds and allocates objects.
     */
    private static final int LEARNING_VECTORS_PER_CALL = 256;

    private static final Constants CONSTANTS = constants();
    private static final VectorSpecies<?> SPECIES = CONSTANTS.species();
    private static final int VECTOR_BYTES = SPECIES.vectorByteSize();

    /**
     * The most bytes that one loop combines. C2 may compile a loop over ints without safepoints, so a longer loop would
     * delay the garbage collector.
     */
    private static final int PIECE_BYTES = VECTOR_BYTES << 14;

    private static final VectorOperators.Binary OPERATOR = CONSTANTS.operator();
    private static final Class<? extends MemorySegment> LEFT = CONSTANTS.left();
    private static final Class<? extends MemorySegment> RIGHT = CONSTANTS.right();
    private static final Class<? extends MemorySegment> TARGET = CONSTANTS.target();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    /**
     * The number of vectors that were combined so far, counted until C2 compiles the loop. Threads count without
     * synchronization, so increments may be lost.
     */
    private static int learntVectors;

    private static Constants constants() {
        try {
            return MethodHandles.classData(MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, Constants.class);
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public long combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        long done = vectors(bytes / VECTOR_BYTES) * VECTOR_BYTES;
        for (long at = 0; at < done; at += PIECE_BYTES) {
            combinePiece(left, leftOffset + at, right, rightOffset + at, target, targetOffset + at,
                    (int) Math.min(PIECE_BYTES, done - at));
        }
        return done;
    }

    /** Returns how many of {@code whole} vectors this call combines: all, or fewer until C2 has compiled the loop. */
    private static long vectors(long whole) {
        if (learntVectors >= LEARNING_VECTORS) {
            return whole;
        }
        long some = Math.min(whole, LEARNING_VECTORS_PER_CALL);
        learntVectors += (int) some;
        return some;
    }

    private static void combinePiece(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, int bytes) {
        for (int at = 0; at < bytes; at += VECTOR_BYTES) {
            combineVector(SPECIES, left, leftOffset + at, right, rightOffset + at, target, targetOffset + at);
        }
    }

    private static <E> void combineVector(VectorSpecies<E> species, MemorySegment left, long leftOffset,
            MemorySegment right, long rightOffset, MemorySegment target, long targetOffset) {
        species.fromMemorySegment(LEFT.cast(left), leftOffset, ORDER)
                .lanewise(OPERATOR, species.fromMemorySegment(RIGHT.cast(right), rightOffset, ORDER))
                .intoMemorySegment(TARGET.cast(target), targetOffset, ORDER);
    }
}
