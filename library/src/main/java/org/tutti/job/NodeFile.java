/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;

import org.tutti.JobStartException;
import org.tutti.NodeMemoryException;
import org.tutti.memory.FileMemory;

/**
 * The memory file of a job on this node: how its processes, and the launcher that watches over them, meet.
 *
 * <p>The launcher makes the file before it starts the ranks; without a launcher the first process does. Each holds a
 * lock on it, by which the others know that it lives. As soon as all ranks have joined, the file's name is removed.
 * Files that were left behind by a job whose processes were all killed before that are swept by the next job.
 */
public final class NodeFile implements AutoCloseable {
    private static final String PREFIX = "tutti-";
    private static final String SUFFIX = ".node";
    private static final int LAUNCHER = 0;
    private static final Set<Path> OPEN = Collections.synchronizedSet(new HashSet<>());

    private final Path path;
    private final FileMemory memory;
    private final Node node;
    private boolean closed;

    private NodeFile(Path path, FileMemory memory, Node node) {
        this.path = path;
        this.memory = memory;
        this.node = node;
        OPEN.add(path);
    }

    /**
     * Makes the file for a job, for the launcher.
     *
     * @param directory where, on a memory file system
     * @param job the job's name
     * @param size the job's ranks
     * @return the file
     * @throws NodeMemoryException when it cannot be made, or has too little room
     */
    public static NodeFile create(Path directory, String job, int size) {
        sweep(directory);
        Path path = path(directory, job);
        while (true) {
            try {
                return create(path, size, LAUNCHER);
            } catch (FileAlreadyExistsException e) {
                throw new NodeMemoryException("a job named " + job + " is running already, as " + path
                        + " exists; choose another name", e);
            } catch (NoSuchFileException _) {
                continue; // swept by another job just after it was made
            }
        }
    }

    /**
     * Makes the file, or opens it when it is there, for a process that has a rank.
     *
     * @param environment what the process was told
     * @param deadlineNanos until when to try
     * @return the file
     */
    static NodeFile join(JobEnvironment environment, long deadlineNanos) {
        sweep(environment.memory());
        Path path = path(environment.memory(), environment.job());
        int participant = participant(environment.firstRank());
        while (true) {
            try {
                return create(path, environment.size(), participant);
            } catch (FileAlreadyExistsException | NoSuchFileException _) {
                try {
                    return open(path, environment, participant);
                } catch (NoSuchFileException gone) {
                    if (System.nanoTime() - deadlineNanos > 0) {
                        throw new NodeMemoryException("the file " + path + " comes and goes; is another job named "
                                + environment.job() + " starting again and again?", gone);
                    }
                }
            }
        }
    }

    /**
     * Opens the file that the launcher has made, for a process that it has started.
     *
     * @param environment what the process was told
     * @return the file
     */
    static NodeFile joinLaunched(JobEnvironment environment) {
        Path path = path(environment.memory(), environment.job());
        try {
            return open(path, environment, participant(environment.firstRank()));
        } catch (NoSuchFileException e) {
            throw new JobStartException("rank " + environment.firstRank() + " cannot join job " + environment.job()
                    + ": the launcher's memory file " + path + " is gone, and so is probably the launcher");
        }
    }

    private static NodeFile create(Path path, int size, int participant)
            throws FileAlreadyExistsException, NoSuchFileException {
        FileMemory memory = FileMemory.create(path, NodeLayout.bytes(size), participant);
        try {
            Node node = Node.create(memory, FileMemory.FIRST_BLOCK, size, participant == LAUNCHER);
            memory.publish();
            return new NodeFile(path, memory, node);
        } catch (FileAlreadyExistsException | NoSuchFileException | RuntimeException e) {
            memory.discard();
            throw e;
        }
    }

    private static NodeFile open(Path path, JobEnvironment environment, int participant) throws NoSuchFileException {
        FileMemory memory = FileMemory.open(path, participant);
        if (memory == null) {
            throw new JobStartException("rank " + environment.firstRank() + " cannot join job " + environment.job()
                    + ": another process has that rank; give every rank its own " + JobEnvironment.RANK);
        }
        Node node = Node.open(memory, FileMemory.FIRST_BLOCK);
        if (node.size() != environment.size()) {
            memory.close();
            throw new JobStartException("rank " + environment.firstRank() + " cannot join job " + environment.job()
                    + ": it was started with " + node.size() + " ranks, not " + environment.size() + "; set the same "
                    + JobEnvironment.SIZE + " for all ranks");
        }
        return new NodeFile(path, memory, node);
    }

    private static Path path(Path directory, String job) {
        return directory.toAbsolutePath().resolve(PREFIX + job + SUFFIX);
    }

    /** The locks of processes follow the launcher's, by first rank. */
    private static int participant(int firstRank) {
        return LAUNCHER + 1 + firstRank;
    }

    /** Removes the files of jobs that nobody is part of any more. */
    private static void sweep(Path directory) {
        try (var files = Files.newDirectoryStream(directory.toAbsolutePath(), PREFIX + "*" + SUFFIX + "*")) {
            for (Path file : files) {
                if (!OPEN.contains(file)) {
                    sweepIfUnused(file);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new NodeMemoryException("the directory " + directory + " for shared memory cannot be read (" + e
                    + "); name another one in " + JobEnvironment.MEMORY, e);
        }
    }

    private static void sweepIfUnused(Path file) {
        try {
            FileMemory.deleteIfUnused(file);
        } catch (IOException _) {
            return; // another user's, or gone meanwhile: not ours to sweep
        }
    }

    Node node() {
        return node;
    }

    // ---- what the launcher asks

    /**
     * Tells whether a rank has joined the job, whatever became of it then.
     *
     * @param rank the rank
     * @return whether it has
     */
    public boolean hasJoined(int rank) {
        return node.processIdentifier(rank) != 0 && node.state(rank) != NodeLayout.ABSENT;
    }

    /**
     * Tells whether a rank has left the job properly.
     *
     * @param rank the rank
     * @return whether it has
     */
    public boolean hasLeft(int rank) {
        return node.state(rank) == NodeLayout.LEFT;
    }

    /**
     * Says that a rank has failed, unless it has left properly: the calls of the others end at once.
     *
     * @param rank the rank
     */
    public void markFailed(int rank) {
        node.markFailed(rank);
    }

    /**
     * {@return the rank that failed first, or −1}
     */
    public int firstFailedRank() {
        return node.firstFailedRank();
    }

    /**
     * {@return the status that the job was aborted with, if it was}
     */
    public OptionalInt abortStatus() {
        return node.abortStatus() < 0 ? OptionalInt.empty() : OptionalInt.of(node.abortStatus());
    }

    /**
     * {@return the rank that aborted the job, when one did}
     */
    public int abortRank() {
        return node.abortRank();
    }

    // ---- life and death

    /** Tells whether the process with a certain first rank lives. */
    boolean livesProcess(int firstRank) throws IOException {
        return memory.isHeld(participant(firstRank));
    }

    /** Tells whether the launcher lives. */
    boolean livesLauncher() throws IOException {
        return memory.isHeld(LAUNCHER);
    }

    /** Removes the file's name, when all ranks have the file. */
    void unlink() {
        memory.unlink();
    }

    /**
     * Removes the file's name and gives the memory back. Closing again has no effect.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            memory.unlink();
            memory.close();
            OPEN.remove(path);
        }
    }
}
