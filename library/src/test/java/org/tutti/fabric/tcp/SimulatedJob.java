/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.fabric.Loss;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes that face each other over simulated wires. Each has a thread, since both may be inside a call that
 * waits, but only one of them runs at any time, and the seed says which: a run is the same every time. The thread that
 * runs is also the service thread of the other process, which may be inside a call with its locks held.
 */
final class SimulatedJob {
    private static final long STEPS_MAX = 3_000_000;
    private static final Duration RUN_MAX = Duration.ofSeconds(10);
    private static final int PASS_ODDS = 5;
    private static final int SERVE_ODDS = 6;
    private static final int LOOK_ODDS = 30;
    private static final int LOOKS_MAX = 300;
    private static final int MEND_ODDS = 100;
    private static final int GIVE_UP_ODDS = 4;
    private static final int MENDED_CUTS_MAX = 8;
    private static final long TURN_NANOS = 1_000;

    private final RandomGenerator random;
    private final SimulatedProcess[] processes = new SimulatedProcess[2];
    private final Thread[] threads = new Thread[2];
    private final SimulatedWire[] wires;
    private final boolean[] isDone = new boolean[2];
    private final boolean[] isOver = new boolean[2];
    private volatile int running;
    private volatile Throwable failure;
    private long steps;
    private int[] cutsLeft = {};
    private int cutBytes;
    private SimulatedWire cutNext;
    private boolean manySmall;
    private boolean leaves;
    private boolean silent;
    private boolean mends;
    private boolean breaksAtLast;
    private int mendedCuts;
    private final SimulatedWire[] halfMended;
    private final List<SimulatedWire> mended = new ArrayList<>();

    /** The program of a side, in addition to the actions of the job itself. */
    interface Script {
        void run(SimulatedProcess process);
    }

