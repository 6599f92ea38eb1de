/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices that this process has got SIGQUIT. The JVM reserves this signal for thread dumps. But the JVM handles signals
 * on a thread of its own that otherwise sleeps, and Linux counts how often a thread has gone to sleep. The dump goes
 * where the JVM's options send it; the script {@code tutti} makes the launcher print none.
 *
 * <p>When this process stops and goes on (Ctrl-Z and {@code fg}, a debugger, a frozen control group, a suspended
 * machine), all its threads wake, so the count of the JVM's thread alone proves nothing. A second thread, the witness,
 * sleeps for ever: the signal wakes the JVM's thread and not the witness. This class compares the two counts only while
 * both threads sleep, so a wake-up that only one of them has completed counts for nothing. A SIGQUIT that comes
 * together with such a stop is lost. The same thread of the JVM handles the signals that end this process, such as
 * SIGTERM; they look like SIGQUIT as long as the process lives on.
 */
final class QuitSignal {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path OWN_THREAD = Path.of("/proc/thread-self");
    private static final String SIGNAL_THREAD = "Signal Dispatch"; // Linux keeps only this much of the name
    private static final String NAME = "Name:";
    private static final String STATE = "State:";
    private static final String SLEEPING = "S (sleeping)";
    private static final String SLEEPS = "voluntary_ctxt_switches:";

    private static final long FRESH_NANOS = 2_000_000_000;
    private static final long UNKNOWN = -1;

    private final Optional<Path> dispatcher = dispatcher();
    private volatile Optional<Path> witness = Optional.empty();
    private long dispatcherSleeps = UNKNOWN;
    private long witnessSleeps = UNKNOWN;
    private boolean isNew;
    private boolean hasEverCome;
    private long comeNanos;

    QuitSignal() {
        if (dispatcher.isPresent()) {
            Thread.ofPlatform().daemon().name("quit witness").start(this::sleepForEver);
        }
    }

    private void sleepForEver() {
        try {
            witness = Optional.of(THREADS.resolve(OWN_THREAD.toRealPath().getFileName()).resolve("status"));
        } catch (IOException _) {
            return; // not Linux: this class does not notice the signal
        }
        while (true) {
            LockSupport.park();
        }
    }

    /** {@return whether the signal has come since the last call} */
    synchronized boolean hasCome() {
        look();
        boolean come = isNew;
        isNew = false;
        return come;
    }

    /** {@return whether the signal has come a moment ago} */
    synchronized boolean isFresh() {
        look();
        return hasEverCome && System.nanoTime() - comeNanos < FRESH_NANOS;
    }

    private void look() {
        if (dispatcher.isEmpty() || witness.isEmpty()) {
            return;
        }
        long sleeps = sleeps(dispatcher.get());
        if (sleeps == UNKNOWN || sleeps == dispatcherSleeps) {
            return;
        }
        long ofWitness = sleeps(witness.get());
        if (ofWitness == UNKNOWN || sleeps(dispatcher.get()) != sleeps) {
            return; // a thread is awake: the next look sees the result
        }
        if (dispatcherSleeps != UNKNOWN && ofWitness == witnessSleeps) {
            isNew = true;
            hasEverCome = true;
            comeNanos = System.nanoTime();
        }
        dispatcherSleeps = sleeps;
        witnessSleeps = ofWitness;
    }

    /** {@return how often a sleeping thread has gone to sleep; {@link #UNKNOWN} if it does not sleep} */
    private static long sleeps(Path thread) {
        try {
            var status = Files.readString(thread);
            return field(status, STATE).equals(SLEEPING) ? Long.parseLong(field(status, SLEEPS)) : UNKNOWN;
        } catch (IOException | NumberFormatException _) {
            return UNKNOWN; // this kernel keeps no such count
        }
    }

    private static String field(String status, String name) {
        return status.lines().filter(line -> line.startsWith(name)).findFirst()
                .map(line -> line.substring(name.length()).strip()).orElse("");
    }

    private static Optional<Path> dispatcher() {
        try (var threads = Files.newDirectoryStream(THREADS)) {
            for (var thread : threads) {
                if (name(thread).equals(SIGNAL_THREAD)) {
                    return Optional.of(thread.resolve("status"));
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            return Optional.empty(); // not Linux: this class does not notice the signal
        }
        return Optional.empty();
    }

    private static String name(Path thread) {
        try {
            return field(Files.readString(thread.resolve("status")), NAME);
        } catch (IOException _) {
            return ""; // the thread has just ended
        }
    }
}
