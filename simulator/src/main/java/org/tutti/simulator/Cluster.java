/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.tutti.Topology;
import org.tutti.collective.Machine;
import org.tutti.memory.Words;
import org.tutti.simulator.Trace.Kind;

/**
 * A cluster in virtual time, for predictions: whatever a rank does occupies it as long as the {@link Model} says, and
 * always the rank runs whose time is earliest. Bytes of messages are symbolic: nothing is copied. Words have values.
 *
 * <ul>
 * <li>A copy or combination occupies its rank for its bytes.
 * <li>A store is visible to others of the node after the memory's latency.
 * <li>A put occupies its rank for the overhead; then its bytes occupy a rail of its node (all rails, striped, when they
 * are many), and a latency later one of the target, unless that is still busy. Then its word is raised.
 * <li>A rank needs a core of its node to do anything but wait. When there are fewer cores than ranks, who has waited
 * queues for a core; to be given one takes the time of a switch.
 * </ul>
 *
 * <p>What is not modelled: caches, memory bandwidth shared by ranks, contention in the network between nodes, and that
 * waiting ranks use their cores.
 */
final class Cluster implements Ranks.Order {
    /** Thrown when a run has more steps than a prediction may take. */
    static final class TooManySteps extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final double NANOS = 1e3;
    private static final long CARRIED_BYTES_MAX = 4096;
    private static final long LINE_BYTES_MAX = 48;
    private static final int NOBODY = -1;

    private static final class Put {
        private long address;
        private long[] carried;
        private long word;
        private long value;
        private long tag;
        private double arrival;
        private int step;
    }

    private final Topology topology;
    private final Model model;
    private final long stepsMax;
    private final int size;
    private final Ranks ranks;
    private final Trace trace;
    private final SparseWords words = new SparseWords();
    private final Written written = new Written();
    private final Events events = new Events();
    private final double[] time;
    private final double[] waitsSince;
    private final long[] awaited;
    private final int[] nextWaiter;
    private final int[] cause;
    private final boolean[] queued;
    private final int[] coresHeld;
    private final List<ArrayDeque<Integer>> queues = new ArrayList<>();
    private final double[] outFree;
    private final double[] inFree;
    private final long[] bytesOut;
    private final long[] bytesIn;
    private final List<Put> puts = new ArrayList<>();
    private final ArrayDeque<Integer> freePuts = new ArrayDeque<>();
    private long messages;
    private long steps;

    Cluster(Topology topology, Model model, long stepsMax) {
        this.stepsMax = stepsMax;
        this.topology = topology;
        this.model = model;
        this.size = topology.size();
        this.ranks = new Ranks(size, this);
        this.trace = new Trace(size);
        this.time = new double[size];
        this.waitsSince = new double[size];
        this.awaited = new long[size];
        this.nextWaiter = new int[size];
        this.cause = new int[size];
        this.queued = new boolean[size];
        this.coresHeld = new int[topology.nodes()];
        this.outFree = new double[topology.nodes() * model.rails()];
        this.inFree = new double[topology.nodes() * model.rails()];
        this.bytesOut = new long[topology.nodes()];
        this.bytesIn = new long[topology.nodes()];
        for (int node = 0; node < topology.nodes(); node++) {
            queues.add(new ArrayDeque<>());
        }
        for (int rank = 0; rank < size; rank++) {
            takeCore(rank, 0);
        }
    }

    Ranks ranks() {
        return ranks;
    }

    Trace trace() {
        return trace;
    }

    long steps() {
        return steps;
    }

    long messages() {
        return messages;
    }

    /** {@return the bytes that leave, or enter, the busiest node, whichever is more} */
    long railBytes() {
        return Math.max(Arrays.stream(bytesOut).max().orElse(0), Arrays.stream(bytesIn).max().orElse(0));
    }

    /** {@return when the last rank ended, in microseconds} */
    double endMicros() {
        return Arrays.stream(time).max().orElse(0) / NANOS;
    }

    // ---- who runs

    @Override
    public int next() {
        while (!events.isEmpty()) {
            int what = events.remove();
            if (what < size) {
                return what;
            }
            arrive(what - size);
        }
        throw new SimulationFailure("deadlock: no rank can go on; verify the algorithm to see why");
    }

    @Override
    public void end(int rank) {
        giveCore(rank);
    }

    /** Lets those go first who are earlier. */
    private void step(int rank) {
        if (++steps > stepsMax) {
            throw new TooManySteps();
        }
        if (!events.isEmpty() && events.firstTime() < time[rank]) {
            events.add(time[rank], rank);
            ranks.step(rank);
        }
    }

    private void takeCore(int rank, double readyAt) {
        int node = topology.nodeOf(rank);
        time[rank] = readyAt;
        if (coresHeld[node] < model.cores()) {
            coresHeld[node]++;
            events.add(readyAt, rank);
        } else {
            queues.get(node).add(rank);
        }
    }

