/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import org.tutti.Job;
import org.tutti.JobOptions;
import org.tutti.JobStartException;
import org.tutti.RankFailedException;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;
import org.tutti.memory.Waits;

/**
 * The ranks of this process in the job that it was started in: usually one, several only under a launcher. A process
 * that the launcher has started has the node's memory file open from its beginning to its end; any other one from
 * joining to leaving.
 */
public final class ProcessRanks {
    /** Bound by {@link RankProcess} on the threads of its ranks: which of the process's ranks the thread is. */
    static final ScopedValue<Integer> INDEX = ScopedValue.newInstance();

    private static final long POLL_MILLIS_MAX = 20;
    private static final int POLL_FRACTION = 16;
    private static final Object LOCK = new Object();

    /** A launcher kills a process a second after it has told it to end, and that must not make others fail. */
    private static final long SHUTDOWN_MILLIS_MAX = 1500;

    private static ProcessRanks instance;

    private final JobEnvironment environment;
    private final NodeFile file;
    private final Watch watch;
    private final boolean launched;
    private final Network network;
    private final Thread[] joined; // the threads on which the ranks have joined
    private int leaving;

    private ProcessRanks(JobEnvironment environment, boolean launched, long deadlineNanos) {
        this.environment = environment;
        this.launched = launched;
        this.file = launched ? NodeFile.joinLaunched(environment)
                : NodeFile.join(environment, deadlineNanos);
        file.node().beat(environment.firstRank()); // links what marking a rank as failed needs when memory is used up
        this.joined = new Thread[environment.ranks()];
        this.network = environment.shape().nodes() == 1 ? null : openNetwork();
        this.watch = new Watch(file, environment.firstRank(), environment.ranks(), network,
                environment.standstillMillis());
    }

    private Network openNetwork() {
        try {
            if (!file.node().hasLauncher() && environment.rendezvous().isEmpty()) {
                throw new JobStartException("rank " + environment.firstRank() + " cannot join a job on "
                        + environment.shape().nodes() + " nodes without knowing where rank 0 listens; set "
                        + JobEnvironment.RENDEZVOUS + " to its address:port on every node");
            }
            return new Network(environment, file.node());
        } catch (RuntimeException e) {
            if (!launched) { // the launcher's file is needed by others
                file.close();
            }
            throw e;
        }
    }

    /**
     * Joins the job of this process, and waits until all its ranks have; a job of one when there is none.
     *
     * @param options the job's deadline
     * @return the job
     */
    public static Job join(JobOptions options) {
        Optional<JobEnvironment> environment = JobEnvironment.read();
        return environment.isEmpty() ? alone(options) : join(environment.get(), options);
    }

    private static Job alone(JobOptions options) {
        var memory = new PrivateMemory();
        Node node = Node.create(memory, memory.claim(NodeLayout.bytes(1), "the rank's state"),
                NodeShape.single("alone", 1), Secret.random(), false);
        node.markJoined(0, 0);
        return new LiveJob(node, null, 0, Runtime.getRuntime().availableProcessors(),
                JobEnvironment.choice(System.getenv()), JobEnvironment.levels(System.getenv(), options), options,
                _ -> memory.close());
    }

    /**
     * Opens the node's memory file, which the launcher has made, before any rank joins, and keeps it until the process
     * ends: so this process ends with its launcher, whatever its program does. For {@link RankProcess}.
     */
    static void openLaunched() {
        JobEnvironment.read().ifPresent(environment -> open(environment, true, joinDeadline(environment)));
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
        Node node = ranks.file.node();
        node.threads().add(rank);
        try {
            node.markJoined(rank, environment.firstRank());
            if (ranks.network != null) {
                ranks.network.register(rank);
            }
        } catch (RuntimeException e) {
            ranks.leave();
            throw e;
        }
        try {
            ranks.awaitAll(rank, deadline);
        } catch (RuntimeException e) {
            node.markFailed(RankFailure.threw(rank));
            ranks.leave();
            throw e;
        }
        return new LiveJob(node, ranks.network, rank, environment.cores(),
                environment.choice(), levels, options, _ -> ranks.leave());
    }

