/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.tutti.Topology;
import org.tutti.collective.layout.RingLayout;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Words;
import org.tutti.simulator.Trace.Kind;

/**
 * A cluster in virtual time, for predictions. Each action occupies its rank as long as the {@link Model} says, and the
 * rank with the earliest time always runs next. Bytes of messages are symbolic: nothing is copied. Words have values.
 *
 * <ul>
 * <li>A copy or combination occupies its rank for its bytes. Bytes of the node's memory that another core has used last
 * take longer ({@link CacheLines}); with levels, the longer the farther away their owner is.
 * <li>A store becomes visible to the other ranks of the node after the memory's latency. A rank that looks later, from
 * another core, has to fetch the word and waits for the same latency; words at which a rank looks without a pause in
 * between are fetched together. With levels every core fetches the word from the core that stored it, one core after
 * the other, and a rank fetches one word after the other.
 * <li>An atomic operation on a word costs a look and a store, even when a compare finds another value, because the core
 * gets the line for itself first.
 * <li>A put occupies its rank for the overhead and for its bytes. Then the bytes occupy a rail of the rank's node or,
 * striped, all rails when they are many. A latency later they occupy a rail of the target, unless that rail is still
 * busy or within its gap. Then the first rank of the target node takes the put in, when it waits, and the put raises
 * its word.
 * <li>In a flat communicator each rank is a node, and the ranks of a host share its rails. If the model says so, a
 * message between them goes through the memory of the host instead.
 * <li>A rank needs a core of its host for everything except waiting. When there are fewer cores than ranks, a rank
 * queues for a core after each wait. A rank prefers its previous core. A core that another rank has had since costs the
 * time of a switch. Waiting ranks have turns on the cores, too: each looks, polls if there are several nodes, and
 * yields.
 * </ul>
 *
 * <p>Not modelled: the sizes of caches, memory bandwidth shared by ranks, and contention in the network between nodes.
 */
final class Cluster implements SimulatedRanks.Order {
    /** Thrown when a run has more steps or messages than a prediction may have. */
    static final class TooManySteps extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final double NANOS = 1e3;
    private static final long CARRIED_BYTES_MAX = 4096;
    private static final int NOBODY = -1;

    private static final class Put {
        private long address;
        private long[] carried;
        private boolean raises;
        private long word;
        private long value;
        private long tag;
        private double arrival;
        private long bytes;
        private int receiver;
        private int step;
    }

    private final Topology topology;
    private final Model model;
    private final long stepsMax;
    private final long messagesMax;
    private final int size;
    private final SimulatedRanks ranks;
    private final Trace trace;
    private final SparseWords words = new SparseWords();
    private final Events events = new Events();
    private final double[] time;
    private final double[] waitsSince;
    private final double[] lastFetch;
    private final long[] awaited;
    private final int[] nextWaiter;
    private final int[] cause;
    private final boolean[] queued;
    private final boolean[] waits;
    private final double[] receivesUntil;
    private final double[] owedNanos;
    private final SimulatedCores cores;
    private final CacheLines lines;
    private final double[] outFree;
    private final double[] inFree;
    private final Map<Long, Double> lastArrivals = new HashMap<>(); // by rank and node; used with several rails
    private final long[] bytesOut;
    private final long[] bytesIn;
    private final List<Put> puts = new ArrayList<>();
    private final ArrayDeque<Integer> freePuts = new ArrayDeque<>();
    private long messages;
    private long steps;

    Cluster(Topology topology, Model model, long stepsMax, long messagesMax) {
        this.stepsMax = stepsMax;
        this.messagesMax = messagesMax;
        this.topology = topology;
        this.model = model;
        this.size = topology.size();
        this.ranks = new SimulatedRanks(size, this);
        this.trace = new Trace(size);
        this.time = new double[size];
        this.waitsSince = new double[size];
        this.lastFetch = new double[size];
        this.awaited = new long[size];
        this.nextWaiter = new int[size];
        this.cause = new int[size];
        this.queued = new boolean[size];
        this.waits = new boolean[size];
        this.receivesUntil = new double[size];
        this.owedNanos = new double[size];
        this.cores = new SimulatedCores(topology, model);
        this.lines = new CacheLines(topology.nodes());
        this.outFree = new double[topology.nodes() * model.rails()];
        this.inFree = new double[topology.nodes() * model.rails()];
        this.bytesOut = new long[outFree.length];
        this.bytesIn = new long[inFree.length];
        for (int rank = 0; rank < size; rank++) {
            takeCore(rank, 0);
        }
    }

