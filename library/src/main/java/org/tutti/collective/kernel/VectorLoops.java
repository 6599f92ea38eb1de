/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.Map;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;
import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * Creates the vector loops of this JVM, which combine elements with vector instructions. Each loop is defined at its
 * first use and then shared by all kernels. This class links to the Vector API. Only code that runs if {@link
 * Vectors#areInUse} returns true may therefore refer to it.
 */
final class VectorLoops {
    private static final Map<SegmentLoop.Constants, VectorLoop> LOOPS = new HashMap<>();

    private VectorLoops() {}

    /** {@return the length of this machine's vectors, in bytes} */
    static int vectorBytes() {
        return VectorShape.preferredShape().vectorBitSize() / Byte.SIZE;
    }

    /** {@return whether the Vector API has vectors of a type, and an operation on vectors for an operator} */
    static boolean support(Reduction reduction, DataType type) {
        return species(type) != null && operator(reduction) != null;
    }

    /**
     * {@return the loop that combines segments of given classes with an operator}
     *
     * @param reduction the operator
     * @param type the elements' type, for which {@link #support} returns true
     * @param left the class of the left segments
     * @param right the class of the right segments
     * @param target the class of the segments for the results
     */
    static synchronized VectorLoop of(Reduction reduction, DataType type, Class<? extends MemorySegment> left,
            Class<? extends MemorySegment> right, Class<? extends MemorySegment> target) {
        return LOOPS.computeIfAbsent(
                new SegmentLoop.Constants(species(type), operator(reduction), left, right, target),
                VectorLoops::define);
    }

    private static VectorLoop define(SegmentLoop.Constants constants) {
        try (var code = VectorLoops.class.getResourceAsStream("SegmentLoop.class")) {
            return (VectorLoop) MethodHandles.lookup()
                    .defineHiddenClassWithClassData(code.readAllBytes(), constants, true)
                    .lookupClass().getDeclaredConstructor().newInstance();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static VectorSpecies<?> species(DataType type) {
        return switch (type) {
            case BYTE -> ByteVector.SPECIES_PREFERRED;
            case SHORT -> ShortVector.SPECIES_PREFERRED;
            case INT -> IntVector.SPECIES_PREFERRED;
            case LONG -> LongVector.SPECIES_PREFERRED;
            case FLOAT -> FloatVector.SPECIES_PREFERRED;
            case DOUBLE -> DoubleVector.SPECIES_PREFERRED;
            case BOOLEAN, CHAR -> null;
        };
    }

    private static VectorOperators.Binary operator(Reduction reduction) {
        return switch (reduction.name()) {
            case "sum" -> VectorOperators.ADD;
            case "product" -> VectorOperators.MUL;
            case "min" -> VectorOperators.MIN;
            case "max" -> VectorOperators.MAX;
            case "bitwise-and" -> VectorOperators.AND;
            case "bitwise-or" -> VectorOperators.OR;
            case "bitwise-xor" -> VectorOperators.XOR;
            default -> null;
        };
    }
}