    private void awaitAll(int self, long deadlineNanos) {
        Node node = file.node();
        long start = System.nanoTime();
        Waiter.Check check = () -> checkJoining(self, deadlineNanos);
        Waits.Wait outer = Waits.begin(() -> joining(self), start);
        try {
            while (!areAllHere(node)) {
                check.check();
                if (network != null && network.isMeeting(self)) {
                    network.meet(check);
                }
                try {
                    long waitedMillis = (System.nanoTime() - start) / 1_000_000;
                    Thread.sleep(Math.clamp(waitedMillis / POLL_FRACTION, 1, POLL_MILLIS_MAX));
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            }
        } finally {
            Waits.end(outer);
        }
        file.unlink();
        if (network != null) {
            node.directory().requireEqualRails();
        }
    }

    private WaitingCall joining(int self) {
        Node node = file.node();
        int absent = IntStream.range(0, node.size()).filter(rank -> node.state(rank) == NodeLayout.ABSENT).findFirst()
                .orElse(WaitingCall.UNKNOWN);
        return new WaitingCall(self, "join", "", 0, absent);
    }

    private static boolean areAllHere(Node node) {
        if (node.directory() != null) {
            return node.directory().isComplete();
        }
        for (int rank = 0; rank < node.size(); rank++) {
            if (node.state(rank) == NodeLayout.ABSENT) {
                return false;
            }
        }
        return true;
    }

    private void checkJoining(int self, long deadlineNanos) {
        if (file.node().members().failure(-1) instanceof RankFailedException failure) {
            throw failure;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new JobStartException("rank " + self + " was interrupted while it waited for all ranks to join");
        }
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new JobStartException("rank " + self + " waited " + environment.joinTimeoutMillis()
                    + " ms for all ranks to join, but " + absent() + " did not"
                    + (network == null ? "" : ", as far as this node knows" + network.whereRankZeroIs())
                    + "; see whether they were started, or set " + JobEnvironment.JOIN_TIMEOUT_MILLIS);
        }
    }

    private String absent() {
        List<String> ranks = new ArrayList<>();
        for (int rank = 0; rank < file.node().size(); rank++) {
            if (file.node().state(rank) == NodeLayout.ABSENT) {
                ranks.add("rank " + rank);
            }
        }
        return String.join(", ", ranks);
    }

    /** A process without a launcher has one rank; one with a launcher keeps the file until it ends. */
    private void leave() {
        boolean last;
        synchronized (LOCK) {
            leaving++;
            last = leaving == joined.length;
        }
        if (!launched) {
            watch.close();
        }
        if (network != null && last) {
            network.close();
        }
        if (!launched) {
            file.close();
        }
    }

    // ---- how a process ends

    /**
     * What happens when the JVM begins to shut down, as hooks of the program may make that take long: a rank that has
     * called exit takes part in nothing any more, so the others know at once. A signal may have been sent to all ranks,
     * and by the launcher, so its receivers have the time to end; and without a launcher they end as they please.
     */
    private static void shutDown() {
        synchronized (LOCK) {
            if (instance == null || RankProcess.isEnding()) {
                return;
            }
            if (!instance.failRanks(ProcessRanks::isExiting, RankFailure.Reason.EXITED) && instance.launched) {
                Thread.ofPlatform().daemon().name("tutti end").start(ProcessRanks::failAfterShutdownLimit);
            }
        }
        spreadNews();
    }

    private static void failAfterShutdownLimit() {
        try {
            Thread.sleep(SHUTDOWN_MILLIS_MAX);
        } catch (InterruptedException _) {
            return; // nobody does that
        }
        synchronized (LOCK) {
            instance.failRanks(_ -> true, RankFailure.Reason.TOLD_TO_END);
        }
        spreadNews();
    }

    /** Whether a thread is in {@code System.exit}, from which none returns. */
    private static boolean isExiting(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals("java.lang.Runtime")
                        && frame.getMethodName().equals("exit"));
    }

    /** Marks ranks that have joined on certain threads and not left; returns whether there are any. */
    private boolean failRanks(Predicate<Thread> joinedOn, RankFailure.Reason reason) {
        boolean any = false;
        for (int index = 0; index < joined.length && leaving < joined.length; index++) { // then the memory is there
            int rank = environment.firstRank() + index;
            if (joined[index] != null && joinedOn.test(joined[index])
                    && file.node().state(rank) == NodeLayout.JOINED) {
                any |= file.node().markFailed(RankFailure.saidSo(rank, reason));
            }
        }
        return any;
    }

    /** Whether a rank of this process, which a launcher has started, has joined its job and not left it. */
    static boolean hasNotLeft(int index) {
        synchronized (LOCK) {
            return instance != null && instance.launched
                    && instance.file.node().state(instance.environment.firstRank() + index) == NodeLayout.JOINED;
        }
    }

    /** What {@link RankProcess} does before a rank's program begins, on its thread. */
    static void begin(int index) {
        synchronized (LOCK) {
            if (instance != null) {
                instance.file.node().threads().add(instance.environment.firstRank() + index);
            }
        }
    }

    /** What {@link RankProcess} does when a rank's program has thrown. */
    static void markFailed(int index) {
        synchronized (LOCK) {
            if (instance != null && instance.launched) {
                instance.file.node().markFailed(RankFailure.threw(instance.environment.firstRank() + index));
            }
        }
    }

    /** What {@link RankProcess} does when a rank's program has thrown because of another rank. */
    static void markMissed(int index, int missed) {
        synchronized (LOCK) {
            if (instance != null && instance.launched && missed >= 0 && missed < instance.file.node().size()
                    && instance.file.node().state(missed) != NodeLayout.FAILED) {
                instance.file.node().markMissed(instance.environment.firstRank() + index, missed);
            }
        }
    }

    /** Tells other nodes what this process knows of failures, before it ends and is taken for the first one. */
    static void spreadNews() {
        synchronized (LOCK) {
            if (instance != null && instance.network != null && instance.leaving < instance.joined.length) {
                instance.network.gossip().spread();
            }
        }
    }
}
