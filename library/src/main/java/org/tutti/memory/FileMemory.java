/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

import org.tutti.NodeMemoryException;

/**
 * The memory of ranks in several processes: one file on a memory file system, mapped whole by each process.
 *
 * <pre>
 *  byte 0         64          128                                claimed                capacity
 *   +-------------+-----------+----------------+----------------+----------------------+
 *   | mark        | claimed   | first block    | more blocks …  | nothing yet (sparse) |
 *   | (line)      | word      | (the node's)   |                |                      |
 *   +-------------+-----------+----------------+----------------+----------------------+
 * </pre>
 *
 * <p>The file is sparse and as long as it may ever become: the size of its file system. So it is mapped once, addresses
 * are offsets, and a block that is claimed late is there for everybody at once. Touching a page that a full file system
 * cannot provide would kill the process; therefore whoever claims a block first writes zeros to it through the file,
 * which fails with an ordinary error. The claimed word is raised by many; a block is known to others only after its
 * owner has published its address.
 *
 * <p>A process that uses the file holds a lock on a byte beyond its end, one byte for each participant. The kernel
 * drops it when the process ends, in whatever way: so the others know who lives, without regard to process numbers. A
 * process loses its locks when it closes any descriptor of the file, so it must never open the file twice.
 *
 * <p>The creator makes, locks and fills the file under another name, and then links it to its own: a file that is
 * visible is complete, and one that nobody has locked is left over.
 */
public final class FileMemory extends Memory {
    /** The address of the block that the creator asked for. */
    public static final long FIRST_BLOCK = 2L * Words.LINE_BYTES;

    private static final long MARK = 0;
    private static final long CLAIMED = Words.LINE_BYTES;
    private static final long MARK_VALUE = 0x5455_5454_4900_0001L; // "TUTTI", layout 1
    private static final long CAPACITY_MAX = 1L << 40;
    private static final long LOCKS = 1L << 62;
    private static final Path SELF = Path.of("/proc/self");
    private static final int PAGE_BYTES = 4096;
    private static final int CLAIM_PIECE_BYTES = 1 << 18;
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path path;
    private final Path made;
    private final Object key;
    private final FileChannel file;
    private final Arena arena;
    private final MemorySegment mapping;

    private FileMemory(Path path, Path made, FileChannel file, long capacity) throws IOException {
        this.path = path;
        this.made = made;
        this.key = key(made);
        this.file = file;
        this.arena = Arena.ofShared();
        this.mapping = file.map(MapMode.READ_WRITE, 0, capacity, arena);
    }

