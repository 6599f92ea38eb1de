/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

import org.tutti.NodeMemoryException;

/**
 * The memory of ranks in several processes: one file on a memory file system, mapped whole by each process.
 *
 * <pre>
 *  byte 0         64          128                                claimed                capacity
 *   +-------------+-----------+----------------+----------------+----------------------+
 *   | ready word  | claimed   | first block    | more blocks …  | nothing yet (sparse) |
 *   | (line)      | word      | (the node's)   |                |                      |
 *   +-------------+-----------+----------------+----------------+----------------------+
 * </pre>
 *
 * <p>The file is sparse and as long as it may ever become: the size of its file system. So it is mapped once, addresses
 * are offsets, and a block that is claimed late is there for everybody at once. Touching a page that a full file system
 * cannot provide would kill the process; therefore whoever claims a block first writes zeros to it through the file,
 * which fails with an ordinary error. The claimed word is added to by many; a block is known to others only after its
 * owner has written it.
 *
 * <p>Writing uses a {@link RandomAccessFile}, because the interrupt of a thread closes a channel that it writes to.
 *
 * <p>A process that uses the file holds a lock on a byte beyond its end, one byte for each participant. The kernel
 * drops it when the process ends, in whatever way: so the others know who lives, without regard to process numbers. (A
 * process loses its locks when it closes any descriptor of the file. It must never open the file twice.)
 */
public final class FileMemory extends Memory {
    /** The address of the block that the creator asked for. */
    public static final long FIRST_BLOCK = 2L * Words.LINE_BYTES;

    private static final long READY = 0;
    private static final long CLAIMED = Words.LINE_BYTES;
    private static final long READY_VALUE = 0x5455_5454_4900_0001L; // "TUTTI", layout 1
    private static final long CAPACITY_MAX = 1L << 40;
    private static final long LOCKS = 1L << 62;
    private static final Path SELF = Path.of("/proc/self");
    private static final int PAGE_BYTES = 4096;
    private static final int CLAIM_PIECE_BYTES = 1 << 18;
    private static final long POLL_MILLIS = 1;

    private final Path path;
    private final RandomAccessFile file;
    private final Arena arena;
    private final MemorySegment mapping;

    private FileMemory(Path path, RandomAccessFile file, long capacity) throws IOException {
        this.path = path;
        this.file = file;
        this.arena = Arena.ofShared();
        this.mapping = file.getChannel().map(MapMode.READ_WRITE, 0, capacity, arena);
    }

    /**
     * Makes the file, readable and writable by its owner only, and claims its first block. Others can open it only
     * after {@link #publish}.
     *
     * @param path where; no file must be there
     * @param firstBlockBytes the size of the block at {@link #FIRST_BLOCK}
     * @param participant the participant whose lock this process holds from now on
     * @return the memory
     * @throws FileAlreadyExistsException when a file is there already
     * @throws NodeMemoryException when the file cannot be made
     */
    public static FileMemory create(Path path, long firstBlockBytes, int participant)
            throws FileAlreadyExistsException {
        try {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (IOException e) {
            throw unusable(path, e);
        }
        RandomAccessFile file = null;
        try {
            file = new RandomAccessFile(path.toFile(), "rw");
            long capacity = Math.min(CAPACITY_MAX, path.toFile().getTotalSpace()) & -PAGE_BYTES;
            file.getChannel().lock(LOCKS + participant, 1, false);
            file.write(new byte[PAGE_BYTES]);
            file.setLength(Math.max(capacity, PAGE_BYTES));
            FileMemory memory = new FileMemory(path, file, file.length());
            Words.store(memory.mapping, CLAIMED, FIRST_BLOCK);
            memory.claim(firstBlockBytes, "the ranks' words");
            return memory;
        } catch (IOException | NodeMemoryException e) {
            deleteQuietly(path, e);
            closeQuietly(file, e);
            throw e instanceof NodeMemoryException known ? known : unusable(path, (IOException) e);
        }
    }

    /**
     * Lets others open the file: the first block is filled in.
     */
    public void publish() {
        Words.store(mapping, READY, READY_VALUE);
    }

    /**
     * Opens the file that another process has made, and waits until that one has published it.
     *
     * @param path where
     * @param participant the participant whose lock this process holds from now on
     * @param deadlineNanos when to give up, in terms of {@link System#nanoTime()}
     * @return the memory, or null when the participant's lock is held by another process
     * @throws NoSuchFileException when no file is there, any more
     * @throws NodeMemoryException when the file cannot be used, or is not published in time
     */
    public static FileMemory open(Path path, int participant, long deadlineNanos) throws NoSuchFileException {
        RandomAccessFile file = null;
        try {
            checkOwned(path);
            file = new RandomAccessFile(path.toFile(), "rw");
            while (file.length() <= PAGE_BYTES) {
                pause(path, deadlineNanos);
            }
            if (file.getChannel().tryLock(LOCKS + participant, 1, false) == null) {
                file.close();
                return null;
            }
            FileMemory memory = new FileMemory(path, file, file.length());
            while (Words.load(memory.mapping, READY) != READY_VALUE) {
                pause(path, deadlineNanos);
            }
            return memory;
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | NodeMemoryException e) {
            closeQuietly(file, e);
            throw e instanceof NodeMemoryException known ? known : unusable(path, (IOException) e);
        }
    }

    /**
     * Tells whether any process uses a file. This process must not.
     *
     * @param path where
     * @return whether some process holds a lock on it
     * @throws IOException when that cannot be found out
     */
    public static boolean isInUse(Path path) throws IOException {
        checkOwned(path);
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            return file.getChannel().tryLock(LOCKS, Long.MAX_VALUE - LOCKS, false) == null;
        }
    }

