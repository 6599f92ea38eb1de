/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.tutti.Reduction;
import org.tutti.RemotePart;
import org.tutti.Span;
import org.tutti.onesided.Linearizability.Call;
import org.tutti.onesided.Linearizability.Kind;

/**
 * Atomic operations, accumulates and replaces on a few longs and ints of every part, by all ranks. After each round
 * they tell each other what they have called, when, and what it has returned; each rank then judges the elements of its
 * own part. Their clock is that of the machine, which all processes of it share.
 */
final class AtomicCells extends HistoryActor {
    /** Two longs, and two ints that share eight bytes. */
    private static final int CELLS = 4;
    private static final int LONGS = 2;
    static final int BYTES = 64;

    private static final int FIELDS = 9;
    private static final Kind[] KINDS = Kind.values();
    private static final Kind[] DRAWN = {Kind.FETCH_ADD, Kind.FETCH_ADD, Kind.FETCH_ADD, Kind.SWAP,
            Kind.COMPARE_AND_SWAP, Kind.COMPARE_AND_SWAP, Kind.ADD, Kind.REPLACE};

    /** What this rank has called in this round. */
    private final List<Entry> entries = new ArrayList<>();
    private final int[][] calls;
    private final long[][] lastSeen;
    private final long[] values = new long[CELLS];
    private final int callsMax;

    private record Entry(int target, int cell, Call call) {
        Entry end(long endNanos) {
            return new Entry(target, cell, new Call(call.kind(), call.operand(), call.expected(), call.returned(),
                    call.rank(), call.order(), call.beginNanos(), endNanos));
        }

        boolean isOpen() {
            return call.endNanos() == Long.MAX_VALUE;
        }
    }

    AtomicCells(Setting history, long start) {
        super(history, start);
        this.calls = new int[size][CELLS];
        this.lastSeen = new long[size][CELLS];
        this.callsMax = Linearizability.CALLS_MAX / size;
    }

    private long offset(int cell) {
        return start + (cell < LONGS ? (long) cell * Long.BYTES
                : (long) LONGS * Long.BYTES + (long) (cell - LONGS) * Integer.BYTES);
    }

    private static boolean isInt(int cell) {
        return cell >= LONGS;
    }

    @Override
    void act(int target) {
        act(target, random.nextInt(CELLS));
    }

    /** All ranks at once call what they may on one element: here what is not atomic shows. */
    void duel(int number) {
        int target = number % size;
        int cell = number / size % CELLS;
        world.barrier();
        while (calls[target][cell] < callsMax) {
            act(target, cell);
        }
        memory.fence(target);
        noteFenced(target);
        memory.barrier();
        check();
        world.barrier();
    }

    private void act(int target, int cell) {
        if (calls[target][cell] == callsMax) {
            return;
        }
        calls[target][cell]++;
        Kind kind = DRAWN[random.nextInt(DRAWN.length)];
        boolean reads = kind == Kind.FETCH_ADD && random.nextInt(3) == 0;
        long operand = reads ? 0 : isInt(cell) ? random.nextInt() : random.nextLong();
        long expected = random.nextInt(4) > 0 ? lastSeen[target][cell] : 1;
        long begin = System.nanoTime();
        long returned = isInt(cell) ? callInt(memory.at(target), offset(cell), kind, (int) operand, (int) expected)
                : callLong(memory.at(target), offset(cell), kind, operand, expected);
        Call call = new Call(kind, operand, expected, returned, self, entries.size(), begin, System.nanoTime());
        if (call.returns()) {
            lastSeen[target][cell] = returned;
            entries.add(new Entry(target, cell, call));
        } else {
            entries.add(new Entry(target, cell, call).end(Long.MAX_VALUE));
        }
    }

