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
 * place of the operands, which are constants of the class. C2 then knows all that it must know to make instructions of
 * the vectors: the operator, the type, and for each segment whether it is over an array or off the heap. The latter
 * does not come from profiles, since all loops of a program share those of the methods of the JDK. It comes from the
 * casts, which cost nothing: C2 takes them out of the loop.
 */
final class SegmentLoop implements VectorLoop {
    /**
     * What a class is defined for.
     *
     * @param species the type of the elements and the length of a vector
     * @param operator the operator
     * @param left the class of the left segments
     * @param right the class of the right segments
     * @param target the class of the segments that results go to
     */
    record Constants(VectorSpecies<?> species, VectorOperators.Binary operator, Class<? extends MemorySegment> left,
            Class<? extends MemorySegment> right, Class<? extends MemorySegment> target) {}

    /** How many vectors must have been combined for C2 to be asked to compile {@link #combineVector}. */
    private static final int LEARNING_VECTORS = 10_000;

    /** Until then each takes microseconds and makes objects, so a call combines only so many. */
    private static final int LEARNING_VECTORS_PER_CALL = 256;

    private static final Constants CONSTANTS = constants();
    private static final VectorSpecies<?> SPECIES = CONSTANTS.species();
    private static final int VECTOR_BYTES = SPECIES.vectorByteSize();

    /** C2 may run a loop over ints without looking whether the collector waits, so no loop is long. */
    private static final int PIECE_BYTES = VECTOR_BYTES << 14;

    private static final VectorOperators.Binary OPERATOR = CONSTANTS.operator();
    private static final Class<? extends MemorySegment> LEFT = CONSTANTS.left();
    private static final Class<? extends MemorySegment> RIGHT = CONSTANTS.right();
    private static final Class<? extends MemorySegment> TARGET = CONSTANTS.target();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    /** Counted by all threads without care: some may be lost. */
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

    /** How many of so many vectors to combine. */
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