    @Override
    public long claim(long bytes, String purpose) {
        long claimed = roundToLines(bytes);
        long address = Words.add(mapping, CLAIMED, claimed);
        try {
            if (address + claimed > mapping.byteSize()) {
                throw new IOException("the file system has " + mapping.byteSize() + " bytes in all");
            }
            byte[] zeros = new byte[(int) Math.min(claimed, CLAIM_PIECE_BYTES)];
            synchronized (file) {
                file.seek(address);
                for (long left = claimed; left > 0; left -= zeros.length) {
                    file.write(zeros, 0, (int) Math.min(left, zeros.length));
                }
            }
            return address;
        } catch (IOException e) {
            throw new NodeMemoryException("no shared memory for " + purpose + ": " + claimed + " bytes were needed in "
                    + path.getParent() + ", which has " + usableBytes() + " bytes left (" + e.getMessage()
                    + "); make it larger, or name another directory in TUTTI_MEMORY", e);
        }
    }

    @Override
    public MemorySegment block(long address, long bytes) {
        return mapping.asSlice(address, bytes);
    }

    /**
     * Tells whether a participant's process lives and uses this file.
     *
     * @param participant the one in question, not held by this process
     * @return whether its lock is held
     * @throws IOException when that cannot be found out
     */
    public boolean isHeld(int participant) throws IOException {
        try {
            FileLock lock = file.getChannel().tryLock(LOCKS + participant, 1, false);
            if (lock != null) {
                lock.release();
            }
            return lock == null;
        } catch (OverlappingFileLockException _) {
            return true; // by this very process
        }
    }

    /**
     * Removes the file's name: from now on nobody can open it, and it vanishes with the last process that has it
     * mapped.
     */
    public void unlink() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    @Override
    public void close() {
        try (file) {
            arena.close();
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static void checkOwned(Path path) throws IOException {
        var attributes = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile() || !attributes.owner().equals(Files.getOwner(SELF))) {
            throw new IOException("it is not a plain file of this user, but of " + attributes.owner());
        }
    }

    private static void pause(Path path, long deadlineNanos) {
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new NodeMemoryException("the file " + path
                    + " was not filled in by the process that made it; see whether that process failed", null);
        }
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new NodeMemoryException("interrupted while waiting for the file " + path, null);
        }
    }

    private long usableBytes() {
        return path.getParent().toFile().getUsableSpace();
    }

    private static NodeMemoryException unusable(Path path, IOException cause) {
        return new NodeMemoryException("the shared memory file " + path + " cannot be used: " + cause
                + "; make its directory writable, or name another one in TUTTI_MEMORY", cause);
    }

    private static void deleteQuietly(Path path, Exception reason) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private static void closeQuietly(RandomAccessFile file, Exception reason) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }
}
