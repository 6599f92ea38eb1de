/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.lang.foreign.ValueLayout;

import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Span;

/** The doubles that a benchmark sends and gets, in whichever kind of memory; a broadcast has its target as source. */
interface Operands extends AutoCloseable {
    /** {@return the operands in arrays} */
    static Operands arrays(int count, boolean inPlace) {
        double[] source = new double[count];
        return new Arrays(source, inPlace ? source : new double[count]);
    }

    /** {@return the operands in memory that the ranks of a node share; collective} */
    static Operands segments(Communicator communicator, int count, boolean inPlace) {
        long bytes = (long) count * Double.BYTES;
        var memory = communicator.allocate(inPlace ? bytes : 2 * bytes);
        var source = Span.of(memory.local().asSlice(0, bytes), DataType.DOUBLE);
        return new Segments(memory, source,
                inPlace ? source : Span.of(memory.local().asSlice(bytes, bytes), DataType.DOUBLE));
    }

    /** Collective. */
    @Override
    void close();

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

        @Override
        public void close() {
            // the collector frees arrays
        }
    }

    /** Off-heap memory. */
    record Segments(RemoteMemory memory, Span source, Span target) implements Operands {
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

        @Override
        public void close() {
            memory.close();
        }
    }
}
