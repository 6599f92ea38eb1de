/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A process that runs one rank of a test. JUnit's process starts and ends it through this object, and passes on its
 * output line by line.
 */
final class TestProcess {
    private static final int SIGNAL_BASE = 128;
    private static final int LINE_LENGTH_MAX = 8192; // a longer line is passed on in parts

    /** The longest wait for the end of the output, because processes that the test has started may keep it open. */
    private static final long OUTPUT_MILLIS_MAX = 1000;

    private final int rank;
    private final Process process;
    private final List<Thread> relays;
    private volatile long endedMillis;
    private volatile String whyKilled;

    private TestProcess(int rank, Process process) {
        this.rank = rank;
        this.process = process;
        this.relays = List.of(relay(process.inputReader(StandardCharsets.UTF_8), System.out),
                relay(process.errorReader(StandardCharsets.UTF_8), System.err));
    }

    /** Starts the process. */
    static TestProcess start(int rank, ProcessBuilder builder, Consumer<TestProcess> whenEnded) throws IOException {
        var started = new TestProcess(rank, builder.start());
        started.process.onExit().thenRun(() -> {
            started.endedMillis = System.currentTimeMillis();
            whenEnded.accept(started);
        });
        return started;
    }

    private Thread relay(BufferedReader from, PrintStream to) {
        return Thread.ofPlatform().daemon().name("tutti output of rank " + rank).start(() -> {
            try (from) {
                var line = new StringBuilder();
                for (int character = from.read(); character >= 0; character = from.read()) {
                    line.append((char) character);
                    if (character == '\n' || line.length() == LINE_LENGTH_MAX) {
                        to.print(line);
                        line.setLength(0);
                    }
                }
                to.print(line);
            } catch (IOException e) {
                System.err.println("the output of rank " + rank + " is lost: " + e);
            }
        });
    }

    /** Interrupts the rank. */
    void interrupt() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException _) {
            return; // the process has ended
        }
    }

    /** Kills the process, and records the reason. Has no effect if the process has already ended. */
    void kill(String reason) {
        if (process.isAlive()) {
            whyKilled = reason;
            process.destroyForcibly();
        }
    }

    /** Waits until all output of the ended process is passed on. */
    void awaitOutput() throws InterruptedException {
        for (Thread relay : relays) {
            relay.join(OUTPUT_MILLIS_MAX);
        }
    }

    /** {@return the result of the rank, after its process has ended} */
    RankResult result(Path directory) {
        return RankResult.read(directory, rank).orElseGet(() -> new RankResult(rank,
                new AssertionError("its process " + process.pid() + " " + end()), endedMillis, whyKilled != null, -1));
    }

    private String end() {
        if (whyKilled != null) {
            return whyKilled;
        }
        int status = process.exitValue();
        return (status > SIGNAL_BASE ? "was killed by signal " + (status - SIGNAL_BASE)
                : "exited with status " + status)
                + " before the test had ended there; see what it has printed";
    }

    /** Kills the process, and waits for its end. */
    void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
