/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.tutti.JobStartException;
import org.tutti.NodeMemoryException;
import org.tutti.collective.calls.RankRecord;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.memory.FileMemory;
import org.tutti.memory.FileReason;
import org.tutti.memory.OwnFile;

/**
 * The file that holds the shared memory of a job on this node. Through it the job's processes find each other, and the
 * launcher that watches over them.
 *
 * <p>The launcher makes the file before it starts the ranks. Without a launcher the first process makes it. Each
 * process holds a lock on the file, which shows the other processes that it lives. When all ranks have joined, the
 * file's name is removed. If all processes of a job are killed before that, the file stays, and the next job of the
 * same user removes it. Files of other users have other names, and are never opened.
 */
public final class NodeFile implements NodeAccess {
    /** The greatest length of {@link #rendezvous}, in characters. */
    public static final int RENDEZVOUS_LENGTH_MAX = NodeLayout.RENDEZVOUS_TEXT_MAX;

    private static final String PREFIX = "tutti-";
    private static final String SUFFIX = ".node";
    private static final int LAUNCHER = 0;
    /** The longest time that killed processes take to end, and other processes to notice their end. */
    private static final long ENDING_NANOS_MAX = 2_000_000_000L;

    private static final long RETRY_NANOS = 10_000_000;

    private final FileMemory memory;
    private final Node node;
    private boolean closed;

    private NodeFile(FileMemory memory, Node node) {
        this.memory = memory;
        this.node = node;
    }

    /**
     * Creates the memory file of a job on this node. The launcher calls this method before it starts the ranks.
     *
     * @param directory the file's directory, on a memory file system
     * @param shape the name and size of the job, and this node's part of it
     * @param secret the secret that the job's processes share
     * @return the file
     * @throws NodeMemoryException if the file cannot be made, or the directory has too little room
     */
    public static NodeFile create(Path directory, NodeShape shape, Secret secret) {
        sweep(directory);
        Path path = path(directory, shape);
        try {
            return create(path, shape, secret, LAUNCHER);
        } catch (FileAlreadyExistsException e) {
            throw new NodeMemoryException("a job named " + shape.job() + " is running already, as " + path
                    + " exists; start this one again, which gives it another name", e);
        }
    }

    /**
     * Opens the memory file of a job without a launcher, for a process with ranks of the job. Creates the file if it
     * does not exist.
     *
     * <p>The process may find an old file that it cannot use but that is about to vanish. Another process may just be
     * removing the file, or the last processes of a job of the same name may just have been killed. Therefore this
     * method retries for a while.
     *
     * @param environment the environment variables of the process
     * @param deadlineNanos the time after which this method no longer retries
     * @return the file
     */
    public static NodeFile join(JobEnvironment environment, long deadlineNanos) {
        return join(environment, () -> secret(environment), deadlineNanos);
    }

    /**
     * Opens the memory file of a job for a process that gets the job's secret from its engine, or creates the file if
     * it does not exist. Retries as {@link #join(JobEnvironment, long)} does.
     *
     * @param environment the environment variables of the process
     * @param secret the supplier of the job's secret, which is called if this process creates the file
     * @param deadlineNanos the time after which this method no longer retries
     * @return the file
     */
    public static NodeFile join(JobEnvironment environment, Supplier<Secret> secret, long deadlineNanos) {
        sweep(environment.memory());
        Path path = path(environment.memory(), environment.shape());
        long startNanos = System.nanoTime();
        long patienceNanos = Math.min(deadlineNanos - startNanos, ENDING_NANOS_MAX);
        while (true) {
            try {
                return openUnjoined(path, environment);
            } catch (JobStartException refused) {
                refuseInsideRank(path, environment);
                if (System.nanoTime() - startNanos > patienceNanos) {
                    throw refused;
                }
                LockSupport.parkNanos(RETRY_NANOS);
            } catch (NoSuchFileException _) {
                refuseInsideRank(path, environment);
                long now = System.nanoTime();
                if (isRunning(path, environment, now - startNanos > patienceNanos, now - deadlineNanos > 0)) {
                    LockSupport.parkNanos(RETRY_NANOS);
                    continue;
                }
                try {
                    return create(path, environment.shape(), secret.get(), participant(environment.firstRank()));
                } catch (FileAlreadyExistsException there) {
                    if (System.nanoTime() - deadlineNanos > 0) {
                        throw new NodeMemoryException("the file " + path + " comes and goes; is another job named "
                                + environment.job() + " starting again and again?", there);
                    }
                }
            }
        }
    }

