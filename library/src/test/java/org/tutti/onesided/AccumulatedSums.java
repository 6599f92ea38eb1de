/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.Span;

/**
 * Accumulates of all ranks into the same elements. Each rank keeps its contributions in plain arrays. Their combination
 * over all ranks must be in the parts exactly, because all numbers are small enough.
 */
final class AccumulatedSums extends HistoryActor {
    /** Doubles are multiples of this, by a scale that accumulates bring. */
    private static final double QUARTER = 0.25;

    /** Elements of one type that are combined in one way; some cross the borders of locks, which are 4 KiB apart. */
    private enum Area {
        INTS(DataType.INT, Reduction.SUM, 300),
        BITS(DataType.LONG, Reduction.BITWISE_XOR, 200),
        LONGS(DataType.LONG, Reduction.SUM, 600),
        FLOATS(DataType.FLOAT, Reduction.MAX, 500),
        DOUBLES(DataType.DOUBLE, Reduction.SUM, 1200);

        final DataType type;
        final Reduction reduction;
        final int count;

        Area(DataType type, Reduction reduction, int count) {
            this.type = type;
            this.reduction = reduction;
            this.count = count;
        }

        long offset() {
            long offset = 0;
            for (int i = 0; i < ordinal(); i++) {
                offset += (long) values()[i].count * values()[i].type.bytes();
            }
            return offset;
        }
    }

    static final long BYTES = Area.DOUBLES.offset() + (long) Area.DOUBLES.count * Double.BYTES;

    private static final Area[] AREAS = Area.values();

    /** For each area, what this rank has given to each target. */
    private final long[][] given = new long[AREAS.length][];

    AccumulatedSums(Setting history, long start) {
        super(history, start);
        for (Area area : AREAS) {
            given[area.ordinal()] = new long[size * area.count];
        }
    }

    @Override
    void act(int target) {
        Area area = AREAS[random.nextInt(AREAS.length)];
        int count = length(area.count);
        accumulate(target, area, random.nextInt(area.count - count + 1), count);
    }

    /** All ranks at once accumulate into the same elements: here locks that do not lock show. */
    void duel(int target) {
        world.barrier();
        for (Area area : AREAS) {
            accumulate(target, area, 0, area.count);
        }
    }

    private void accumulate(int target, Area area, int from, int count) {
        int step = area.reduction == Reduction.SUM && random.nextInt(3) == 0 ? 2 : 1;
        int some = (count + step - 1) / step;
        long[] values = random.longs(some, -1000, 1000).toArray();
        for (int i = 0; i < some; i++) {
            int at = target * area.count + from + i * step;
            long[] here = given[area.ordinal()];
            here[at] = switch (area) {
                case BITS -> here[at] ^ values[i];
                case FLOATS -> Math.max(here[at], values[i]);
                default -> here[at] + values[i];
            };
        }
        long offset = start + area.offset() + (long) from * area.type.bytes();
        Span source = span(area, values);
        RemotePart part = memory.at(target);
        if (step == 2) {
            int bytes = area.type.bytes();
            part.accumulate(Section.strided(offset, bytes, new long[]{some}, new long[]{2L * bytes}), source,
                    Section.of(0, (long) some * bytes), scale(area));
        } else if (area.reduction == Reduction.SUM) {
            part.accumulate(offset, source, scale(area));
        } else {
            part.accumulate(offset, source, area.reduction);
        }
    }

    /** Longs go negated and scaled by −1. */
    private static double scale(Area area) {
        return switch (area) {
            case LONGS -> -1;
            case DOUBLES -> QUARTER;
            default -> 1;
        };
    }

    private static Span span(Area area, long[] values) {
        MemorySegment heap = MemorySegment.ofArray(new byte[values.length * area.type.bytes()]);
        for (int i = 0; i < values.length; i++) {
            long offset = (long) i * area.type.bytes();
            switch (area) {
                case INTS -> heap.set(ValueLayout.JAVA_INT_UNALIGNED, offset, (int) values[i]);
                case BITS -> heap.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, values[i]);
                case LONGS -> heap.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, -values[i]);
                case FLOATS -> heap.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, values[i]);
                case DOUBLES -> heap.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, values[i]);
            }
        }
        return Span.of(heap, area.type);
    }

    @Override
    void check() {
        for (Area area : AREAS) {
            long[] expected = given[area.ordinal()].clone();
            world.allreduce(expected, area.reduction);
            for (int i = 0; i < area.count; i++) {
                double found = element(area, start + area.offset() + (long) i * area.type.bytes());
                double sum = expected[self * area.count + i] * (area == Area.DOUBLES ? QUARTER : 1);
                require(found == sum, "element " + i + " of the " + area + " of rank " + self + " is " + found
                        + " instead of " + sum);
            }
        }
    }

    private double element(Area area, long offset) {
        MemorySegment local = memory.local();
        return switch (area.type) {
            case INT -> local.get(ValueLayout.JAVA_INT, offset);
            case LONG -> local.get(ValueLayout.JAVA_LONG, offset);
            case FLOAT -> local.get(ValueLayout.JAVA_FLOAT, offset);
            default -> local.get(ValueLayout.JAVA_DOUBLE, offset);
        };
    }
}
