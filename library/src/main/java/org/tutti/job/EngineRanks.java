/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import org.tutti.Job;
import org.tutti.JobOptions;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.NodeAccess;
import org.tutti.job.node.NodeFile;
import org.tutti.job.node.PrivateNode;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.memory.OwnFile;

/**
 * Ranks on threads of an engine, such as Spark: the engine has started this process, runs tasks of its own in it, and
 * keeps it when the job has ended. A process may have any ranks of a job, and any number of jobs, one after the other
 * and at once. Nothing of the environment is needed but what says how (algorithms, rails, limits); who takes part, the
 * engine's module says:
 *
 * <ol>
 * <li>it asks each process for {@link #memoryIdentity}, and makes a node of those that have the same one;
 * <li>each process opens its part;
 * <li>with several nodes, what {@link #rendezvous} says at the process of rank 0 is published at all others;
 * <li>each rank runs, or is abandoned, on a thread of its own. With the last one all that the process had of the job is
 * given back: memory, connections, threads.
 * </ol>
 */
public final class EngineRanks {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    /** What this process's memory is called when no other process can share it. */
    private static final String OWN = UUID.randomUUID().toString();

    private final JobEnvironment environment;
    private final ProcessPart part;
    private final long deadlineNanos;

    /**
     * What a rank runs.
     *
     * @param <R> what comes of it
     */
    @FunctionalInterface
    public interface Body<R> {
        /**
         * Runs one rank.
         *
         * @param job the job, as this rank sees it; it is closed when this returns
         * @return what comes of it
         * @throws Exception when the rank fails
         */
        R run(Job job) throws Exception;
    }

    /**
     * Opens a process's part in a job.
     *
     * @param shape the job, whose name no other one has, and this node's part of it
     * @param firstRank the lowest rank that runs in this process
     * @param ranks how many run in this process
     * @param secret the job's secret
     * @throws org.tutti.JobStartException when the environment is wrong
     * @throws org.tutti.NodeMemoryException when there is too little memory
     */
    public EngineRanks(NodeShape shape, int firstRank, int ranks, Secret secret) {
        this.environment = JobEnvironment.ofEngine(shape, firstRank, ranks);
        this.deadlineNanos = System.nanoTime() + environment.joinTimeoutMillis() * 1_000_000;
        NodeAccess access = ranks == shape.nodeRanks() ? new PrivateNode(shape, secret)
                : NodeFile.join(environment, () -> secret, deadlineNanos);
        this.part = new ProcessPart(environment, access, ProcessPart.Fate.LENT, deadlineNanos);
    }

    /**
     * Says which memory this process can share with others: processes with the same text make a node.
     *
     * @return the host since its start, the directory of memory files in it, and the user; a text that no other
     *         process has when no memory can be shared
     */
    public static String memoryIdentity() {
        return memoryIdentity(
                Path.of(Optional.ofNullable(System.getenv(JobEnvironment.MEMORY)).orElse("/dev/shm")));
    }

    static String memoryIdentity(Path directory) {
        try {
            if (Files.isWritable(directory)) {
                Map<String, Object> place = Files.readAttributes(directory, "unix:dev,ino");
                return Files.readString(BOOT).strip() + " " + place.get("dev") + " " + place.get("ino") + " "
                        + OwnFile.user();
            }
        } catch (IOException | UnsupportedOperationException _) {
            // a system that does not tell: memory of its own does as well
        }
        return OWN;
    }

    /**
     * {@return how long the ranks of a job may take to come, as the environment says, in milliseconds}
     */
    public static long joinTimeoutMillis() {
        return JobEnvironment.ofEngine(NodeShape.single("any", 1), 0, 1).joinTimeoutMillis();
    }

    /**
     * Tells causes from consequences.
     *
     * @param failure what a rank threw
     * @return whether it, or a cause of it, only says what another rank did
     */
    public static boolean isSecondary(Throwable failure) {
        return Failures.isSecondary(failure);
    }

    /**
     * Says whose consequence a failure is.
     *
     * @param failure what a rank threw
     * @return the rank of the job because of which it threw that; −1 if that is unknown, or the failure is a cause
     */
    public static int culprit(Throwable failure) {
        return Failures.culprit(failure);
    }

    /**
     * {@return where the process of rank 0 listens, as {@code address:port}: at this process if it is the one, and
     *         where it has been published; empty with one node}
     */
    public Optional<String> rendezvous() {
        return part.node().rendezvous();
    }

    /**
     * Takes note of where the process of rank 0 listens. Only the first time has an effect.
     *
     * @param rendezvous what {@link #rendezvous} said there
     */
    public void publishRendezvous(String rendezvous) {
        part.node().publishRendezvous(rendezvous);
    }

    /**
     * Joins the job as one of its ranks on this thread, waits until all have, runs, and leaves. On this thread
     * {@link org.tutti.Tutti#join()} returns the job.
     *
     * @param <R> what comes of it
     * @param rank one of this process's ranks, which has not run before
     * @param options the job's deadline and levels
     * @param wanted called again and again until all have joined; throws when nobody wants the job any more
     * @param body what it runs
     * @return what comes of it
     * @throws Exception what the body threw, of which the other ranks have heard
     */
    public <R> R run(int rank, JobOptions options, Runnable wanted, Body<R> body) throws Exception {
        int[] levels;
        try {
            levels = JobEnvironment.levels(System.getenv(), options);
        } catch (RuntimeException e) {
            abandon(rank);
            throw e;
        }
        try (LiveJob job = part.join(rank, deadlineNanos, levels, options, wanted)) {
            try {
                return LocalRanks.callAs(job, () -> body.run(job));
            } catch (Throwable failure) {
                part.fail(rank, RankFailure.Reason.THREW);
                part.spreadNews();
                throw failure;
            }
        }
    }

    /**
     * Says that a rank of this process will not run: those that wait for it fail.
     *
     * @param rank one of this process's ranks, which has not run before
     */
    public void abandon(int rank) {
        try {
            part.fail(rank, RankFailure.Reason.THREW);
            part.spreadNews();
        } finally {
            part.leave();
        }
    }
}
