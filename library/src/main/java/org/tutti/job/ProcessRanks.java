/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;

import org.tutti.Job;
import org.tutti.JobOptions;
import org.tutti.JobStartException;
import org.tutti.job.communicators.ProcessCommunicators;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.launch.EnvironmentReader;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeAccess;
import org.tutti.job.node.NodeFile;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.memory.PrivateMemory;

/**
 * The ranks that this process runs in the job for which it was started. A process has one rank, or several under a
 * launcher. If a launcher has started the process, the process has the node's memory file open until it ends. Any other
 * process opens the file when it joins the job, and closes it when it leaves.
 */
public final class ProcessRanks {
    /** The index of the thread's rank among the ranks of the process; {@link RankProcess} binds it. */
    static final ScopedValue<Integer> INDEX = ScopedValue.newInstance();

    private static final Object LOCK = new Object();

    /**
     * The time from a signal to end until this process marks its ranks that have not left as failed. A launcher kills a
     * process one second after such a signal. This time is longer, because a process that the launcher ends must not
     * make other ranks fail.
     */
    private static final long SHUTDOWN_MILLIS_MAX = 1500;

    private static ProcessRanks instance;

    private final JobEnvironment environment;
    private final ProcessPart part;
    private final boolean launched;
    private final Thread[] joined; // the threads on which the ranks have joined

    private ProcessRanks(JobEnvironment environment, boolean launched, long deadlineNanos) {
        this.environment = environment;
        this.launched = launched;
        NodeAccess access =
                launched ? NodeFile.joinLaunched(environment) : NodeFile.join(environment, deadlineNanos);
        this.part = new ProcessPart(environment, access,
                launched ? ProcessPart.Fate.LAUNCHED : ProcessPart.Fate.STARTED, deadlineNanos);
        this.joined = new Thread[environment.ranks()];
    }

    /**
     * Joins the job of this process, and waits until all ranks have joined. A process without a job gets a job of one
     * rank.
     *
     * @param options the job's deadline
     * @return the job
     */
    public static Job join(JobOptions options) {
        Optional<JobEnvironment> environment = EnvironmentReader.read();
        return environment.isEmpty() ? alone(options) : join(environment.get(), options);
    }

    private static Job alone(JobOptions options) {
        var memory = new PrivateMemory();
        Node node = Node.create(memory, memory.claim(NodeLayout.bytes(1), "the rank's state"),
                NodeShape.single("alone", 1), Secret.random(), false);
        node.markJoined(0, 0);
        var reminder = new Thread(() -> remindOf("its job"), "tutti shutdown");
        var job = new LiveJob(new ProcessCommunicators(node, null, new RankThreads(node),
                JobEnvironment.callSites(System.getenv())), 0,
                Runtime.getRuntime().availableProcessors(),
                JobEnvironment.choice(System.getenv()), JobEnvironment.levels(System.getenv(), options), options,
                _ -> {
                    forget(reminder);
                    memory.close();
                });
        Runtime.getRuntime().addShutdownHook(reminder);
        return job;
    }

    private static void forget(Thread reminder) {
        try {
            Runtime.getRuntime().removeShutdownHook(reminder);
        } catch (IllegalStateException _) {
            return; // the JVM is ending, and runs the reminder
        }
    }

