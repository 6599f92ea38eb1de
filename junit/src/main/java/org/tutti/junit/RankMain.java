/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.opentest4j.TestAbortedException;
import org.tutti.JobOptions;
import org.tutti.JobStartException;
import org.tutti.Program;
import org.tutti.job.EngineRanks;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Secret;

/**
 * The main class of a process that is a rank of a test. It runs JUnit with that test only, and {@link RanksExtension}
 * in this process then runs the rank. JUnit's own process, which has started this one, interrupts the rank through this
 * process's standard input. The end of the standard input shows that JUnit's own process has ended.
 */
final class RankMain {
    private static final int STATUS_FAILED = 1;

    private static RankMain current;

    private final int rank;
    private final EngineRanks ranks;
    private boolean hasRun;
    private long failedMillis;
    private Thread running; // the rank's thread while it runs; guarded by this, like the next field
    private boolean interrupted;

    private RankMain(int rank, int size) {
        this.rank = rank;
        this.ranks = new EngineRanks(new NodeShape("junit", size, 0, 1, size), rank, 1, Secret.random());
    }

    /** {@return the rank that this process runs; empty if this is JUnit's own process} */
    static Optional<RankMain> current() {
        return Optional.ofNullable(current);
    }

    int rank() {
        return rank;
    }

    /** Runs a rank. The arguments are the directory of the test, and the rank. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        int rank = Integer.parseInt(arguments[1]);
        TestPlan plan = TestPlan.read(directory);
        plan.setProperties();
        current = new RankMain(rank, plan.ranks());
        InputStream orders = System.in;
        System.setIn(InputStream.nullInputStream());
        Thread.ofPlatform().daemon().name("tutti orders").start(() -> current.obey(orders, directory));
        int status = STATUS_FAILED;
        try {
            current.execute(plan.test()).write(directory);
            status = 0;
        } catch (Throwable failure) { // an error of JUnit, or too little space for the result
            failure.printStackTrace();
        }
        System.exit(status); // threads that the test has left running do not count
    }

    private void obey(InputStream orders, Path directory) {
        try {
            while (orders.read() >= 0) {
                interrupt();
            }
            TestProcesses.delete(directory);
        } catch (IOException e) {
            System.err.println("rank " + rank + " has lost JUnit's process: " + e);
        }
        Runtime.getRuntime().halt(STATUS_FAILED);
    }

    private synchronized void interrupt() {
        interrupted = true;
        if (running != null) {
            running.interrupt();
        }
    }

    private RankResult execute(String test) {
        var verdict = new Verdict();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectUniqueId(test)).build(), verdict);
        if (!hasRun) {
            ranks.abandon(rank);
            if (verdict.failure == null) {
                verdict.failure = new IllegalStateException("JUnit has no test " + test + " in the process of rank "
                        + rank + "; whatever makes it must make the same one there");
            }
        }
        return new RankResult(rank, verdict.failure, failedMillis > 0 ? failedMillis : System.currentTimeMillis(),
                verdict.failure != null && EngineRanks.isSecondary(verdict.failure),
                verdict.failure == null ? -1 : EngineRanks.culprit(verdict.failure));
    }

    /** Listens to JUnit, and records the result of the test, its set-up and its tear-down. */
    private static final class Verdict implements TestExecutionListener {
        private Throwable failure; // the first one

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            failure = failure == null ? new TestAbortedException(reason) : failure;
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL && failure == null) {
                failure = result.getThrowable().orElseGet(() -> new AssertionError(test.getDisplayName() + " failed"));
            }
        }
    }

    /** Runs the test's method as the rank. */
    void run(Program method) throws Exception {
        begin();
        try {
            ranks.run(rank, JobOptions.DEFAULT, this::requireWanted, job -> {
                method.run(job);
                return null;
            });
        } catch (Throwable failure) {
            failedMillis = System.currentTimeMillis();
            throw failure;
        } finally {
            end();
        }
    }

    private synchronized void begin() {
        hasRun = true;
        running = Thread.currentThread();
        if (interrupted) {
            running.interrupt();
        }
    }

    private synchronized void end() {
        running = null;
    }

    private void requireWanted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new JobStartException(
                    "rank " + rank + " was interrupted while it waited for the other ranks to join");
        }
    }
}
