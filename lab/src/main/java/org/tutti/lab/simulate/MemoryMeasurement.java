/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/** Measures the costs of words and bytes in memory that two threads share, as two ranks of a node do. */
final class MemoryMeasurement {
    static final int BYTES = 1 << 20;

    private static final long CALL = 0;
    private static final long ANSWER = 128;
    private static final long OWN = 256;
    private static final Runnable NOTHING = () -> {
    };

    private final MemorySegment words = Arena.ofAuto().allocate(4096, 4096);
    private final MemorySegment window = Arena.ofAuto().allocate(BYTES, 4096);
    private final MemorySegment source = MemorySegment.ofArray(new double[BYTES / Double.BYTES]);
    private final MemorySegment target = MemorySegment.ofArray(new double[BYTES / Double.BYTES]);
    private final Waiter ample;

    /** @param coreForEach whether each of two threads has a core of its own */
    MemoryMeasurement(boolean coreForEach) {
        this.ample = new Waiter(coreForEach);
    }

    /** {@return nanoseconds of one store to a word, or one load of it, if no other thread uses the word} */
    double wordNanos() {
        Timing timing = new Timing();
        return Timing.shortest(rounds -> timing.nanosPerRound(rounds, NOTHING, round -> {
            Words.store(words, OWN, round);
            if (Words.load(words, OWN) != round) {
                throw new IllegalStateException("a word is not what it was set to");
            }
        })) / 2;
    }

    /** {@return nanoseconds from one thread's store until another thread, on another core, has seen it} */
    double handOverNanos() {
        return handOverNanos(ample, ample, NOTHING);
    }

    /** {@return nanoseconds of such a hand-over between threads that yield one core to each other} */
    double switchNanos() {
        Waiter scarce = new Waiter(false);
        return turnNanos(scarce, scarce);
    }

    /** {@return nanoseconds of a hand-over on one core between threads that wait in these ways} */
    double turnNanos(Waiter first, Waiter second) {
        return handOverNanos(first, second, Core.ofThisThread()::bind);
    }

    private double handOverNanos(Waiter first, Waiter second, Runnable before) {
        Timing timing = new Timing();
        Words.store(words, CALL, 0);
        Words.store(words, ANSWER, 0);
        return Timing.shortest(rounds -> timing.nanosPerRound(rounds, before, round -> {
            Words.store(words, CALL, round);
            first.await(words, ANSWER, round, timing::check);
        }, round -> {
            second.await(words, CALL, round, timing::check);
            Words.store(words, ANSWER, round);
        })) / 2;
    }

    /** {@return nanoseconds a byte of copying from the heap to off-heap memory and back, by one thread} */
    double copyNanosPerByte() {
        Timing timing = new Timing();
        return Timing.shortest(rounds -> timing.nanosPerRound(rounds, NOTHING, _ -> {
            MemorySegment.copy(source, 0, window, 0, BYTES);
            MemorySegment.copy(window, 0, target, 0, BYTES);
        })) / (2.0 * BYTES);
    }

    /** {@return nanoseconds a byte when one thread copies to the window, and another thread from it} */
    double sharedCopyNanosPerByte() {
        Timing timing = new Timing();
        Words.store(words, CALL, 0);
        Words.store(words, ANSWER, 0);
        return Timing.shortest(rounds -> timing.nanosPerRound(rounds, NOTHING, round -> {
            MemorySegment.copy(source, 0, window, 0, BYTES);
            Words.store(words, CALL, round);
            ample.await(words, ANSWER, round, timing::check);
        }, round -> {
            ample.await(words, CALL, round, timing::check);
            MemorySegment.copy(window, 0, target, 0, BYTES);
            Words.store(words, ANSWER, round);
        })) / (2.0 * BYTES);
    }

    /** {@return nanoseconds of adding one double to another} */
    double combineNanos() {
        Timing timing = new Timing();
        Kernel sum = Kernels.of(Reduction.SUM, DataType.DOUBLE);
        return Timing.shortest(rounds -> timing.nanosPerRound(rounds, NOTHING,
                _ -> sum.combine(source, 0, window, 0, target, 0, Double.BYTES)));
    }

    /** {@return nanoseconds a byte of adding doubles of a window to those of an array, into another array} */
    double combineNanosPerByte() {
        Timing timing = new Timing();
        Kernel sum = Kernels.of(Reduction.SUM, DataType.DOUBLE);
        return Timing.shortest(rounds -> timing.nanosPerRound(rounds, NOTHING,
                _ -> sum.combine(source, 0, window, 0, target, 0, BYTES))) / BYTES;
    }
}