    private void giveCore(int rank) {
        int node = topology.nodeOf(rank);
        Integer next = queues.get(node).poll();
        if (next == null) {
            coresHeld[node]--;
            return;
        }
        if (time[rank] > time[next]) {
            cause[next] = trace.last(rank);
            queued[next] = true;
        }
        time[next] = Math.max(time[next], time[rank]) + model.switchMicros() * NANOS;
        events.add(time[next], next);
    }

    // ---- words

    private static long address(MemorySegment memory, long offset) {
        return memory.address() + offset;
    }

    long load(int rank, MemorySegment memory, long offset) {
        step(rank);
        int place = words.place(address(memory, offset));
        see(rank, place);
        return words.valueAt(place);
    }

    /** The latest value is not there before it is visible, if another rank has stored it. */
    private void see(int rank, int place) {
        double start = time[rank];
        time[rank] = fetchedAt(rank, place);
        if (time[rank] > start) {
            trace.add(Kind.WAIT, rank, -1, start, time[rank], 0, words.stepAt(place));
        }
        time[rank] += model.memoryOverheadMicros() * NANOS;
    }

    /** When a rank has the latest value of a word that it looks at now, or has waited for. */
    private double fetchedAt(int rank, int place) {
        int writer = words.writerAt(place);
        double start = Math.max(time[rank], words.visibleAt(place));
        if (model.levels().isEmpty() || writer < 0) {
            return start;
        }
        if (writer == rank) {
            return time[rank];
        }
        words.setVisible(place, start + model.queueNanos());
        return start + model.latencyNanos(meeting(rank, writer));
    }

    private int meeting(int rank, int other) {
        return model.meeting(topology.placeOf(rank), topology.placeOf(other));
    }

    void store(int rank, MemorySegment memory, long offset, long value) {
        step(rank);
        double start = time[rank];
        time[rank] += model.memoryOverheadMicros() * NANOS;
        int step = trace.add(Kind.STORE, rank, -1, start, time[rank], 0, -1);
        double visibleAt = time[rank] + (model.levels().isEmpty() ? model.memoryLatencyMicros() * NANOS : 0);
        raise(address(memory, offset), value, visibleAt, step, rank);
    }

    private void raise(long address, long value, double visibleAt, int step, int writer) {
        int place = words.place(address);
        words.set(place, value, visibleAt, step, writer);
        int waiter = words.waiterAt(place);
        int stay = 0;
        while (waiter > 0) {
            int rank = waiter - 1;
            waiter = nextWaiter[rank];
            if (awaited[rank] <= value) {
                cause[rank] = step;
                takeCore(rank, fetchedAt(rank, place) + model.memoryOverheadMicros() * NANOS);
            } else {
                nextWaiter[rank] = stay;
                stay = rank + 1;
            }
        }
        words.setWaiter(place, stay);
    }

    void await(int rank, MemorySegment memory, long offset, long atLeast) {
        step(rank);
        int place = words.place(address(memory, offset));
        if (words.valueAt(place) >= atLeast) {
            see(rank, place);
            return;
        }
        awaited[rank] = atLeast;
        nextWaiter[rank] = words.waiterAt(place);
        words.setWaiter(place, rank + 1);
        waitsSince[rank] = time[rank];
        queued[rank] = false;
        giveCore(rank);
        ranks.step(rank);
        trace.add(queued[rank] ? Kind.SWITCH : Kind.WAIT, rank, -1, waitsSince[rank], time[rank], 0, cause[rank]);
    }

    long loadPlain(MemorySegment memory, long offset) {
        return words.value(address(memory, offset));
    }

    void storePlain(MemorySegment memory, long offset, long value) {
        setPlain(address(memory, offset), value);
    }

    private void setPlain(long address, long value) {
        words.set(words.place(address), value, 0, SparseWords.NO_STEP, NOBODY);
    }

    // ---- data

    void copy(int rank, long source, long target, long bytes) {
        double nanos = bytes * model.memoryNanosPerByte();
        occupy(rank, Kind.COPY, bytes, nanos + fetchNanos(rank, source, bytes, model.memoryNanosPerByte()), target);
    }

    void combine(int rank, long left, long right, long target, long bytes) {
        double nanos = bytes * model.combineNanosPerByte();
        occupy(rank, Kind.COMBINE, bytes, nanos + fetchNanos(rank, left, bytes, model.combineNanosPerByte())
                + fetchNanos(rank, right, bytes, model.combineNanosPerByte()), target);
    }

    /** What it takes beyond reading own bytes, which goes on while others come. */
    private double fetchNanos(int rank, long address, long bytes, double ownNanosPerByte) {
        if (model.levels().isEmpty() || bytes == 0 || !isShared(address)) {
            return 0;
        }
        double[] nanos = {0};
        written.parts(address, bytes, (length, writer) -> {
            if (writer != rank) {
                int level = meeting(rank, writer);
                nanos[0] += (length > LINE_BYTES_MAX ? model.latencyNanos(level) : 0)
                        + length * Math.max(0, model.fetchNanosPerByte().get(level) - ownNanosPerByte);
            }
        });
        return nanos[0];
    }

