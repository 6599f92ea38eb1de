/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.RemotePart;
import org.tutti.Span;

/** The caller's doubles, on or off the heap: the source of puts and accumulates, or the target of gets. */
interface OneSidedOperands extends Pattern.Elements {
    /** {@return operands in an array} */
    static OneSidedOperands array(int count) {
        double[] elements = new double[count];
        return new Array(elements, Span.of(elements));
    }

    /** {@return operands off the heap} */
    static OneSidedOperands segment(MemorySegment segment) {
        return new Segment(Span.of(segment, DataType.DOUBLE));
    }

    double get(int index);

    void put(RemotePart part, long offset);

    void get(RemotePart part);

    void accumulate(RemotePart part);

    /** {@return the operands, for operations on sections} */
    Span span();

    /** A Java array. */
    record Array(double[] elements, Span span) implements OneSidedOperands {
        @Override
        public double get(int index) {
            return elements[index];
        }

        @Override
        public void write(double[] values, int from, int index, int count) {
            System.arraycopy(values, from, elements, index, count);
        }

        @Override
        public void put(RemotePart part, long offset) {
            part.put(offset, elements);
        }

        @Override
        public void get(RemotePart part) {
            part.get(0, elements);
        }

        @Override
        public void accumulate(RemotePart part) {
            part.accumulate(0, elements, Reduction.SUM);
        }
    }

    /** Off-heap memory. */
    record Segment(Span span) implements OneSidedOperands {
        @Override
        public double get(int index) {
            return span.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, index);
        }

        @Override
        public void write(double[] values, int from, int index, int count) {
            MemorySegment.copy(values, from, span.segment(), ValueLayout.JAVA_DOUBLE, (long) index * Double.BYTES,
                    count);
        }

        @Override
        public void put(RemotePart part, long offset) {
            part.put(offset, span);
        }

        @Override
        public void get(RemotePart part) {
            part.get(0, span);
        }

        @Override
        public void accumulate(RemotePart part) {
            part.accumulate(0, span, Reduction.SUM);
        }
    }
}
