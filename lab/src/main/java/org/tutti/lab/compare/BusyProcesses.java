/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.tutti.TuttiException;

/**
 * Processes that each keep a core busy until this object is closed or this process ends. Each has a session of its own,
 * like a contender, because Linux may divide cores between sessions.
 */
final class BusyProcesses implements AutoCloseable {
    /** The largest number of busy processes. */
    static final int COUNT_MAX = 256;

    private final List<Process> processes = new ArrayList<>();

    /** Starts this many processes, and returns when all of them compute. */
    BusyProcesses(int count) throws IOException {
        var command = List.of("setsid", Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx16m", "-cp", System.getProperty("java.class.path"),
                BusyProgram.class.getName());
        try {
            for (int i = 0; i < count; i++) {
                processes.add(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
            }
            for (var process : processes) {
                if (process.getInputStream().read() < 0) {
                    throw new TuttiException("a process that was to keep a core busy has ended at once; see above");
                }
            }
        } catch (IOException | TuttiException e) {
            close();
            throw e;
        }
    }

    /** {@return a phrase about this many processes for a heading, after a comma} */
    static String phrase(int count) {
        return count == 0 ? "" : ", beside " + count + (count == 1 ? " busy process" : " busy processes");
    }

    /** Fails if a process has ended, because the contenders then had its core for themselves. */
    void requireAlive() {
        if (!processes.stream().allMatch(Process::isAlive)) {
            throw new TuttiException("one of the " + processes.size() + " processes of --busy " + processes.size()
                    + " has ended, so what is measured from now on is beside fewer; measure again, or less at a time");
        }
    }

    /** {@return the handles of the processes} */
    List<ProcessHandle> handles() {
        return processes.stream().map(Process::toHandle).toList();
    }

    /** Ends the processes, and returns when all have ended. */
    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
        CompletableFuture.allOf(processes.stream().map(Process::onExit).toArray(CompletableFuture[]::new)).join();
    }
}