    private boolean isShared(long address) {
        return SymbolicMemory.nodeOf(address) < topology.nodes();
    }

    private void occupy(int rank, Kind kind, long bytes, double nanos, long target) {
        if (bytes > 0) {
            double start = time[rank];
            time[rank] += nanos;
            trace.add(kind, rank, -1, start, time[rank], bytes, -1);
            if (!model.levels().isEmpty() && isShared(target)) {
                written.write(target, bytes, rank);
            }
        }
    }

    void put(int rank, int node, long address, MemorySegment source, long sourceOffset, long bytes, long word,
            long value, long tag) {
        step(rank);
        double start = time[rank];
        time[rank] += model.railOverheadMicros() * NANOS;
        int target = topology.firstRankOf(node);
        trace.add(Kind.PUT, rank, target, start, time[rank], bytes, -1);
        int index = freePuts.isEmpty() ? puts.size() : freePuts.pop();
        if (index == puts.size()) {
            puts.add(new Put());
        }
        Put put = puts.get(index);
        put.address = address;
        put.carried = carried(source, sourceOffset, bytes);
        put.word = word;
        put.value = value;
        put.tag = tag;
        put.arrival = arrival(topology.nodeOf(rank), node, time[rank], bytes);
        put.step = trace.addBetween(Kind.ARRIVAL, rank, target, time[rank], put.arrival, bytes);
        events.add(put.arrival, size + index);
        messages++;
        bytesOut[topology.nodeOf(rank)] += bytes;
        bytesIn[node] += bytes;
    }

    private long[] carried(MemorySegment source, long sourceOffset, long bytes) {
        if (bytes == 0 || bytes > CARRIED_BYTES_MAX || bytes % Long.BYTES != 0) {
            return new long[0];
        }
        long[] carried = new long[(int) bytes / Long.BYTES];
        for (int i = 0; i < carried.length; i++) {
            carried[i] = words.value(address(source, sourceOffset + (long) i * Long.BYTES));
        }
        return carried;
    }

    /** Finds a rail at both ends, and when the last byte is there. */
    private double arrival(int from, int to, double now, long bytes) {
        double latency = model.railLatencyMicros() * NANOS;
        int rails = model.rails();
        if (rails > 1 && bytes >= model.stripeBytes()) {
            double latest = 0;
            for (int rail = 0; rail < rails; rail++) {
                latest = Math.max(latest, cross(from * rails + rail, to * rails + rail, now,
                        (double) bytes / rails * model.railNanosPerByte(), latency));
            }
            return latest;
        }
        int out = earliest(outFree, from * rails);
        return cross(out, to * rails + out - from * rails, now, bytes * model.railNanosPerByte(), latency);
    }

    private int earliest(double[] free, int first) {
        int best = first;
        for (int rail = first + 1; rail < first + model.rails(); rail++) {
            best = free[rail] < free[best] ? rail : best;
        }
        return best;
    }

    private double cross(int out, int in, double now, double nanos, double latency) {
        outFree[out] = Math.max(now, outFree[out]) + nanos;
        inFree[in] = Math.max(outFree[out] + latency, inFree[in] + nanos);
        return inFree[in];
    }

    private void arrive(int index) {
        Put put = puts.get(index);
        for (int i = 0; i < put.carried.length; i++) {
            setPlain(put.address + (long) i * Long.BYTES, put.carried[i]);
        }
        if (put.word != Machine.NO_WORD) {
            setPlain(put.word + Long.BYTES, put.tag);
            raise(put.word, put.value, put.arrival, put.step, NOBODY);
        }
        freePuts.push(index);
    }

    void get(int rank, int node, long address, MemorySegment target, long targetOffset, long bytes) {
        step(rank);
        double start = time[rank];
        time[rank] = arrival(node, topology.nodeOf(rank),
                start + (model.railOverheadMicros() + model.railLatencyMicros()) * NANOS, bytes);
        trace.add(Kind.GET, rank, topology.firstRankOf(node), start, time[rank], bytes, -1);
        events.add(time[rank], rank);
        ranks.step(rank);
        messages += 2;
        bytesOut[node] += bytes;
        bytesIn[topology.nodeOf(rank)] += bytes;
        if (bytes % Words.LINE_BYTES == 0 && bytes <= CARRIED_BYTES_MAX) {
            for (long at = 0; at < bytes; at += Long.BYTES) {
                setPlain(address(target, targetOffset + at), words.value(address + at));
            }
        }
    }

    void pause(int rank) {
        time[rank] += 2 * model.railLatencyMicros() * NANOS;
        events.add(time[rank], rank);
        ranks.step(rank);
    }
}
