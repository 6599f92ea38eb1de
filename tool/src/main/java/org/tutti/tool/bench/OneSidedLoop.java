/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.lang.foreign.ValueLayout;
import java.util.Optional;

import org.tutti.Communicator;
import org.tutti.Mutexes;
import org.tutti.RemoteMemory;
import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.TransferProtocol;
import org.tutti.tool.bench.OneSidedCell.Target;

/**
 * A cell of {@code --one-sided}: rank 0 operates on the memory of the last rank; the other ranks wait for it, or
 * compute. {@code bench/peers/onesided.c} does the same step by step.
 *
 * <p><b>Checks.</b> The caller rewrites all data of a put or an accumulate before the call. After every repeat the
 * target, which counts the calls too, compares its memory with the data of the last calls, or with their sums. Before
 * every get the caller spoils all elements, one of which is checked after the get; the target's memory changes from run
 * to run, because the target knows nothing of single gets. The caller knows the result of every single fetch-and-add.
 * All values are small whole numbers, so that sums are exact.
 *
 * <p><b>A computing target</b> only reads the clock, for 300 ms from the beginning of a repeat. The caller calls until
 * the repeat has its calls or that time is over, but at least once.
 */
final class OneSidedLoop extends MeasuredLoop {
    private static final int TRAIN = 16;
    private static final long STRETCH_NANOS = 300_000_000;
    private static final double FIRST = 1;
    private static final double WRONG = 0.5; // all right values are whole numbers

    private final OneSidedCell cell;
    private final OneSidedOperation operation;
    private final int rank;
    private final int size;
    private final boolean isTarget;
    private final boolean isCaller;
    private final int count;
    private final int ownCount;
    private final int columns;
    private final RemoteMemory memory;
    private final RemotePart part;
    private final int target;
    private final OneSidedOperands own;
    private final Section section;
    private final Pattern pattern;
    private final double[] sums;
    private final Optional<Mutexes> mutexes;
    private long timedNanos; // total time of the measured half, if a lock or an unlock is measured alone
    private long generation;
    private long call;
    private int checked;

    OneSidedLoop(Communicator world, OneSidedCell cell, boolean segments, Optional<TransferProtocol> protocol) {
        super(world);
        this.cell = cell;
        this.operation = cell.operation();
        this.rank = world.rank();
        this.size = world.size();
        this.target = size - 1;
        this.isTarget = rank == target;
        this.isCaller = rank == 0 || operation.isCalledByAll();
        this.count = (int) Math.max(1, cell.bytes() / Double.BYTES);
        this.columns = columns(count);
        this.ownCount = operation.isStrided() ? 2 * count : count;
        long partCount = operation == OneSidedOperation.PUT_TRAIN ? TRAIN * (long) count
                : operation.isFence() ? size : ownCount;
        this.memory = world.allocate((partCount + (segments ? ownCount : 0)) * Double.BYTES);
        this.own = segments
                ? OneSidedOperands.segment(memory.local().asSlice(partCount * Double.BYTES,
                        (long) ownCount * Double.BYTES))
                : OneSidedOperands.array(ownCount);
        this.part = protocol.map(memory.at(target)::withProtocol).orElse(memory.at(target));
        this.section = Section.strided(0, (long) columns * Double.BYTES, new long[]{count / columns},
                new long[]{2L * columns * Double.BYTES});
        this.sums = new double[operation == OneSidedOperation.ACCUMULATE ? count : 0];
        this.pattern = new Pattern(isGet() ? WRONG : FIRST);
        this.mutexes = operation.isLock() ? Optional.of(memory.allocateMutexes(1)) : Optional.empty();
    }

    /** The number of columns of a section that is about as wide as high: a power of two. */
    private static int columns(int count) {
        int columns = 1;
        while (count % (2 * columns) == 0 && (long) columns * columns < count) {
            columns *= 2;
        }
        return columns;
    }

    @Override
    public void close() {
        mutexes.ifPresent(Mutexes::close);
        memory.close();
    }

    // ---- a run

