/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.tutti.Job;
import org.tutti.JobAbortedException;
import org.tutti.JobOptions;
import org.tutti.JobOptions.Threads;
import org.tutti.Program;
import org.tutti.RankFailedException;
import org.tutti.choice.Choice;
import org.tutti.job.communicators.ProcessCommunicators;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.memory.PrivateMemory;

/** Runs the ranks of a job as threads of this process. */
public final class LocalRanks {
    private static final ScopedValue<LiveJob> CURRENT = ScopedValue.newInstance();

    private LocalRanks() {}

    /** {@return the job of the rank that runs on this thread, if it is a rank of a local job} */
    public static Optional<Job> current() {
        return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
    }

    /**
     * Runs a program on a number of ranks, each a thread of this process, and returns when all have ended.
     *
     * @param ranks the number of ranks
     * @param options the kind of threads, the job's deadline, and the sizes of the groups of ranks inside the node
     * @param program the code that each rank runs
     */
    public static void run(int ranks, JobOptions options, Program program) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(program, "program");
        if (ranks < 1 || ranks > JobEnvironment.SIZE_MAX) {
            throw new IllegalArgumentException("a job has 1 to " + JobEnvironment.SIZE_MAX + " ranks, not " + ranks);
        }
        int cores = Runtime.getRuntime().availableProcessors();
        Choice choice = JobEnvironment.choice(System.getenv());
        int[] levels = JobEnvironment.levels(System.getenv(), options);
        Threads kind = options.threads().orElse(ranks <= cores ? Threads.PLATFORM : Threads.VIRTUAL);
        try (var memory = new PrivateMemory()) {
            Node node = Node.create(memory, memory.claim(NodeLayout.bytes(ranks), "the ranks' states"),
                    NodeShape.single("local", ranks), Secret.random(), false);
            var rankThreads = new RankThreads(node);
            var shared = new ProcessCommunicators(node, null, rankThreads,
                    JobEnvironment.callSites(System.getenv()));
            Throwable[] failures = new Throwable[ranks];
            List<Thread> threads = new ArrayList<>(ranks);
            try {
                for (int rank = 0; rank < ranks; rank++) {
                    node.markJoined(rank, 0);
                    LiveJob job = new LiveJob(shared, rank, cores, choice, levels, options, _ -> {
                    });
                    threads.add(start(kind, job, () -> runRank(node, rankThreads, job, program, failures)));
                }
            } catch (Throwable failure) { // for example no more threads: the running ranks must not wait for ever
                failures[threads.size()] = failure;
                node.markFailed(RankFailure.threw(threads.size()));
            }
            joinAll(threads);
            rethrow(shared, failures);
        }
    }

    /** Calls an operation, during which {@link #current} returns the job. */
    static <R> R callAs(LiveJob job, Callable<R> operation) throws Exception {
        return ScopedValue.where(CURRENT, job).call(operation::call);
    }

    private static Thread start(Threads kind, LiveJob job, Runnable body) {
        Thread.Builder builder = kind == Threads.VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform();
        return builder.name("tutti rank " + job.rank()).start(() -> ScopedValue.where(CURRENT, job).run(body));
    }

    private static void runRank(Node node, RankThreads threads, LiveJob job, Program program,
            Throwable[] failures) {
        threads.add(job.rank());
        try {
            program.run(job);
        } catch (Throwable failure) {
            failures[job.rank()] = failure;
            node.markFailed(RankFailure.threw(job.rank()));
        }
        try {
            job.close();
        } catch (Throwable failure) {
            failures[job.rank()] = failures[job.rank()] == null ? failure : failures[job.rank()];
        }
    }

    /**
     * Waits until the threads of all ranks have ended. If the calling thread is interrupted, this method interrupts the
     * ranks, so that their blocked calls end.
     */
    private static void joinAll(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException _) {
                    interrupted = true;
                    for (Thread each : threads) {
                        each.interrupt();
                    }
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(ProcessCommunicators shared, Throwable[] failures) {
        Node node = shared.node();
        if (node.abortStatus() >= 0 && shared.members().failure(-1) instanceof JobAbortedException aborted) {
            throw aborted;
        }
        int first = firstCause(node.firstFailedRank(), failures);
        if (first < 0) {
            return;
        }
        Throwable failure = failures[first];
        if (failure instanceof RankFailedException secondary && secondary.getCause() == null) { // it names the culprit
            throw new RankFailedException(secondary.rank(), secondary.getMessage(), secondary);
        }
        if (failure instanceof AssertionError assertion) { // itself: a test framework sees its class and values
            assertion.addSuppressed(new RankFailedException(first, "rank " + first + " failed: it threw the error that "
                    + "this is suppressed in"));
            throw assertion;
        }
        throw new RankFailedException(first, "rank " + first + " failed: " + failure, failure);
    }

    /**
     * Returns the rank that caused the failures of the other ranks. It need not be the rank that was marked as failed
     * first. A rank that has heard of another rank's failure may throw, and be marked, sooner than the other rank.
     */
    private static int firstCause(int marked, Throwable[] failures) {
        if (marked < 0 || !Failures.isSecondary(failures[marked])) {
            return marked;
        }
        for (int rank = 0; rank < failures.length; rank++) {
            if (failures[rank] != null && !Failures.isSecondary(failures[rank])) {
                return rank;
            }
        }
        return marked;
    }
}