    /**
     * Makes the file, readable and writable by its owner only, and claims its first block. Nobody else sees it before
     * {@link #publish}.
     *
     * @param path where it will be
     * @param firstBlockBytes the size of the block at {@link #FIRST_BLOCK}
     * @param participant the participant whose lock this process holds from now on
     * @return the memory
     * @throws NodeMemoryException when the file cannot be made
     */
    public static FileMemory create(Path path, long firstBlockBytes, int participant) {
        Path made = path.resolveSibling(path.getFileName() + ".new-" + ProcessHandle.current().pid() + "-"
                + Long.toHexString(System.nanoTime()));
        FileMemory memory;
        try {
            memory = Uninterruptible.call(() -> {
                FileChannel file = FileChannel.open(made, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE_NEW), OWNER_ONLY);
                try {
                    file.lock(LOCKS + participant, 1, false);
                    file.write(ByteBuffer.allocate(PAGE_BYTES), 0);
                    return new FileMemory(path, made, file, capacity(made));
                } catch (IOException | RuntimeException e) {
                    Files.deleteIfExists(made);
                    file.close();
                    throw e;
                }
            });
        } catch (IOException e) {
            throw unusable(path, e);
        }
        Words.store(memory.mapping, CLAIMED, FIRST_BLOCK);
        Words.store(memory.mapping, MARK, MARK_VALUE);
        try {
            memory.claim(firstBlockBytes, "the ranks' words");
        } catch (NodeMemoryException e) {
            memory.discard();
            throw e;
        }
        return memory;
    }

    private static long capacity(Path file) {
        long total = file.toFile().getTotalSpace(); // 0: without limit
        return Math.clamp(total == 0 ? CAPACITY_MAX : total, PAGE_BYTES, CAPACITY_MAX) & -PAGE_BYTES;
    }

    /**
     * Lets others open the file: the first block is filled in.
     *
     * @throws FileAlreadyExistsException when another file has the name; this one is of no use then
     * @throws NoSuchFileException when somebody has taken the file for a left-over before it was locked; likewise
     */
    public void publish() throws FileAlreadyExistsException, NoSuchFileException {
        try {
            Files.createLink(path, made);
        } catch (FileAlreadyExistsException | NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw unusable(path, e);
        } finally {
            made.toFile().delete();
        }
    }

    /**
     * Gives up a file that could not be published.
     */
    public void discard() {
        made.toFile().delete();
        close();
    }

    /**
     * Opens the file that another process has made.
     *
     * @param path where
     * @param participant the participant whose lock this process holds from now on
     * @return the memory, or null when the participant's lock is held by another process
     * @throws NoSuchFileException when no file is there, any more
     * @throws NodeMemoryException when the file cannot be used
     */
    public static FileMemory open(Path path, int participant) throws NoSuchFileException {
        try {
            return Uninterruptible.call(() -> {
                FileChannel file = openOwned(path);
                try {
                    if (file.tryLock(LOCKS + participant, 1, false) == null) {
                        file.close();
                        return null;
                    }
                    FileMemory memory = new FileMemory(path, path, file, file.size());
                    if (Words.load(memory.mapping, MARK) != MARK_VALUE) {
                        memory.close();
                        throw new IOException("it is no memory file of this version of Tutti");
                    }
                    return memory;
                } catch (IOException | RuntimeException e) {
                    file.close();
                    throw e;
                }
            });
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /**
     * Removes a file of this user that nobody uses any more. This process must not use it.
     *
     * @param path where
     * @throws IOException when that cannot be found out or done
     */
    public static void deleteIfUnused(Path path) throws IOException {
        Object before = key(path);
        try (FileChannel file = openOwned(path)) {
            // while the lock is held nobody else removes this file; the name must still be its own
            if (file.tryLock(LOCKS, Long.MAX_VALUE - LOCKS, false) != null && key(path).equals(before)) {
                Files.deleteIfExists(path);
            }
        }
    }

    @Override
    public long claim(long bytes, String purpose) {
        long claimed = roundToLines(bytes);
        try {
            long address = reserve(claimed);
            Uninterruptible.call(() -> {
                ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(claimed, CLAIM_PIECE_BYTES));
                for (long at = 0; at < claimed; at += zeros.limit()) {
                    zeros.clear().limit((int) Math.min(claimed - at, zeros.capacity()));
                    while (zeros.hasRemaining()) {
                        file.write(zeros, address + at + zeros.position());
                    }
                }
                return null;
            });
            return address;
        } catch (IOException e) {
            throw new NodeMemoryException("no shared memory for " + purpose + ": " + claimed + " bytes were needed in "
                    + path.getParent() + ", which has " + path.getParent().toFile().getUsableSpace() + " bytes left ("
                    + e.getMessage() + "); make it larger, or name another directory in TUTTI_MEMORY", e);
        }
    }

    /** Takes the next addresses. A claim that cannot be met must take none, nor fill the file system on its way. */
    private long reserve(long bytes) throws IOException {
        File system = path.getParent().toFile();
        if (system.getTotalSpace() > 0 && system.getUsableSpace() < bytes) {
            throw new IOException("the file system is too full");
        }
        long address = Words.load(mapping, CLAIMED);
        while (bytes <= mapping.byteSize() - address) {
            if (Words.compareAndSet(mapping, CLAIMED, address, address + bytes)) {
                return address;
            }
            address = Words.load(mapping, CLAIMED);
        }
        throw new IOException("the file system has " + mapping.byteSize() + " bytes in all");
    }

    @Override
    public MemorySegment block(long address, long bytes) {
        return mapping.asSlice(address, bytes);
    }

    @Override
    public long addressOf(MemorySegment segment) {
        long address = segment.address() - mapping.address(); // of an array's segment: its offset in the array
        return segment.isNative() && address >= FIRST_BLOCK && address < mapping.byteSize() ? address : 0;
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
            FileLock lock = file.tryLock(LOCKS + participant, 1, false);
            if (lock != null) {
                lock.release();
            }
            return lock == null;
        } catch (OverlappingFileLockException _) {
            return true; // by this very process
        }
    }

    /**
     * Removes the file's name, if it is still this file's: from now on nobody can open it, and it vanishes with the
     * last process that has it mapped.
     */
    public void unlink() {
        try {
            if (key(path).equals(key)) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException _) {
            return; // somebody else was faster
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

    /** Opens, but never makes, a plain file of this user. */
    private static FileChannel openOwned(Path path) throws IOException {
        Object owner = Files.getOwner(SELF);
        var attributes = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile() || !attributes.owner().equals(owner)) {
            throw new IOException("it is not a plain file of this user, but of " + attributes.owner());
        }
        return FileChannel.open(path,
                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    }

    private static NodeMemoryException unusable(Path path, IOException cause) {
        return new NodeMemoryException("the shared memory file " + path + " cannot be used: " + cause
                + "; make its directory writable, or name another one in TUTTI_MEMORY", cause);
    }
}