    /**
     * Opens the memory file that the launcher has made. A process that the launcher has started calls this method.
     *
     * @param environment the environment variables of the process
     * @return the file
     */
    public static NodeFile joinLaunched(JobEnvironment environment) {
        Path path = path(environment.memory(), environment.shape());
        try {
            return open(path, environment);
        } catch (NoSuchFileException e) {
            throw new JobStartException("rank " + environment.firstRank() + " cannot join job " + environment.job()
                    + ": the launcher's memory file " + path + " is gone, and so is probably the launcher");
        }
    }

    /**
     * Returns the secret of a job without a launcher, from the file that the environment names. A job of one node needs
     * no secret, and gets a random one.
     */
    private static Secret secret(JobEnvironment environment) {
        if (environment.shape().nodes() == 1) {
            return Secret.random();
        }
        return Secret.ofFile(environment.secretFile().orElseThrow(() -> new JobStartException("rank "
                + environment.firstRank() + " cannot join a job on " + environment.shape().nodes()
                + " nodes without a secret; make a file of 32 random bytes on every node (head -c 32 /dev/urandom > "
                + "FILE; chmod 600 FILE) and name it in " + JobEnvironment.SECRET_FILE)), environment.job());
    }

    private static NodeFile create(Path path, NodeShape shape, Secret secret, int participant)
            throws FileAlreadyExistsException {
        FileMemory memory = FileMemory.create(path, NodeLayout.bytes(shape.size()), participant);
        try {
            Node node = Node.create(memory, FileMemory.FIRST_BLOCK, shape, secret, participant == LAUNCHER);
            memory.publish();
            return new NodeFile(memory, node);
        } catch (FileAlreadyExistsException | RuntimeException e) {
            memory.discard();
            throw e;
        }
    }

    /**
     * Throws an exception if an ancestor of this process is part of the job. In that case a rank of the job has started
     * this process, which has inherited the rank's environment variables but is not the rank. When all ranks have
     * joined, the file has no name any more. This process would then create another file, and wait there in vain for
     * the other ranks.
     */
    private static void refuseInsideRank(Path path, JobEnvironment environment) {
        MappedFile file = MappedFile.of(path);
        Stream.iterate(ProcessHandle.current().parent(), Optional::isPresent, each -> each.get().parent())
                .map(Optional::get).filter(file::isMappedBy).map(ProcessHandle::pid).findFirst()
                .ifPresent(process -> {
                    throw new JobStartException("this process cannot join job " + environment.job() + " as rank "
                            + environment.firstRank() + ": process " + process + ", which has started it, is in that "
                            + "job; start it without the variables of the job (" + JobEnvironment.JOB + ", or those "
                            + "of srun or mpirun) to have a job of its own");
                });
    }

    /**
     * Returns whether a running job of the same name has already removed the name of its file, or another process is
     * making the file. This process must not create a new file then, because it would wait there in vain for the other
     * ranks.
     *
     * @param isPast whether such a job has had the time to end, so that this method throws an exception if it runs
     * @param isOverdue whether this process must no longer wait for a process that makes the file either
     */
    private static boolean isRunning(Path path, JobEnvironment environment, boolean isPast, boolean isOverdue) {
        MappedFile file = MappedFile.of(path);
        Optional<ProcessHandle> part = ProcessHandle.allProcesses()
                .filter(each -> !each.equals(ProcessHandle.current()) && file.isMappedBy(each)).findFirst();
        if (part.isPresent() && isPast && (isOverdue || !file.isBeingMadeBy(part.get()))) {
            throw new JobStartException("rank " + environment.firstRank() + " cannot join job " + environment.job()
                    + ": a job of that name is running already, and process " + part.get().pid()
                    + " is part of it; end it, or give this one another name (" + JobEnvironment.JOB + ")");
        }
        return part.isPresent();
    }