    SimulatedRanks ranks() {
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

    /** {@return the most bytes that leave or enter any rail} */
    long railBytes() {
        return Math.max(Arrays.stream(bytesOut).max().orElse(0), Arrays.stream(bytesIn).max().orElse(0));
    }

    /** {@return the time at which the last rank ended, in microseconds} */
    double endMicros() {
        return Arrays.stream(time).max().orElse(0) / NANOS;
    }

    // ---- the rank that runs next

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

    /** Counts a step, and lets ranks with an earlier time go first. */
    private void step(int rank) {
        if (++steps > stepsMax) {
            throw new TooManySteps();
        }
        if (!events.isEmpty() && events.firstTime() < time[rank]) {
            events.add(time[rank], rank);
            ranks.step(rank);
        }
    }

    private void countMessages(int more) {
        messages += more;
        if (messages > messagesMax) {
            throw new TooManySteps();
        }
    }

    private void takeCore(int rank, double readyAt) {
        time[rank] = readyAt;
        if (cores.isTaken(rank)) {
            run(rank);
        }
    }

    private void giveCore(int rank) {
        int next = cores.passOn(rank);
        if (next != SimulatedCores.NOBODY) {
            if (time[rank] > time[next]) {
                cause[next] = trace.last(rank);
                queued[next] = true;
                time[next] = time[rank];
            }
            run(next);
        }
    }

    private void run(int rank) {
        if (cores.isSwitch(rank)) {
            time[rank] += model.switchMicros() * NANOS;
        }
        time[rank] += cores.turnsBefore(rank) * model.turnMicros(topology.nodes()) * NANOS;
        events.add(time[rank], rank);
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

    /**
     * Looks at a word. If another core has stored the latest value, the rank waits until the value is visible, or
     * fetched.
     */
    private void see(int rank, int place) {
        double start = time[rank];
        if (words.stepAt(place) == SparseWords.NO_STEP || words.isHeld(place, cores.of(rank))) {
            time[rank] += model.memoryOverheadMicros() * NANOS;
            return;
        }
        int step = words.visibleAt(place) > start ? words.stepAt(place) : SparseWords.NO_STEP;
        time[rank] = fetchedAt(rank, place);
        if (time[rank] > start) {
            trace.add(Kind.WAIT, rank, -1, start, time[rank], 0, step);
        }
        time[rank] += model.memoryOverheadMicros() * NANOS;
        fetched(rank, place);
    }

    private void fetched(int rank, int place) {
        words.hold(place, cores.of(rank));
        lastFetch[rank] = time[rank];
    }

    /** Returns the time at which a rank has the latest value of a word that it looks at or has waited for. */
    private double fetchedAt(int rank, int place) {
        double visibleAt = words.visibleAt(place);
        int writer = words.writerAt(place);
        if (!model.levels().areNone() && writer != NOBODY) {
            double start = Math.max(time[rank], visibleAt);
            words.setVisible(place, start + model.levels().queueNanos());
            return start + model.latencyNanos(meeting(rank, writer));
        }
        if (visibleAt >= time[rank] || time[rank] <= lastFetch[rank]) {
            return Math.max(time[rank], visibleAt);
        }
        return time[rank] + model.memoryLatencyMicros() * NANOS;
    }

    private int meeting(int rank, int other) {
        return model.levels().meeting(topology.localRankOf(rank), topology.localRankOf(other));
    }

    void store(int rank, MemorySegment memory, long offset, long value) {
        step(rank);
        set(rank, memory, offset, value);
    }

    private void set(int rank, MemorySegment memory, long offset, long value) {
        double start = time[rank];
        time[rank] += model.memoryOverheadMicros() * NANOS;
        int step = trace.add(Kind.STORE, rank, -1, start, time[rank], 0, -1);
        double visibleAt = time[rank] + (model.levels().areNone() ? model.memoryLatencyMicros() * NANOS : 0);
        raise(address(memory, offset), value, visibleAt, step, rank);
        words.hold(words.place(address(memory, offset)), cores.of(rank));
    }

    long add(int rank, MemorySegment memory, long offset, long increment) {
        long before = load(rank, memory, offset);
        set(rank, memory, offset, before + increment);
        return before;
    }

    long compareAndExchange(int rank, MemorySegment memory, long offset, long expected, long value) {
        long before = load(rank, memory, offset);
        set(rank, memory, offset, before == expected ? value : before);
        return before;
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
                waits[rank] = false;
                cores.noteWaiting(rank, false);
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
        time[rank] += owedNanos[rank];
        owedNanos[rank] = 0;
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
        waits[rank] = true;
        cores.noteWaiting(rank, true);
        giveCore(rank);
        ranks.step(rank);
        fetched(rank, words.place(address(memory, offset)));
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

    /** Occupies a rank for a time, with anything except copying and waiting. */
    void pass(int rank, double micros) {
        time[rank] += micros * NANOS;
    }

    void copy(int rank, MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
        double crossing = read(rank, source, sourceOffset, bytes) + write(rank, target, targetOffset, bytes);
        occupy(rank, Kind.COPY, bytes, bytes * model.memoryNanosPerByte() + crossing);
    }

    void combine(int rank, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        double crossing = read(rank, left, leftOffset, bytes) + read(rank, right, rightOffset, bytes)
                + write(rank, target, targetOffset, bytes);
        occupy(rank, Kind.COMBINE, bytes,
                model.combineMicros() * NANOS + bytes * model.combineNanosPerByte() + crossing);
    }

    private double read(int rank, MemorySegment memory, long offset, long bytes) {
        return !model.hasCaches() ? 0
                : lines.read(rank, cores.of(rank), address(memory, offset), bytes,
                        (crossing, owner) -> fetchNanos(crossing, meeting(rank, owner)));
    }

    private double write(int rank, MemorySegment memory, long offset, long bytes) {
        return !model.hasCaches() ? 0
                : lines.write(rank, cores.of(rank), address(memory, offset), bytes,
                        (crossing, owner) -> crossing * model.crossNanosPerByte(meeting(rank, owner)));
    }

    /**
     * Returns the cost of fetching bytes. Bytes beside a word come with the word; for more bytes, the first line takes
     * as long as a word.
     */
    private double fetchNanos(long bytes, int level) {
        boolean isFar = bytes > RingLayout.PAYLOAD_BYTES;
        return (isFar ? model.latencyNanos(level) : 0) + bytes * model.crossNanosPerByte(level);
    }

    private void occupy(int rank, Kind kind, long bytes, double nanos) {
        if (bytes > 0) {
            double start = time[rank];
            time[rank] += nanos;
            trace.add(kind, rank, -1, start, time[rank], bytes, -1);
        }
    }

    /** Starts a put. The handle of a region is its address, and the number of a process is that of its node. */
    void put(int rank, PutTarget where, PutSource source) {
        long bytes = source.bytes();
        int node = where.process();
        step(rank);
        countMessages(1);
        double start = time[rank];
        time[rank] += model.railOverheadMicros() * NANOS
                + bytes * (model.crossesMemory(topology.nodeOf(rank), node) ? model.memoryNanosPerByte()
                        : model.railOverheadNanosPerByte());
        int target = topology.firstRankOf(node);
        trace.add(Kind.PUT, rank, target, start, time[rank], bytes, -1);
        int index = freePuts.isEmpty() ? puts.size() : freePuts.pop();
        if (index == puts.size()) {
            puts.add(new Put());
        }
        Put put = puts.get(index);
        put.address = where.region() + where.offset();
        put.carried = carried(source);
        put.raises = where.action() == WordAction.RAISE;
        put.word = where.region() + where.word();
        put.value = where.value();
        put.tag = where.tag();
        put.bytes = bytes;
        put.receiver = target;
        put.arrival = inOrder(rank, node, arrival(topology.nodeOf(rank), node, time[rank], bytes));
        put.step = trace.addBetween(Kind.ARRIVAL, rank, target, time[rank], put.arrival, bytes);
        events.add(put.arrival, size + index);
    }

    /** Returns the first words of a put's bytes, which algorithms read: lengths and addresses. */
    private long[] carried(PutSource source) {
        long[] carried = new long[(int) (Math.min(source.bytes(), CARRIED_BYTES_MAX) / Long.BYTES)];
        int run = 0;
        long before = 0;
        for (int i = 0; i < carried.length; i++) {
            long at = (long) i * Long.BYTES;
            while (at >= before + source.length(run)) {
                before += source.length(run++);
            }
            carried[i] = words.value(address(source.segment(run), source.offset(run) + at - before));
        }
        return carried;
    }

    /** Occupies a rail at both ends (or all rails), and returns the time at which the last byte has arrived. */
    private double arrival(int from, int to, double now, long bytes) {
        double latency = latencyNanos(from, to);
        if (model.crossesMemory(from, to)) {
            return now + latency;
        }
        int rails = model.rails();
        if (rails > 1 && bytes >= model.stripeBytes()) {
            double latest = 0;
            for (int rail = 0; rail < rails; rail++) {
                double share = model.railShare(rail);
                latest = share == 0 ? latest
                        : Math.max(latest, cross(from, to, rail, now, Math.round(bytes * share), latency));
            }
            return latest;
        }
        return cross(from, to, soonest(from, to, now, bytes), now, bytes, latency);
    }

    private double latencyNanos(int from, int to) {
        return NANOS * (model.crossesMemory(from, to) ? model.hostLatencyMicros().getAsDouble()
                : model.railLatencyMicros());
    }

    /**
     * Delays an arrival until after the previous one, because puts of one process to another take effect in order on
     * all rails.
     */
    private double inOrder(int rank, int node, double arrival) {
        return model.rails() == 1 ? arrival
                : lastArrivals.merge((long) rank * topology.nodes() + node, arrival,
                        (last, next) -> Math.max(Math.nextUp(last), next));
    }

    /**
     * Returns the rail on which a message is done first. If several rails are equal, the target node decides between
     * them.
     */
    private int soonest(int from, int to, double now, long bytes) {
        int rails = model.rails();
        int best = 0;
        double bestDone = Double.MAX_VALUE;
        for (int i = 0; i < rails; i++) {
            int rail = (Math.floorMod(to - from, topology.nodes()) + i) % rails;
            double done = Math.max(now, outFree[model.firstRailOf(from) + rail]) + bytes * model.railNanosPerByte(rail);
            if (done < bestDone) {
                bestDone = done;
                best = rail;
            }
        }
        return best;
    }

    private double cross(int from, int to, int rail, double now, long bytes, double latency) {
        int out = model.firstRailOf(from) + rail;
        int in = model.firstRailOf(to) + rail;
        bytesOut[out] += bytes;
        bytesIn[in] += bytes;
        double nanos = bytes * model.railNanosPerByte(rail);
        double gap = model.railGapMicros() * NANOS;
        double left = Math.max(now, outFree[out]) + nanos;
        double arrived = Math.max(left + latency, inFree[in] + nanos);
        outFree[out] = left + gap;
        inFree[in] = arrived + gap;
        return arrived;
    }

    private void arrive(int index) {
        Put put = puts.get(index);
        for (int i = 0; i < put.carried.length; i++) {
            setPlain(put.address + (long) i * Long.BYTES, put.carried[i]);
        }
        if (put.raises) {
            setPlain(put.word + Long.BYTES, put.tag);
            raise(put.word, put.value, received(put), put.step, NOBODY);
        }
        freePuts.push(index);
    }

    /**
     * Returns the time at which a put has been taken in. If the first rank of its node waits, it polls and takes the
     * put in. Otherwise the other ranks, which poll too, see the word immediately, and the first rank pays for the put
     * before its next wait.
     */
    private double received(Put put) {
        double nanos = receiveNanos(put.bytes);
        if (!waits[put.receiver]) {
            owedNanos[put.receiver] += nanos;
            return put.arrival;
        }
        receivesUntil[put.receiver] = Math.max(receivesUntil[put.receiver], put.arrival) + nanos;
        return receivesUntil[put.receiver];
    }

    private double receiveNanos(long bytes) {
        return model.railReceiveMicros() * NANOS + bytes * model.railReceiveNanosPerByte();
    }

    void get(int rank, int node, long address, MemorySegment target, long targetOffset, long bytes) {
        step(rank);
        countMessages(2);
        double start = time[rank];
        time[rank] = arrival(node, topology.nodeOf(rank),
                start + model.railOverheadMicros() * NANOS + latencyNanos(topology.nodeOf(rank), node), bytes)
                + receiveNanos(bytes);
        trace.add(Kind.GET, rank, topology.firstRankOf(node), start, time[rank], bytes, -1);
        events.add(time[rank], rank);
        ranks.step(rank);
        if (bytes % Words.LINE_BYTES == 0 && bytes <= CARRIED_BYTES_MAX) {
            carry(address, target, targetOffset, bytes);
        }
    }

    /** Copies words in no time. */
    void carry(long address, MemorySegment target, long targetOffset, long bytes) {
        for (long at = 0; at < bytes; at += Long.BYTES) {
            setPlain(address(target, targetOffset + at), words.value(address + at));
        }
    }

    void pause(int rank) {
        time[rank] += 2 * model.railLatencyMicros() * NANOS;
        events.add(time[rank], rank);
        ranks.step(rank);
    }
}
