/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A core to which Linux can bind threads.
 *
 * @param number the operating system's number of the core
 */
record Core(int number) {
    private static final int PROCESSOR_FIELD = 36; // of /proc/…/stat, counted from 0 after the name

    /** {@return the core on which this thread runs at the moment} */
    static Core ofThisThread() {
        try {
            String state = Files.readString(thread().resolve("stat"));
            return new Core(Integer.parseInt(state.substring(state.lastIndexOf(')') + 2).split(" ")[PROCESSOR_FIELD]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path thread() {
        try {
            return Path.of("/proc/thread-self").toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException("threads can be bound to a core on Linux only", e);
        }
    }

    /** Binds this thread for its whole life. It runs a command, because Java itself cannot bind threads. */
    void bind() {
        try {
            Process taskset = new ProcessBuilder("taskset", "--pid", "--cpu-list", String.valueOf(number),
                    thread().getFileName().toString()).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            while (taskset.isAlive()) {
                LockSupport.parkNanos(100_000);
            }
            if (taskset.exitValue() != 0) {
                throw new IllegalStateException("taskset cannot bind a thread to core " + number + "; see above");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the command taskset is needed; install util-linux", e);
        }
    }
}