    /** Opens the file, and throws if the rank was part of the job before. */
    private static NodeFile openUnjoined(Path path, JobEnvironment environment) throws NoSuchFileException {
        NodeFile file = open(path, environment);
        int rank = environment.firstRank();
        if (file.node.state(rank) != NodeLayout.ABSENT) {
            long process = file.node.processIdentifier(rank);
            file.memory.close(); // the name stays: other processes use it
            throw new JobStartException("rank " + rank + " cannot join job " + environment.job()
                    + ": it was part of it before, as process " + process
                    + ", and others still are; end them, and start the whole job again");
        }
        return file;
    }

    private static NodeFile open(Path path, JobEnvironment environment) throws NoSuchFileException {
        FileMemory memory = FileMemory.open(path, participant(environment.firstRank()));
        if (memory == null) {
            throw new JobStartException("rank " + environment.firstRank() + " cannot join job " + environment.job()
                    + ": another process has that rank; give every rank its own " + JobEnvironment.RANK);
        }
        Node node = Node.open(memory, FileMemory.FIRST_BLOCK);
        NodeShape shape = node.shape(environment.job());
        if (!shape.equals(environment.shape())) {
            memory.close();
            throw new JobStartException("rank " + environment.firstRank() + " cannot join job " + environment.job()
                    + ": it was started with " + describe(shape) + ", not " + describe(environment.shape())
                    + "; set the same " + JobEnvironment.SIZE + ", " + JobEnvironment.NODES + " and, on a node, "
                    + JobEnvironment.NODE_RANKS + " for all ranks");
        }
        return new NodeFile(memory, node);
    }

    private static String describe(NodeShape shape) {
        return shape.size() + " ranks" + (shape.nodes() == 1 ? ""
                : " on " + shape.nodes() + " nodes and " + shape.nodeRanks() + " of them on node " + shape.node());
    }

    private static Path path(Path directory, NodeShape shape) {
        return directory.toAbsolutePath().resolve(PREFIX + shape.job() + "." + user() + "." + shape.node() + SUFFIX);
    }

    /**
     * Returns the number of the user, which is part of the file's name, so that jobs of different users may have the
     * same name.
     */
    private static int user() {
        try {
            return OwnFile.user();
        } catch (IOException e) {
            throw new NodeMemoryException("the kernel does not tell the user of this process ("
                    + FileReason.of(e) + "), whose files it may trust; mount /proc", e);
        }
    }

    /**
     * Returns the number of a process's lock on the file. The launcher's lock is the first. Those of the processes
     * follow in the order of their first ranks.
     */
    private static int participant(int firstRank) {
        return LAUNCHER + 1 + firstRank;
    }

    /** Removes the files of this user's jobs that no process has open any more. */
    private static void sweep(Path directory) {
        String names = PREFIX + "*." + user() + ".*" + SUFFIX + "*";
        try (var files = Files.newDirectoryStream(directory.toAbsolutePath(), names)) {
            files.forEach(NodeFile::sweepIfUnused);
        } catch (DirectoryIteratorException e) {
            throw unreadable(directory, e.getCause());
        } catch (IOException e) {
            throw unreadable(directory, e);
        }
    }

    private static NodeMemoryException unreadable(Path directory, IOException cause) {
        return new NodeMemoryException("the directory " + directory + " for shared memory cannot be read ("
                + FileReason.of(cause) + "); name another one in " + JobEnvironment.MEMORY, cause);
    }

    private static void sweepIfUnused(Path file) {
        try {
            FileMemory.deleteIfUnused(file);
        } catch (IOException _) {
            return; // the file has another owner, or is gone meanwhile
        }
    }

    @Override
    public Node node() {
        return node;
    }