    @Override
    Run run(int callsWanted, boolean isRepeat) {
        boolean stretch = isRepeat && cell.target() == Target.COMPUTING;
        prepare();
        memory.barrier();
        memory.barrier(); // the second one ends on all ranks at nearly the same time
        long start = System.nanoTime();
        if (!isCaller) {
            if (stretch) {
                compute(start + STRETCH_NANOS);
            }
            return new Run(0, 0);
        }
        long begin = clock();
        long calls = callsWanted;
        if (stretch) {
            calls = callUntil(callsWanted, start + STRETCH_NANOS);
        } else {
            makeCalls(callsWanted, this::call);
        }
        if (operation == OneSidedOperation.PUT_TRAIN) {
            memory.fence(target); // the last train may be incomplete
        }
        return new Run((double) (clock() - begin) / calls, (double) (System.nanoTime() - start) / calls, calls);
    }

    /** For a lock or an unlock alone, the clock stands still during the other half. */
    @Override
    long clock() {
        boolean isHalf = operation == OneSidedOperation.LOCK || operation == OneSidedOperation.UNLOCK;
        return isHalf ? timedNanos : System.nanoTime();
    }

    /** Changes the data to get from run to run. */
    private void prepare() {
        generation++;
        if (isTarget && isGet()) {
            for (int i = 0; i < count; i++) {
                memory.local().setAtIndex(ValueLayout.JAVA_DOUBLE, place(i), element(i, generation));
            }
        }
    }

    private boolean isGet() {
        return operation == OneSidedOperation.GET || operation == OneSidedOperation.GET_STRIDED;
    }

    private static void compute(long until) {
        while (System.nanoTime() - until < 0) {
            // only reads the clock
        }
    }

    private long callUntil(int callsMax, long until) {
        long calls = 0;
        do {
            call(1);
            calls++;
        } while (calls < callsMax && System.nanoTime() - until < 0);
        return calls;
    }

    private void call(int calls) {
        switch (operation) {
            case PUT -> puts(calls);
            case GET -> gets(calls);
            case ACCUMULATE -> accumulates(calls);
            case FETCH_ADD -> fetchAdds(calls);
            case PUT_TRAIN -> trains(calls);
            case PUT_STRIDED -> stridedPuts(calls);
            case GET_STRIDED -> stridedGets(calls);
            case LOCK_UNLOCK -> locksAndUnlocks(mutexes.orElseThrow(), calls);
            case LOCK -> locks(mutexes.orElseThrow(), calls);
            case UNLOCK -> unlocks(mutexes.orElseThrow(), calls);
            case FENCE_EACH, FENCE_EACH_EVERYONE -> fencesOfEach(calls);
            case FENCE_ALL, FENCE_ALL_EVERYONE -> fencesOfAll(calls);
        }
    }

    private void puts(int calls) {
        for (int i = 0; i < calls; i++) {
            rewrite();
            own.put(part, 0);
            memory.fence(target);
        }
    }

    private void gets(int calls) {
        for (int i = 0; i < calls; i++) {
            spoil();
            own.get(part);
            check(own.get(checked), checked, element(checked, generation));
        }
    }

    private void accumulates(int calls) {
        for (int i = 0; i < calls; i++) {
            rewrite();
            own.accumulate(part);
            memory.fence(target);
        }
    }

    private void fetchAdds(int calls) {
        for (int i = 0; i < calls; i++) {
            check(part.fetchAddLong(0, 1), 0, call++);
        }
    }

    private void trains(int calls) {
        for (int i = 0; i < calls; i++) {
            rewrite();
            own.put(part, (call - 1) % TRAIN * count * Double.BYTES);
            if (call % TRAIN == 0) {
                memory.fence(target);
            }
        }
    }

    private void stridedPuts(int calls) {
        for (int i = 0; i < calls; i++) {
            rewrite();
            part.put(section, own.span(), section);
            memory.fence(target);
        }
    }

    private void stridedGets(int calls) {
        for (int i = 0; i < calls; i++) {
            spoil();
            part.get(section, own.span(), section);
            check(own.get(place(checked)), checked, element(checked, generation));
        }
    }

    private void locksAndUnlocks(Mutexes all, int calls) {
        for (int i = 0; i < calls; i++) {
            all.lock(0, target);
            all.unlock(0, target);
        }
    }

    private void locks(Mutexes all, int calls) {
        for (int i = 0; i < calls; i++) {
            long start = System.nanoTime();
            all.lock(0, target);
            timedNanos += System.nanoTime() - start;
            all.unlock(0, target);
        }
    }