    /** Reports a job that was not closed, if the JVM ends because the program's threads have ended. */
    private static void remindOf(String job) {
        boolean hasReturned = Thread.getAllStackTraces().values().stream().flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().equals("java.lang.Shutdown")
                        && frame.getMethodName().equals("shutdown"));
        if (hasReturned) {
            System.err.println("tutti: the program ended without leaving " + job
                    + "; close it: try (var job = Tutti.join())");
        }
    }

    /**
     * Opens the node's memory file, which the launcher has made, and keeps it open until the process ends. {@link
     * RankProcess} calls this method before any rank joins. From then on this process ends when its launcher ends,
     * whatever its program does.
     */
    static void openLaunched() {
        EnvironmentReader.read().ifPresent(environment -> open(environment, true, joinDeadline(environment)));
    }

    private static ProcessRanks open(JobEnvironment environment, boolean launched, long deadlineNanos) {
        synchronized (LOCK) {
            if (instance == null) {
                Runtime.getRuntime().addShutdownHook(new Thread(ProcessRanks::shutDown, "tutti shutdown"));
                instance = new ProcessRanks(environment, launched, deadlineNanos);
            }
            return instance;
        }
    }

    private static long joinDeadline(JobEnvironment environment) {
        return System.nanoTime() + environment.joinTimeoutMillis() * 1_000_000;
    }

    private static Job join(JobEnvironment environment, JobOptions options) {
        long deadline = joinDeadline(environment);
        int[] levels = JobEnvironment.levels(System.getenv(), options);
        int index = INDEX.isBound() ? INDEX.get() : 0;
        if (!INDEX.isBound() && environment.ranks() > 1) {
            throw new JobStartException("this process has " + environment.ranks() + " ranks by "
                    + JobEnvironment.RANKS_PER_PROCESS
                    + ", and cannot tell which of them this thread is; call Tutti.join() "
                    + "on the thread that runs the rank's main, and start the process by tutti run");
        }
        int rank = environment.firstRank() + index;
        ProcessRanks ranks = open(environment, false, deadline);
        synchronized (LOCK) {
            if (ranks.joined[index] != null) {
                throw new IllegalStateException("rank " + rank
                        + " has joined its job before; keep the Job and pass it on, as a rank joins once");
            }
            ranks.joined[index] = Thread.currentThread();
        }
        return ranks.part.join(rank, deadline, levels, options, () -> {
        });
    }

    // ---- how a process ends

    /**
     * Tells the other ranks that this process ends, when the JVM begins to shut down. A rank that has called {@code
     * System.exit} makes no more calls, but shutdown hooks of its program may take long. Therefore the other ranks are
     * told of it immediately. Otherwise the process may have got a signal, which may have been sent to all ranks, for
     * example by the launcher. Therefore a process under a launcher has some time to end before its ranks are marked as
     * failed. Without a launcher, the process tells the others nothing. If the launcher is gone, the process removes
     * the name of the memory file, which the launcher would have removed.
     */
    private static void shutDown() {
        synchronized (LOCK) {
            if (instance == null) {
                return;
            }
            if (instance.launched) {
                instance.part.unlinkIfOrphaned();
            }
            if (RankProcess.isEnding()) {
                return;
            }
            if (!instance.failRanks(ProcessRanks::isExiting, RankFailure.Reason.EXITED)) {
                if (instance.launched) {
                    Thread.ofPlatform().daemon().name("tutti end").start(ProcessRanks::failAfterShutdownLimit);
                } else if (instance.hasOpenRank()) {
                    remindOf("job " + instance.environment.job() + " as rank " + instance.environment.firstRank());
                }
            }
        }
        spreadNews();
    }

    private static void failAfterShutdownLimit() {
        try {
            Thread.sleep(SHUTDOWN_MILLIS_MAX);
        } catch (InterruptedException _) {
            return; // nobody interrupts this thread
        }
        synchronized (LOCK) {
            instance.failRanks(_ -> true, RankFailure.Reason.TOLD_TO_END);
        }
        spreadNews();
    }

    /** Returns whether a thread has called {@code System.exit}, which never returns. */
    private static boolean isExiting(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals("java.lang.Runtime")
                        && frame.getMethodName().equals("exit"));
    }

    /**
     * Marks each rank of this process as failed that has not left and that joined on a thread for which the condition
     * holds. Returns whether a rank was marked.
     */
    private boolean failRanks(Predicate<Thread> joinedOn, RankFailure.Reason reason) {
        synchronized (part) {
            boolean any = false;
            for (int index = 0; index < joined.length && part.isOpen(); index++) {
                int rank = environment.firstRank() + index;
                if (joined[index] != null && joinedOn.test(joined[index])
                        && part.node().state(rank) == NodeLayout.JOINED) {
                    any |= part.fail(rank, reason);
                }
            }
            return any;
        }
    }

    private boolean hasOpenRank() {
        synchronized (part) {
            return part.isOpen() && part.node().state(environment.firstRank()) == NodeLayout.JOINED;
        }
    }

    /** Returns whether a launcher has started this process, and a rank of it has joined its job and not left it. */
    static boolean hasNotLeft(int index) {
        synchronized (LOCK) {
            return instance != null && instance.launched
                    && instance.part.node().state(instance.environment.firstRank() + index) == NodeLayout.JOINED;
        }
    }

    /** Records the thread of a rank; {@link RankProcess} calls this on that thread before the rank's program begins. */
    static void begin(int index) {
        synchronized (LOCK) {
            if (instance != null) {
                instance.part.addThread(instance.environment.firstRank() + index);
            }
        }
    }

    /** Marks a rank as failed; {@link RankProcess} calls this when the rank's program has thrown. */
    static void markFailed(int index) {
        synchronized (LOCK) {
            if (instance != null && instance.launched) {
                instance.part.fail(instance.environment.firstRank() + index,
                        RankFailure.Reason.THREW);
            }
        }
    }

    /**
     * Records that a rank could not go on without another rank. {@link RankProcess} calls this method when the rank's
     * program has thrown because of the other rank.
     */
    static void markMissed(int index, int missed) {
        synchronized (LOCK) {
            if (instance != null && instance.launched) {
                instance.part.miss(instance.environment.firstRank() + index, missed);
            }
        }
    }

    /**
     * Tells other nodes which failures this process knows. The callers do so before the process ends, because the other
     * nodes would otherwise take its end for the first failure.
     */
    static void spreadNews() {
        synchronized (LOCK) {
            if (instance != null && instance.part.isOpen()) {
                instance.part.spreadNews();
            }
        }
    }
}
