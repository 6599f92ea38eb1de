/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Span;

/** The doubles that a benchmark sends and gets, in whichever kind of memory; a broadcast has its target as source. */
interface Operands {
    /** {@return the operands in arrays} */
    static Operands arrays(int count, boolean inPlace) {
        double[] source = new double[count];
        return new Arrays(source, inPlace ? source : new double[count]);
    }

    /** {@return the operands in off-heap memory, which is freed when nobody refers to it any more} */
    static Operands segments(int count, boolean inPlace) {
        var source = segment(count);
        return new Segments(source, inPlace ? source : segment(count));
    }

    private static Span segment(int count) {
        return Span.of(Arena.ofAuto().allocate((long) count * Double.BYTES, Long.BYTES), DataType.DOUBLE);
    }

    void set(int index, double value);

    /** {@return an element of the target} */
    double result(int index);

    void broadcast(Communicator communicator);

    void reduce(Communicator communicator);

    void allreduce(Communicator communicator);

    /** Java arrays. */
    record Arrays(double[] source, double[] target) implements Operands {
        @Override
        public void set(int index, double value) {
            source[index] = value;
        }

        @Override
        public double result(int index) {
            return target[index];
        }

        @Override
        public void broadcast(Communicator communicator) {
            communicator.broadcast(source, 0);
        }

        @Override
        public void reduce(Communicator communicator) {
            communicator.reduce(source, target, Reduction.SUM, 0);
        }

        @Override
        public void allreduce(Communicator communicator) {
            communicator.allreduce(source, target, Reduction.SUM);
        }
    }

    /** Off-heap memory. */
    record Segments(Span source, Span target) implements Operands {
        @Override
        public void set(int index, double value) {
            source.segment().setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
        }

        @Override
        public double result(int index) {
            return target.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, index);
        }

        @Override
        public void broadcast(Communicator communicator) {
            communicator.broadcast(source, 0);
        }

        @Override
        public void reduce(Communicator communicator) {
            communicator.reduce(source, target, Reduction.SUM, 0);
        }

        @Override
        public void allreduce(Communicator communicator) {
            communicator.allreduce(source, target, Reduction.SUM);
        }
    }
}