    private long callLong(RemotePart part, long offset, Kind kind, long operand, long expected) {
        return switch (kind) {
            case FETCH_ADD -> operand == 0 ? part.fetchLong(offset) : part.fetchAddLong(offset, operand);
            case SWAP -> part.swapLong(offset, operand);
            case COMPARE_AND_SWAP -> part.compareAndSwapLong(offset, expected, operand);
            case ADD -> {
                if (random.nextBoolean()) {
                    part.accumulate(offset, new long[]{operand}, Reduction.SUM);
                } else {
                    part.accumulate(offset, new long[]{-operand}, -1);
                }
                yield 0;
            }
            case REPLACE -> {
                part.replace(offset, Span.of(new long[]{operand}));
                yield 0;
            }
        };
    }

    private long callInt(RemotePart part, long offset, Kind kind, int operand, int expected) {
        return switch (kind) {
            case FETCH_ADD -> operand == 0 ? part.fetchInt(offset) : part.fetchAddInt(offset, operand);
            case SWAP -> part.swapInt(offset, operand);
            case COMPARE_AND_SWAP -> part.compareAndSwapInt(offset, expected, operand);
            case ADD -> {
                if (random.nextBoolean()) {
                    part.accumulate(offset, new int[]{operand}, Reduction.SUM);
                } else {
                    part.accumulate(offset, new int[]{-operand}, -1);
                }
                yield 0;
            }
            case REPLACE -> {
                part.replace(offset, Span.of(new int[]{operand}));
                yield 0;
            }
        };
    }

    @Override
    void noteFenced(int target) {
        long now = System.nanoTime();
        entries.replaceAll(entry -> entry.target == target && entry.isOpen() ? entry.end(now) : entry);
    }

    @Override
    void check() {
        MemorySegment local = memory.local();
        long[] last = new long[CELLS];
        for (int cell = 0; cell < CELLS; cell++) {
            last[cell] = isInt(cell) ? local.get(ValueLayout.JAVA_INT, offset(cell))
                    : local.get(ValueLayout.JAVA_LONG, offset(cell));
        }
        List<Entry> all = tellEachOther();
        for (int cell = 0; cell < CELLS; cell++) {
            int here = cell;
            List<Call> history = all.stream().filter(entry -> entry.target == self && entry.cell == here)
                    .map(Entry::call).toList();
            boolean inOrder = true;
            for (Call call : history) {
                inOrder &= isInOrder(call.rank());
            }
            if (!Linearizability.holds(history, inOrder, isInt(cell), values[cell], last[cell])) {
                StringBuilder said = new StringBuilder();
                history.forEach(call -> said.append(call).append('\n'));
                throw new AssertionError("these calls on element " + cell + " of rank " + self
                        + " cannot have happened one after the other, from " + values[cell] + " to " + last[cell]
                        + ":\n" + said);
            }
            values[cell] = last[cell];
        }
        entries.clear();
        for (int[] counts : calls) {
            Arrays.fill(counts, 0);
        }
    }

    /** Each adds its lines to a table of all. */
    private List<Entry> tellEachOther() {
        int[] most = {entries.size()};
        world.allreduce(most, Reduction.MAX);
        int lines = most[0];
        long[] table = new long[size * lines * FIELDS];
        int at = self * lines * FIELDS;
        for (Entry entry : entries) {
            Call call = entry.call;
            table[at++] = 1L + call.kind().ordinal();
            table[at++] = entry.target;
            table[at++] = entry.cell;
            table[at++] = call.operand();
            table[at++] = call.expected();
            table[at++] = call.returned();
            table[at++] = call.order();
            table[at++] = call.beginNanos();
            table[at++] = call.endNanos();
        }
        world.allreduce(table, Reduction.SUM);
        List<Entry> all = new ArrayList<>();
        for (int line = 0; line < size * lines; line++) {
            at = line * FIELDS;
            if (table[at] > 0) {
                all.add(new Entry((int) table[at + 1], (int) table[at + 2],
                        new Call(KINDS[(int) table[at] - 1], table[at + 3], table[at + 4], table[at + 5],
                                line / lines, (int) table[at + 6], table[at + 7], table[at + 8])));
            }
        }
        return all;
    }
}
