/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;

import org.tutti.Aggregate;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.Span;
import org.tutti.TransferProtocol;

/**
 * Puts and gets of bytes and of sections, each rank in a slice of its own in every part. The model knows for each byte
 * which values it may have: one, or, when several puts without a fence between them went over several rails, that of
 * any of them. A get comes after the puts before it; what it finds there stays.
 */
final class PutSlices extends HistoryActor {
    private static final int SLICE_BYTES = 40_000;

    /** Bytes are 0 to 63, so that a set of them is a long. */
    private static final int VALUES = Long.SIZE;

    private final long[][] allowed;
    private final BitSet[] unfenced;
    private final Aggregate aggregate;

    PutSlices(Setting history, long start) {
        super(history, start);
        this.allowed = new long[size][SLICE_BYTES];
        this.unfenced = new BitSet[size];
        this.aggregate = memory.aggregate();
        for (int target = 0; target < size; target++) {
            Arrays.fill(allowed[target], 1);
            unfenced[target] = new BitSet();
        }
    }

    static long bytes(int size) {
        return (long) size * SLICE_BYTES;
    }

    private long slice(int writer) {
        return start + (long) writer * SLICE_BYTES;
    }

    /** Runs at equal distances; one of them is a contiguous range. */
    private record Runs(int from, int bytes, int count, int stride) {
        Section section(long slice) {
            return Section.strided(slice + from, bytes, new long[]{count}, new long[]{stride});
        }

        int total() {
            return bytes * count;
        }

        int at(int index) {
            return from + index / bytes * stride + index % bytes;
        }
    }

    private Runs draw() {
        if (random.nextInt(3) > 0) {
            int bytes = length(SLICE_BYTES);
            return new Runs(random.nextInt(SLICE_BYTES - bytes + 1), bytes, 1, bytes);
        }
        int stride = length(SLICE_BYTES / 4);
        int bytes = 1 + random.nextInt(stride);
        int count = 1 + random.nextInt(Math.min(40, SLICE_BYTES / stride));
        return new Runs(random.nextInt(SLICE_BYTES - stride * count + 1), bytes, count, stride);
    }

    @Override
    void act(int target) {
        if (random.nextInt(3) > 0) {
            put(target, draw());
        } else {
            get(target, draw());
        }
    }

    private void put(int target, Runs runs) {
        byte[] bytes = new byte[runs.total()];
        int first = random.nextInt(VALUES);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ((first + i) % VALUES);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = MemorySegment.ofArray(bytes);
            if (random.nextBoolean()) {
                source = arena.allocate(bytes.length).copyFrom(source);
            }
            put(target, runs, source);
        }
        for (int i = 0; i < bytes.length; i++) {
            int at = runs.at(i);
            boolean any = unfenced[target].get(at) && !isInOrder(target);
            allowed[target][at] = 1L << bytes[i] | (any ? allowed[target][at] : 0);
            unfenced[target].set(at);
        }
    }

    /** By any call that puts, some of which leave their bytes for later ones to take along. */
    private void put(int target, Runs runs, MemorySegment source) {
        Section there = runs.section(slice(self));
        Span span = Span.of(source, DataType.BYTE);
        Section here = Section.of(0, source.byteSize());
        boolean plain = runs.count == 1 && random.nextBoolean();
        switch (random.nextInt(5)) {
            case 0 -> aggregate.at(target).put(there, span, here);
            case 1 -> memory.at(target).nonBlocking().put(there, span, here).await();
            default -> {
                if (plain) {
                    part(target).put(slice(self) + runs.from, source);
                } else {
                    part(target).put(there, span, here);
                }
            }
        }
        if (random.nextInt(8) == 0) {
            aggregate.await();
        }
    }

    /** A part by one of the protocols, or by that which it chooses. */
    private RemotePart part(int target) {
        TransferProtocol[] protocols = TransferProtocol.values();
        int protocol = random.nextInt(2 * protocols.length);
        RemotePart part = memory.at(target);
        return protocol < protocols.length ? part.withProtocol(protocols[protocol]) : part;
    }

    private void get(int target, Runs runs) {
        byte[] bytes = new byte[runs.total()];
        Section there = runs.section(slice(self));
        Section here = Section.of(0, bytes.length);
        if (runs.count == 1 && random.nextBoolean()) {
            part(target).get(slice(self) + runs.from, bytes);
        } else if (random.nextInt(4) > 0) {
            part(target).get(there, Span.of(bytes), here);
        } else {
            memory.at(target).nonBlocking().get(there, Span.of(bytes), here).await();
        }
        for (int i = 0; i < bytes.length; i++) {
            int at = runs.at(i);
            require(bytes[i] >= 0 && bytes[i] < VALUES && (allowed[target][at] & 1L << bytes[i]) != 0, "rank " + self
                    + " got " + bytes[i] + " for byte " + at + " of its slice at rank " + target + " by " + runs
                    + ", which may be one of " + Long.toBinaryString(allowed[target][at]));
            allowed[target][at] = 1L << bytes[i];
        }
        noteFenced(target);
    }

    @Override
    void noteFenced(int target) {
        unfenced[target].clear();
    }

    /** The owner of a part and the writer of a slice must see the same bytes, and the writer what the model allows. */
    @Override
    void check() {
        long[] seen = new long[size * size];
        for (int writer = 0; writer < size; writer++) {
            byte[] bytes = memory.local().asSlice(slice(writer), SLICE_BYTES).toArray(ValueLayout.JAVA_BYTE);
            seen[self * size + writer] = Arrays.hashCode(bytes);
        }
        world.allreduce(seen, Reduction.SUM);
        for (int target = 0; target < size; target++) {
            get(target, new Runs(0, SLICE_BYTES, 1, SLICE_BYTES));
            byte[] mine = new byte[SLICE_BYTES];
            for (int at = 0; at < SLICE_BYTES; at++) {
                mine[at] = (byte) Long.numberOfTrailingZeros(allowed[target][at]);
            }
            require(Arrays.hashCode(mine) == seen[target * size + self],
                    "ranks " + self + " and " + target + " see different bytes");
        }
    }
}
