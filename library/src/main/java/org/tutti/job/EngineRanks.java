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
 * Runs ranks of a job on threads of an engine, such as Spark. The engine has started this process, runs tasks of its
 * own in it, and keeps it when the job has ended. A process may have any ranks of a job. It may have any number of
 * jobs, one after the other or at the same time. Only environment variables about the way in which a job runs
 * (algorithms, rails, limits) have an effect. The engine's module determines the ranks in these steps:
 *
 * <ol>
 * <li>It asks each process for its {@link #memoryIdentity}, a text that is equal in processes that can share memory.
 * Processes with equal texts form a node.
 * <li>Each process creates an object of this class, which opens the process's memory and connections for the job.
 * <li>If there are several nodes, the module passes the {@link #rendezvous}, the address of rank 0's process, to all
 * other processes.
 * <li>It runs or abandons each rank on a thread of the rank's own. When the last rank has ended, the process frees its
 * memory, connections and threads of the job.
 * </ol>
 */
public final class EngineRanks {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    /** The memory identity of this process if no other process can share its memory. */
    private static final String OWN = UUID.randomUUID().toString();

    private final JobEnvironment environment;
    private final ProcessPart part;
    private final long deadlineNanos;

    /**
     * The code that a rank runs.
     *
     * @param <R> the type of the result
     */
    @FunctionalInterface
    public interface Body<R> {
        /**
         * Runs one rank.
         *
         * @param job the job, as this rank sees it; it is closed when this method returns
         * @return the result
         * @throws Exception if the rank fails
         */
        R run(Job job) throws Exception;
    }

    /**
     * Opens the memory and the connections that this process's ranks use in a job.
     *
     * @param shape the name and size of the job, and this node's part of it; no other job may have the name
     * @param firstRank the lowest rank that runs in this process
     * @param ranks the number of ranks in this process
     * @param secret the secret that the job's processes share
     * @throws org.tutti.JobStartException if the environment is wrong
     * @throws org.tutti.NodeMemoryException if there is too little memory
     */
    public EngineRanks(NodeShape shape, int firstRank, int ranks, Secret secret) {
        this.environment = JobEnvironment.ofEngine(shape, firstRank, ranks);
        this.deadlineNanos = System.nanoTime() + environment.joinTimeoutMillis() * 1_000_000;
        NodeAccess access = ranks == shape.nodeRanks() ? new PrivateNode(shape, secret)
                : NodeFile.join(environment, () -> secret, deadlineNanos);
        this.part = new ProcessPart(environment, access, ProcessPart.Fate.LENT, deadlineNanos);
    }

    /**
     * Returns a text that identifies the memory that this process can share with others. Processes with equal texts
     * form a node.
     *
     * @return the boot of the host, the directory of memory files, and the user; a unique text if no memory can be
     *         shared
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
            // the system has no such file: the process keeps its memory to itself
        }
        return OWN;
    }

    /** {@return the time within which all ranks of a job must join, from the environment, in milliseconds} */
    public static long joinTimeoutMillis() {
        return JobEnvironment.ofEngine(NodeShape.single("any", 1), 0, 1).joinTimeoutMillis();
    }

    /**
     * Returns whether a failure is only a consequence of another rank's failure.
     *
     * @param failure the exception of a rank
     * @return true if the exception, or one of its causes, was thrown only because of what another rank did
     */
    public static boolean isSecondary(Throwable failure) {
        return Failures.isSecondary(failure);
    }

    /**
     * Returns the rank that caused a failure.
     *
     * @param failure the exception of a rank
     * @return the rank in the job that caused the failure; −1 if it is unknown, or if the failure is itself a first
     *             cause
     */
    public static int culprit(Throwable failure) {
        return Failures.culprit(failure);
    }

    /**
     * {@return the address of rank 0's process as {@code address:port}; empty if the job has one node, or if rank 0
     * runs in another process and its address was not published here}
     */
    public Optional<String> rendezvous() {
        return part.node().rendezvous();
    }

    /**
     * Passes the address of rank 0's process to this process, so that its node can connect there. Only the first
     * call has an effect.
     *
     * @param rendezvous the result of {@link #rendezvous} in rank 0's process
     */
    public void publishRendezvous(String rendezvous) {
        part.node().publishRendezvous(rendezvous);
    }

    /**
     * Joins the job as one of its ranks on this thread, waits until all ranks have joined, runs the body, and leaves
     * the job. While the body runs, {@link org.tutti.Tutti#join()} on this thread returns the job.
     *
     * @param <R> the type of the result
     * @param rank one of this process's ranks, which has not run before
     * @param options the job's deadline, and the sizes of the groups of ranks inside a node
     * @param wanted an action that is run repeatedly until all ranks have joined; it throws if the job is no longer
     *            wanted
     * @param body the code to run
     * @return the result
     * @throws Exception the exception of the body; the other ranks have been told of the failure before
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
     * Declares that a rank of this process will not run. Ranks that wait for it fail.
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
