/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.simulate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.kernel.Kernel;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/** Measures what words and bytes in memory cost that two threads share, as two ranks of a node do. */
final class MemoryMeasurement {
    static final int BYTES = 1 << 20;

    private static final long CALL = 0;
    private static final long ANSWER = 128;
    private static final long OWN = 256;
    private static final int PROCESSOR_FIELD = 36; // of /proc/…/stat, counted from 0 after the name
    private static final Runnable NOTHING = () -> {
    };

    private final MemorySegment words = Arena.ofAuto().allocate(4096, 4096);
    private final MemorySegment window = Arena.ofAuto().allocate(BYTES, 4096);
    private final MemorySegment source = MemorySegment.ofArray(new double[BYTES / Double.BYTES]);
    private final MemorySegment target = MemorySegment.ofArray(new double[BYTES / Double.BYTES]);
    private final Waiter ample;
    private int core;

    /** @param coreForEach whether there are two cores */
    MemoryMeasurement(boolean coreForEach) {
        this.ample = new Waiter(coreForEach);
    }

    /** {@return nanoseconds of a store to a word, or a look at one, that nobody else uses} */
    double wordNanos() {
        Timing timing = new Timing();
        return Timing.median(rounds -> timing.nanosPerRound(rounds, NOTHING, round -> {
            Words.store(words, OWN, round);
            if (Words.load(words, OWN) != round) {
                throw new IllegalStateException("a word is not what it was set to");
            }
        })) / 2;
    }

    /** {@return nanoseconds from one thread's store until another one, on another core, has seen it} */
    double handOverNanos() {
        return handOverNanos(ample, NOTHING);
    }

    /** {@return the same for threads on one core, which have to yield it to each other} */
    double switchNanos() {
        core = coreOfThisThread();
        return handOverNanos(new Waiter(false), this::bind);
    }

    private double handOverNanos(Waiter waiter, Runnable before) {
        Timing timing = new Timing();
        Words.store(words, CALL, 0);
        Words.store(words, ANSWER, 0);
        return Timing.median(rounds -> timing.nanosPerRound(rounds, before, round -> {
            Words.store(words, CALL, round);
            waiter.await(words, ANSWER, round, timing::check);
        }, round -> {
            waiter.await(words, CALL, round, timing::check);
            Words.store(words, ANSWER, round);
        })) / 2;
    }

    /** {@return nanoseconds a byte of copying from the heap to off-heap memory and back, by one thread} */
    double copyNanosPerByte() {
        Timing timing = new Timing();
        return Timing.median(rounds -> timing.nanosPerRound(rounds, NOTHING, _ -> {
            MemorySegment.copy(source, 0, window, 0, BYTES);
            MemorySegment.copy(window, 0, target, 0, BYTES);
        })) / (2.0 * BYTES);
    }

    /** {@return the same when one thread copies to the window, and another one from it} */
    double sharedCopyNanosPerByte() {
        Timing timing = new Timing();
        Words.store(words, CALL, 0);
        Words.store(words, ANSWER, 0);
        return Timing.median(rounds -> timing.nanosPerRound(rounds, NOTHING, round -> {
            MemorySegment.copy(source, 0, window, 0, BYTES);
            Words.store(words, CALL, round);
            ample.await(words, ANSWER, round, timing::check);
        }, round -> {
            ample.await(words, CALL, round, timing::check);
            MemorySegment.copy(window, 0, target, 0, BYTES);
            Words.store(words, ANSWER, round);
        })) / (2.0 * BYTES);
    }

    /** {@return nanoseconds a byte of adding doubles of a window to those of an array, into another one} */
    double combineNanosPerByte() {
        Timing timing = new Timing();
        Kernel sum = Kernel.of(Reduction.SUM, DataType.DOUBLE);
        return Timing.median(rounds -> timing.nanosPerRound(rounds, NOTHING,
                _ -> sum.combine(source, 0, window, 0, target, 0, BYTES))) / BYTES;
    }

    private static Path thread() {
        try {
            return Path.of("/proc/thread-self").toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException("threads can be bound to a core on Linux only", e);
        }
    }

    private static int coreOfThisThread() {
        try {
            String state = Files.readString(thread().resolve("stat"));
            return Integer.parseInt(state.substring(state.lastIndexOf(')') + 2).split(" ")[PROCESSOR_FIELD]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Java cannot say where a thread runs; it ends after its rounds, and nobody else is bound. */
    private void bind() {
        try {
            Process taskset = new ProcessBuilder("taskset", "--pid", "--cpu-list", String.valueOf(core),
                    thread().getFileName().toString()).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            while (taskset.isAlive()) {
                LockSupport.parkNanos(100_000);
            }
            if (taskset.exitValue() != 0) {
                throw new IllegalStateException("taskset cannot bind a thread to core " + core + "; see above");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the command taskset is needed; install util-linux", e);
        }
    }
}