    // ---- questions of the launcher

    /**
     * Returns whether a rank has joined the job, even if it has left or failed since.
     *
     * @param rank a rank of the job
     * @return true if the rank has joined
     */
    public boolean hasJoined(int rank) {
        return node.processIdentifier(rank) != 0 && node.state(rank) != NodeLayout.ABSENT;
    }

    /**
     * Returns whether a rank has left the job without a failure.
     *
     * @param rank a rank of the job
     * @return true if the rank has left
     */
    public boolean hasLeft(int rank) {
        return node.state(rank) == NodeLayout.LEFT;
    }

    /**
     * Marks a rank as failed, because the launcher knows of its failure. The calls of the other ranks then end
     * immediately. Has no effect if the rank has left the job.
     *
     * @param failure the rank, and the reason of its failure
     */
    public void markFailed(RankFailure failure) {
        node.markFailed(failure);
    }

    /**
     * Returns the rank without which a rank of this node could not go on. The rank of this node has recorded it, and
     * has ended only for this reason.
     *
     * @param rank a rank of this node
     * @return the missed rank, which has not failed, but has left the job, or has closed or broken a communicator; −1
     *         if the rank of this node has recorded none
     */
    public int missed(int rank) {
        return node.missed(rank);
    }

    /** {@return the failure of the rank that failed first, if a rank has failed} */
    public Optional<RankFailure> firstFailure() {
        return node.firstFailure();
    }

    /** {@return the status of the abort, if the job was aborted} */
    public OptionalInt abortStatus() {
        return node.abortStatus() < 0 ? OptionalInt.empty() : OptionalInt.of(node.abortStatus());
    }

    /**
     * {@return the rank that aborted the job; only if the job was aborted}
     */
    public int abortRank() {
        return node.abortRank();
    }

    /**
     * {@return the address of rank 0's process as {@code address:port}, once that process has published it; always
     * empty in a job of one node}
     */
    public Optional<String> rendezvous() {
        return node.rendezvous();
    }

    /**
     * Publishes the address of rank 0's process to the processes of this node. Only the first call has an effect.
     *
     * @param rendezvous the result of {@link #rendezvous()} on rank 0's node
     */
    public void publishRendezvous(String rendezvous) {
        node.publishRendezvous(rendezvous);
    }

    /**
     * Asks the processes of this node where their ranks are.
     *
     * @return the number of the question, for {@link #answer}
     */
    public synchronized long ask() {
        return closed ? 0 : node.stackQuery().ask();
    }

    /**
     * Returns a process's answer to the question where its ranks are.
     *
     * @param firstRank the first rank of the process
     * @param question the number of the question, which {@link #ask} has returned
     * @return a line of text for each rank of the process, which tells where the rank was when the process answered
     *         this question or a later one; empty if the process has not answered
     */
    public synchronized Optional<String> answer(int firstRank, long question) {
        return closed ? Optional.empty() : node.stackQuery().answer(firstRank, question);
    }

    /**
     * Returns a copy of the record of a rank: its last calls, and counts of all calls.
     *
     * @param rank a rank of the job
     * @return the copy, for {@link RankRecord#of}; empty if the rank has not joined on this node, or the file is closed
     */
    public synchronized Optional<byte[]> record(int rank) {
        return closed ? Optional.empty() : node.record(rank).map(RankRecord::copy);
    }

    // ---- life and death

    /** Returns whether the process with a certain first rank lives. */
    @Override
    public boolean livesProcess(int firstRank) throws IOException {
        return memory.isHeld(participant(firstRank));
    }

    /** Returns whether the launcher lives. */
    @Override
    public boolean livesLauncher() throws IOException {
        return memory.isHeld(LAUNCHER);
    }

    /** Removes the file's name, because all ranks have the file. */
    @Override
    public void unlink() {
        memory.unlink();
    }

    /** Removes the file's name and releases the memory. Closing again has no effect. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try {
                memory.unlink();
            } finally {
                memory.close();
            }
        }
    }
}
