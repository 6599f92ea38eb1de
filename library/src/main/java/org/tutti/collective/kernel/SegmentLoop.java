/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;

import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loop over the vectors of three segments. {@link VectorLoops} defines this class anew for each operator, type and
 * kind of memory of the operands, which are constants of the class. C2 then knows all that it needs to make
 * instructions of the vectors: the operator, the type, and for each segment whether it is over an array or off the
 * heap. C2 cannot know the latter from profiles, because all loops of a program share the profiles of the JDK's
 * methods. It knows it from the casts, which cost nothing, because C2 moves them out of the loop.
 */
final class SegmentLoop implements VectorLoop {
    /**
     * The constants of a class.
     *
     * @param species the type of the elements and the length of a vector
     * @param operator the operator
     * @param left the class of the left segments
     * @param right the class of the right segments
     * @param target the class of the segments for the results
     */
    record Constants(VectorSpecies<?> species, VectorOperators.Binary operator, Class<? extends MemorySegment> left,
            Class<? extends MemorySegment> right, Class<? extends MemorySegment> target) {}

    /** The number of vectors after which C2 is asked to compile {@link #combineVector}. */
    private static final int LEARNING_VECTORS = 10_000;

    /** The number of vectors that a call combines until then, because each takes microseconds and makes objects. */
    private static final int LEARNING_VECTORS_PER_CALL = 256;

    private static final Constants CONSTANTS = constants();
    private static final VectorSpecies<?> SPECIES = CONSTANTS.species();
    private static final int VECTOR_BYTES = SPECIES.vectorByteSize();

    /** The longest loop: C2 may run a loop over ints without a safepoint, which would hold up the garbage collector. */
    private static final int PIECE_BYTES = VECTOR_BYTES << 14;

    private static final VectorOperators.Binary OPERATOR = CONSTANTS.operator();
    private static final Class<? extends MemorySegment> LEFT = CONSTANTS.left();
    private static final Class<? extends MemorySegment> RIGHT = CONSTANTS.right();
    private static final Class<? extends MemorySegment> TARGET = CONSTANTS.target();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    /** The number of vectors combined so far; all threads count without synchronization, so some may be lost. */
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

    /** Returns how many of a number of vectors to combine. */
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
