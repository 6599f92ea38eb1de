/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.tutti.TuttiException;

/**
 * Processes of which each keeps a core busy as long as this is open, or as this process lives. Like each contender it
 * has a session of its own, as Linux may divide cores between sessions.
 */
final class BusyProcesses implements AutoCloseable {
    /** How many there may be. */
    static final int COUNT_MAX = 256;

    private final List<Process> processes = new ArrayList<>();

    /** Starts so many, and returns when all compute. */
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

    /** {@return how a heading tells of so many, after a comma} */
    static String phrase(int count) {
        return count == 0 ? "" : ", beside " + count + (count == 1 ? " busy process" : " busy processes");
    }

    /** Fails if one has ended, as what is measured then has the machine for itself. */
    void requireAlive() {
        if (!processes.stream().allMatch(Process::isAlive)) {
            throw new TuttiException("one of the " + processes.size() + " processes of --busy " + processes.size()
                    + " has ended, so what is measured from now on is beside fewer; measure again, or less at a time");
        }
    }

    /** {@return what they are} */
    List<ProcessHandle> handles() {
        return processes.stream().map(Process::toHandle).toList();
    }

    /** Returns when all have ended. */
    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
        CompletableFuture.allOf(processes.stream().map(Process::onExit).toArray(CompletableFuture[]::new)).join();
    }
}