    /** Ends a thread because the other one has failed. */
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Ended() {
            super("ended", null, false, false);
        }
    }

    private SimulatedJob(RandomGenerator random, SimulatedWire[] wires, Arena arena) {
        this.random = random;
        this.wires = wires;
        this.halfMended = new SimulatedWire[wires.length];
        for (int i = 0; i < 2; i++) {
            processes[i] = new SimulatedProcess(this, i, random, arena);
        }
        for (int i = 0; i < 2; i++) {
            int side = i;
            processes[i].begin();
            processes[i].peer.connect(Arrays.stream(wires).map(wire -> wire.end(side)).toArray(Wire[]::new));
        }
    }

    /** Whether many small puts are to be made, or some that are long. */
    boolean manySmall() {
        return manySmall;
    }

    /** The time, which goes by turns. */
    long nanos() {
        return steps * TURN_NANOS;
    }

    SimulatedProcess other(SimulatedProcess process) {
        return processes[1 - process.self];
    }

    // ---- runs

    /** Everything as the seed says; returns how many wires have come back and carried bytes both ways. */
    static int run(long seed) throws InterruptedException {
        RandomGenerator random = new SplittableRandom(seed);
        SimulatedWire[] wires = new SimulatedWire[1 + random.nextInt(4)];
        Arrays.setAll(wires, _ -> new SimulatedWire(random));
        Arena arena = Arena.ofShared();
        SimulatedJob job = new SimulatedJob(random, wires, arena);
        job.manySmall = random.nextInt(4) == 0;
        job.leaves = random.nextBoolean();
        job.silent = random.nextInt(4) == 0;
        if (wires.length > 1 && random.nextBoolean()) {
            job.planMending();
        } else {
            job.planCuts();
        }
        int calls = job.manySmall ? 200 + random.nextInt(1500) : 10 + random.nextInt(60);
        job.start(process -> process.talk(process.self == 0 ? calls : random.nextInt(calls + 1)));
        arena.close();
        return job.useful();
    }

    /**
     * A fixed conversation over two wires, of which one breaks.
     *
     * @param wire which, or −1 for none
     * @param side who writes the bytes that count
     * @param bytes after how many it breaks
     * @param mends whether it comes back
     * @return how many bytes the sides have written to the wires
     */
    static long[] run(int wire, int side, long bytes, boolean mends) throws InterruptedException {
        RandomGenerator random = new SplittableRandom(1);
        SimulatedWire[] wires = {new SimulatedWire(random, 300), new SimulatedWire(random, 300)};
        if (wire >= 0) {
            wires[wire].cutAfter(side, bytes);
        }
        Arena arena = Arena.ofShared();
        SimulatedJob job = new SimulatedJob(random, wires, arena);
        job.mends = mends;
        job.start(process -> {
            process.put(0);
            process.atomic();
            process.put(150);
            process.tell();
            process.put(1100);
            process.answer();
            process.accumulate(100);
            process.putPacked(100);
            process.getPacked(60);
            process.put(7);
            process.atomic();
            process.answer();
            process.put(90);
            process.fence();
            process.put(20);
            process.fence();
        });
        arena.close();
        return new long[]{wires[0].written(0), wires[0].written(1), wires[1].written(0), wires[1].written(1)};
    }

    /** Both sides ask each other for all that they may, over a wire that holds less than any answer. */
    static void runGetsBothWays(long seed, int wires) throws InterruptedException {
        RandomGenerator random = new SplittableRandom(seed);
        SimulatedWire[] narrow = new SimulatedWire[wires];
        Arrays.setAll(narrow, _ -> new SimulatedWire(random, 200));
        Arena arena = Arena.ofShared();
        SimulatedJob job = new SimulatedJob(random, narrow, arena);
        job.start(process -> {
            for (int i = 1; i < 3 * Requests.ENTRIES; i++) {
                process.getPacked(FrameLayout.PAYLOAD_BYTES_MAX / 4);
            }
            process.answerAll();
            process.fence();
        });
        arena.close();
    }

    private void planCuts() {
        if (random.nextInt(5) > 0) {
            int cuts = random.nextInt(4) == 0 ? wires.length : random.nextInt(wires.length);
            cutsLeft = random.ints(0, wires.length).distinct().limit(wires.length).limit(cuts).toArray();
            cutBytes = 1 << (4 + random.nextInt(17));
            planCut();
        }
    }

    /** One after the other: the next one perhaps while the last one's frames go again. */
    private void planCut() {
        if (cutsLeft.length == 0) {
            cutNext = null;
            return;
        }
        cutNext = wires[cutsLeft[0]];
        cutsLeft = Arrays.copyOfRange(cutsLeft, 1, cutsLeft.length);
        if (silent) {
            cutNext.beSilent();
        }
        int side = random.nextInt(2);
        cutNext.cutAfter(side, cutNext.written(side) + 1 + random.nextInt(cutBytes));
    }

    /** Wires break while another one is whole, and come back, until all break, perhaps. */
    private void planMending() {
        mends = true;
        breaksAtLast = random.nextInt(4) == 0;
        mendedCuts = 1 + random.nextInt(silent ? 3 : MENDED_CUTS_MAX);
        cutBytes = 1 << (4 + random.nextInt(14));
    }

    /** How many of the wires that have come back have carried bytes both ways. */
    private int useful() {
        return (int) mended.stream().filter(wire -> wire.written(0) > 0 && wire.written(1) > 0).count();
    }

    private boolean isWhole(int rail) {
        return !wires[rail].isCut() && Stream.of(processes).noneMatch(each -> each.peer.rail(rail).isLost());
    }

    private void mend() {
        if (cutNext == null && mendedCuts > 0) {
            int[] whole = IntStream.range(0, wires.length).filter(this::isWhole).toArray();
            if (whole.length > 1) {
                mendedCuts--;
                cutsLeft = new int[]{whole[random.nextInt(whole.length)]};
                planCut();
            }
        } else if (cutNext == null && breaksAtLast) {
            mends = false;
            IntStream.range(0, wires.length).filter(rail -> halfMended[rail] != null).forEach(this::giveUp);
            cutsLeft = IntStream.range(0, wires.length).filter(rail -> !wires[rail].isCut()).toArray();
            planCut();
        }
        int rail = random.nextInt(wires.length);
        if (mends && random.nextInt(MEND_ODDS) == 0) {
            mend(rail);
        }
    }

    /** The second accepts, perhaps before it has noticed that the rail was lost; the first hears that later. */
    private void mend(int index) {
        Peer first = processes[0].peer;
        Peer second = processes[1].peer;
        if (halfMended[index] != null) {
            if (random.nextInt(GIVE_UP_ODDS) == 0) {
                giveUp(index);
            } else {
                wires[index] = halfMended[index];
                halfMended[index] = null;
                mended.add(wires[index]);
                first.bringBack(index, wires[index].end(0));
            }
        } else
            if (first.isOpen() && second.isOpen() && wires[index].isCut() && first.rail(index).isLost()
                    && !first.rail(index).isComingBack()) {
                        halfMended[index] = wires[index].another();
                        second.bringBack(index, halfMended[index].end(1));
                    }
    }

    private void giveUp(int index) {
        halfMended[index].end(0).close();
        halfMended[index] = null;
    }

    private boolean isAllCut() {
        return Arrays.stream(wires).allMatch(SimulatedWire::isCut);
    }

    private void start(Script script) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            SimulatedProcess process = processes[i];
            threads[i] = Thread.ofVirtual().unstarted(() -> live(process, script));
        }
        threads[0].start();
        threads[1].start();
        for (Thread thread : threads) {
            if (!thread.join(RUN_MAX)) {
                AssertionError hang = new AssertionError("a call does not end, and waits for nothing");
                hang.setStackTrace(threads[running].getStackTrace());
                throw hang;
            }
        }
        if (failure != null) {
            throw new AssertionError(failure);
        }
    }

    private void live(SimulatedProcess process, Script script) {
        try {
            awaitTurn(process.self);
            script.run(process);
            isDone[process.self] = true;
            while (!isDone[1 - process.self] || isAllCut() && !process.peer.isGone()) {
                turn(process);
            }
            process.checkKept();
            if (isAllCut()) {
                process.checkGone();
                assertThat(process.lost).as("told that it is lost").hasSize(1);
            } else {
                assertThat(process.lost).as("told that it is lost").isEmpty();
                process.checkEnd();
                end(process);
            }
        } catch (Ended _) {
            return;
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        } finally {
            isOver[process.self] = true;
            running = 1 - process.self;
            LockSupport.unpark(threads[running]);
        }
    }

    private void end(SimulatedProcess process) {
        if (leaves && process.self == 0) {
            process.leave();
            process.peer.lose(Loss.ENDED, "this process has left");
        } else if (leaves) {
            while (!process.peer.isGone()) {
                turn(process);
            }
            if (!isAllCut()) {
                assertThat(process.left).as("heard good-byes").isEqualTo(1);
                assertThat(process.lost).as("told that it is lost").isEmpty();
            }
        }
    }

    // ---- turns

    /** Takes in what has arrived for a process, whose thread this is; the other side may go on, for a while. */
    boolean turn(SimulatedProcess process) {
        SimulatedProcess other = other(process);
        if (++steps > STEPS_MAX) {
            throw new AssertionError("no end after " + STEPS_MAX + " steps");
        }
        process.peer.poll();
        check();
        if (random.nextInt(SERVE_ODDS) == 0) {
            other.peer.poll();
            check();
        }
        if (random.nextInt(LOOK_ODDS) == 0) {
            long limit = silent ? LOOKS_MAX * wires.length : Long.MAX_VALUE;
            if (other.peer.look(1, limit) >= limit) {
                other.peer.lose(Loss.SILENT, "nothing was heard of it");
            }
        }
        if (cutNext != null && cutNext.isCut()) {
            planCut();
        }
        if (mends) {
            mend();
        }
        if (random.nextInt(PASS_ODDS) == 0 && !isOver[other.self]) {
            running = other.self;
            LockSupport.unpark(threads[other.self]);
            awaitTurn(process.self);
        }
        return true; // a waiter would sleep if nothing moved
    }

    private void awaitTurn(int self) {
        while (running != self) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
        }
        if (failure != null) {
            throw new Ended();
        }
    }

    /** Sees that the memory of both is as it may be. */
    void check() {
        processes[0].check();
        processes[1].check();
    }
}
