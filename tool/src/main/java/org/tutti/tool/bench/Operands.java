/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Span;

/**
 * The doubles that a benchmark sends and receives, on or off the heap. In a broadcast, the target is the source as
 * well.
 */
interface Operands extends AutoCloseable, Pattern.Elements {
    /** {@return operands in arrays; with no target elements, the target is the source} */
    static Operands arrays(int sourceCount, int targetCount) {
        double[] source = new double[sourceCount];
        return new Arrays(source, targetCount == 0 ? source : new double[targetCount]);
    }

    /**
     * {@return operands in memory that the ranks of a node share; with no target elements, the target is the source;
     * collective}
     */
    static Operands segments(Communicator communicator, int sourceCount, int targetCount) {
        long sourceBytes = (long) sourceCount * Double.BYTES;
        long targetBytes = (long) targetCount * Double.BYTES;
        var memory = communicator.allocate(sourceBytes + targetBytes);
        var source = Span.of(memory.local().asSlice(0, sourceBytes), DataType.DOUBLE);
        return new Segments(memory, source, targetCount == 0 ? source
                : Span.of(memory.local().asSlice(sourceBytes, targetBytes), DataType.DOUBLE));
    }

    /** Closes the operands; collective. */
    @Override
    void close();

    /** {@return an element of the target} */
    double result(int index);

    /** {@return the source, for requests and prepared calls} */
    Span sourceSpan();

    /** {@return the target, for requests and prepared calls} */
    Span targetSpan();

    void broadcast(Communicator communicator);

    void reduce(Communicator communicator);

    void allreduce(Communicator communicator);

    /** Calls a collective with blocks, or a scan. */
    void call(Communicator communicator, Collective collective);

    /** Java arrays. */
    record Arrays(double[] source, double[] target) implements Operands {
        @Override
        public void write(double[] values, int from, int index, int count) {
            System.arraycopy(values, from, source, index, count);
        }

        @Override
        public double result(int index) {
            return target[index];
        }

        @Override
        public Span sourceSpan() {
            return Span.of(source);
        }

        @Override
        public Span targetSpan() {
            return Span.of(target);
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
        public void call(Communicator communicator, Collective collective) {
            switch (collective) {
                case GATHER -> communicator.gather(source, target, 0);
                case SCATTER -> communicator.scatter(source, target, 0);
                case ALLGATHER -> communicator.allgather(source, target);
                case ALL_TO_ALL -> communicator.allToAll(source, target);
                case REDUCE_SCATTER -> communicator.reduceScatter(source, target, Reduction.SUM);
                case SCAN -> communicator.scan(source, target, Reduction.SUM);
                case EXCLUSIVE_SCAN -> communicator.exclusiveScan(source, target, Reduction.SUM);
                default -> throw new IllegalArgumentException(collective.label() + " has no blocks");
            }
        }

        @Override
        public void close() {
            // the garbage collector frees arrays
        }
    }

    /** Off-heap memory. */
    record Segments(RemoteMemory memory, Span source, Span target) implements Operands {
        @Override
        public void write(double[] values, int from, int index, int count) {
            MemorySegment.copy(values, from, source.segment(), ValueLayout.JAVA_DOUBLE, (long) index * Double.BYTES,
                    count);
        }

        @Override
        public double result(int index) {
            return target.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, index);
        }

        @Override
        public Span sourceSpan() {
            return source;
        }

        @Override
        public Span targetSpan() {
            return target;
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
        public void call(Communicator communicator, Collective collective) {
            switch (collective) {
                case GATHER -> communicator.gather(source, target, 0);
                case SCATTER -> communicator.scatter(source, target, 0);
                case ALLGATHER -> communicator.allgather(source, target);
                case ALL_TO_ALL -> communicator.allToAll(source, target);
                case REDUCE_SCATTER -> communicator.reduceScatter(source, target, Reduction.SUM);
                case SCAN -> communicator.scan(source, target, Reduction.SUM);
                case EXCLUSIVE_SCAN -> communicator.exclusiveScan(source, target, Reduction.SUM);
                default -> throw new IllegalArgumentException(collective.label() + " has no blocks");
            }
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