    private void unlocks(Mutexes all, int calls) {
        for (int i = 0; i < calls; i++) {
            all.lock(0, target);
            long start = System.nanoTime();
            all.unlock(0, target);
            timedNanos += System.nanoTime() - start;
        }
    }

    private void fencesOfEach(int calls) {
        for (int i = 0; i < calls; i++) {
            rewrite();
            putToOthers();
            for (int other = 0; other < size; other++) {
                if (other != rank) {
                    memory.fence(other);
                }
            }
        }
    }

    private void fencesOfAll(int calls) {
        for (int i = 0; i < calls; i++) {
            rewrite();
            putToOthers();
            memory.fenceAll();
        }
    }

    private void putToOthers() {
        for (int other = 0; other < size; other++) {
            if (other != rank) {
                own.put(memory.at(other), (long) rank * Double.BYTES);
            }
        }
    }

    /** Rewrites all elements for the next call. */
    private void rewrite() {
        call++;
        pattern.write(own, ownCount, call);
    }

    /** Makes all elements wrong, and chooses the one to check after the call: the next one in each call. */
    private void spoil() {
        rewrite();
        checked = checked + 1 == count ? 0 : checked + 1;
    }

    @Override
    boolean hasMuchData() {
        return count > 1;
    }

    @Override
    void rewriteOnly(int times) {
        for (int i = 0; isCaller && i < times; i++) {
            pattern.write(own, ownCount, call);
        }
    }

    /** The index of an element in memory: elements of a section lie in the left halves of the rows. */
    private int place(int index) {
        return operation.isStrided() ? index + (index & -columns) : index;
    }

    private static double element(int index, long at) {
        return Pattern.value(FIRST, index, at);
    }

    // ---- checks

    @Override
    void noteCalls(long callsMade) {
        call += isCaller ? 0 : callsMade;
        for (long at = call - callsMade + 1; sums.length > 0 && at <= call; at++) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += element(i, at);
            }
        }
    }

    @Override
    void checkAll() {
        switch (operation) {
            case GET, GET_STRIDED -> checkOwn();
            case FENCE_EACH, FENCE_ALL, FENCE_EACH_EVERYONE, FENCE_ALL_EVERYONE -> checkFences();
            case FETCH_ADD -> checkCounter();
            case PUT_TRAIN -> checkTrain();
            case PUT, PUT_STRIDED, ACCUMULATE -> checkPart();
            case LOCK_UNLOCK, LOCK, UNLOCK -> {
                // these operations have no data
            }
        }
    }

    private void checkOwn() {
        for (int i = 0; isCaller && i < count; i++) {
            check(own.get(place(i)), i, element(i, generation));
        }
    }

    private void checkFences() {
        for (int other = 0; other < (operation.isCalledByAll() ? size : 1); other++) {
            if (other != rank) {
                check(local(other), other, element(0, call));
            }
        }
    }

    private void checkCounter() {
        if (isTarget) {
            check(memory.local().get(ValueLayout.JAVA_LONG, 0), 0, call);
        }
    }

    private void checkTrain() {
        for (int slot = 0; isTarget && slot < TRAIN; slot++) {
            long last = lastCall(call, slot + 1, TRAIN);
            for (int i = 0; i < count; i++) {
                check(local(slot * count + i), i, last == 0 ? 0 : element(i, last));
            }
        }
    }

    private void checkPart() {
        for (int i = 0; isTarget && i < count; i++) {
            check(local(place(i)), i, operation == OneSidedOperation.ACCUMULATE ? sums[i] : element(place(i), call));
            if (operation.isStrided()) {
                check(local(place(i) + columns), i, 0); // no rank writes to the right halves
            }
        }
    }

    private double local(int index) {
        return memory.local().getAtIndex(ValueLayout.JAVA_DOUBLE, index);
    }

    /** The last call, up to a given one, with a number that equals another one modulo a period; 0 if there was none. */
    private static long lastCall(long at, long like, long period) {
        return Math.max(0, at - Math.floorMod(at - like, period));
    }

    private void check(double found, int index, double expected) {
        if (found != expected) {
            throw new IllegalStateException(cell + " bytes, on rank " + rank + ", call " + call + ": element " + index
                    + " is " + found + " instead of " + expected);
        }
    }
}
