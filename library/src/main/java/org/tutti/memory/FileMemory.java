/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.File;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

import org.tutti.NodeMemoryException;

/**
 * The memory that ranks in several processes of a node share. It is one file on a memory file system, which each
 * process maps as a whole.
 *
 * <pre>
 *  byte 0         64          128                                claimed                capacity
 *   +-------------+-----------+----------------+----------------+----------------------+
 *   | mark        | claimed   | first block    | more blocks …  | nothing yet (sparse) |
 *   | (line)      | word      | (the node's)   |                |                      |
 *   +-------------+-----------+----------------+----------------+----------------------+
 * </pre>
 *
 * <p>The file is sparse, and as long as it may ever become, which is the size of its file system. Therefore each
 * process maps the file once, addresses are offsets, and every process can read a block as soon as it is claimed. If a
 * process touched a page that a full file system cannot provide, the process would be killed. Therefore a claim first
 * writes zeros to the block through the file, which fails with an ordinary error. Many processes raise the claimed
 * word. Other processes know a block only after its owner has published its address.
 *
 * <p>Each process that uses the file, a participant, holds a lock on one byte beyond the file's end. The kernel
 * releases the lock when the process ends for any reason. Therefore the other processes know which participants live,
 * without comparing process numbers. A process also loses its locks when it closes any descriptor of the file.
 * Therefore it must never open the file twice, not even through copies of this class in other class loaders. System
 * properties, which all copies see, name the files that the process has open. All copies open, publish and close under
 * the same monitor, so that no copy opens a file that another copy has just opened.
 *
 * <p>The creator makes, locks and fills the file under a temporary name, and then links it to its final name. Therefore
 * a visible file is complete, and a visible file that no process has locked is abandoned. A process that opens a file
 * locks it first and then checks that the file still has its name, because another process may be removing it as
 * abandoned. A locked file is never removed as abandoned.
 *
 * <p>Core dumps exclude the mapping. It is as large as the file system, which the dump of a sparse file would fill, and
 * it contains the job's secret.
 */
public final class FileMemory extends Memory {
    /** The address of the block that the creator claimed. */
    public static final long FIRST_BLOCK = 2L * Words.LINE_BYTES;

    private static final long MARK = 0;
    private static final long CLAIMED = Words.LINE_BYTES;
    private static final long MARK_VALUE = 0x5455_5454_4900_0001L; // "TUTTI", layout 1
    private static final long CAPACITY_MAX = 1L << 40;
    private static final long LOCKS = 1L << 62;
    /**
     * The prefix of the names of system properties, each of which records a file that this process has open. The string
     * is also the monitor of all copies of this class, because equal literals are the same object in every class
     * loader.
     */
    private static final String OPEN = "org.tutti.memory.open.";
    private static final Set<OpenOption> EXISTING =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    private static final Path CORE_DUMP_FILTER = Path.of("/proc/self/coredump_filter");
    private static final long SHARED_MEMORY = 0b1010; // of files, and anonymous, which includes files without a name
    private static final int PAGE_BYTES = 4096;
    private static final int FILL_BYTES = 1 << 18;
    private static final int PIECE_SHIFT = 30;
    private static final long PIECE_BYTES = 1L << PIECE_SHIFT;
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path path;
    private final Path made;
    private final Object key;
    private final FileChannel file;
    private final Arena arena;
    private final MemorySegment mapping;

    /** Overlapping parts of the mapping, each short enough to be viewed as a {@link ByteBuffer}. */
    private final MemorySegment[] pieces;

    /** Maps the file. The caller holds the monitor. */
    private FileMemory(Path path, Path made, Object key, FileChannel file, long capacity) throws IOException {
        this.path = path;
        this.made = made;
        this.key = key;
        this.file = file;
        this.arena = Arena.ofShared();
        leaveOutOfCoreDumps();
        this.mapping = file.map(MapMode.READ_WRITE, 0, capacity, arena);
        this.pieces = new MemorySegment[Math.toIntExact(Math.ceilDiv(capacity, PIECE_BYTES))];
        for (int i = 0; i < pieces.length; i++) {
            long start = i * PIECE_BYTES;
            pieces[i] = mapping.asSlice(start, Math.min(2 * PIECE_BYTES - PAGE_BYTES, capacity - start));
        }
        System.setProperty(OPEN + key, path.toString());
    }

    private static void leaveOutOfCoreDumps() {
        try {
            long kinds = Long.parseLong(Files.readString(CORE_DUMP_FILTER).strip(), 16);
            Files.writeString(CORE_DUMP_FILTER, "0x" + Long.toHexString(kinds & ~SHARED_MEMORY),
                    StandardOpenOption.WRITE);
        } catch (IOException | NumberFormatException e) {
            System.getLogger(FileMemory.class.getName()).log(Level.DEBUG, "core dumps will have shared memory", e);
        }
    }

    /**
     * Creates the file that holds the shared memory, and claims its first block. Only its owner may read and write the
     * file. Other processes cannot see it before {@link #publish}.
     *
     * @param path the final name of the file
     * @param firstBlockBytes the size of the block at {@link #FIRST_BLOCK}, in bytes
     * @param participant the number of the lock that this process acquires
     * @return the memory
     * @throws NodeMemoryException if the file cannot be created
     */
    public static FileMemory create(Path path, long firstBlockBytes, int participant) {
        FileMemory memory;
        try {
            do {
                memory = Uninterruptible.call(() -> make(path, participant));
            } while (memory == null);
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

    /**
     * Creates the file under a temporary name. Returns null if another process removed the file as abandoned before it
     * was locked.
     */
    private static FileMemory make(Path path, int participant) throws IOException {
        Path made = path.resolveSibling(path.getFileName() + ".new-" + ProcessHandle.current().pid() + "-"
                + Long.toHexString(System.nanoTime()));
        synchronized (OPEN) {
            FileChannel file = FileChannel.open(made, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE_NEW), OWNER_ONLY);
            try {
                file.lock(LOCKS + participant, 1, false);
                if (!Files.exists(made, LinkOption.NOFOLLOW_LINKS)) {
                    file.close();
                    return null;
                }
                writeFirstPage(file, path.getParent());
                return new FileMemory(path, made, key(made), file, capacity(made));
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(made);
                file.close();
                throw e;
            }
        }
    }

    private static void writeFirstPage(FileChannel file, Path directory) {
        long free = directory.toFile().getUsableSpace();
        try {
            file.write(ByteBuffer.allocate(PAGE_BYTES), 0);
        } catch (IOException e) {
            throw noRoom("the job's file", PAGE_BYTES, directory, free, e);
        }
    }

    private static long capacity(Path file) {
        long total = file.toFile().getTotalSpace(); // 0: without limit
        return Math.clamp(total == 0 ? CAPACITY_MAX : total, PAGE_BYTES, CAPACITY_MAX) & -PAGE_BYTES;
    }

    /**
     * Gives the file its final name, so that other processes of the node can open it. The caller must have filled the
     * first block.
     *
     * @throws FileAlreadyExistsException if another file of this user has the name; this file must then be discarded
     * @throws NodeMemoryException if the name belongs to a file of another user, or not to a plain file
     */
    public void publish() throws FileAlreadyExistsException {
        synchronized (OPEN) {
            try {
                Files.createLink(path, made);
            } catch (FileAlreadyExistsException e) {
                requireOwn(path);
                throw e;
            } catch (IOException e) {
                throw unusable(path, e);
            } finally {
                made.toFile().delete();
            }
        }
    }

    private static void requireOwn(Path path) {
        try {
            key(path);
        } catch (NoSuchFileException _) {
            return; // removed in the meantime
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /**
     * Removes and closes a file that could not be published.
     */
    public void discard() {
        made.toFile().delete();
        close();
    }

    /**
     * Opens the shared memory in a file that another process created and that at least one process uses.
     *
     * @param path the name of the file
     * @param participant the number of the lock that this process acquires
     * @return the memory, or null if another process holds the participant's lock, or this process already has the file
     *            open
     * @throws NoSuchFileException if there is no file, or no process uses it; an unused file is removed
     * @throws NodeMemoryException if the file cannot be used
     */
    public static FileMemory open(Path path, int participant) throws NoSuchFileException {
        try {
            return Uninterruptible.call(() -> openUsed(path, participant));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static FileMemory openUsed(Path path, int participant) throws IOException {
        synchronized (OPEN) {
            Object key = key(path);
            if (isOpen(key)) {
                return null;
            }
            FileChannel file = FileChannel.open(path, EXISTING);
            try {
                if (file.tryLock(LOCKS + participant, 1, false) == null) {
                    file.close();
                    return null;
                }
                boolean named = key(path).equals(key);
                if (named && isUnused(file, participant)) {
                    Files.deleteIfExists(path);
                    named = false;
                }
                if (!named) {
                    throw new NoSuchFileException(path.toString());
                }
                FileMemory memory = new FileMemory(path, path, key, file, file.size());
                if (memory.mapping.byteSize() < PAGE_BYTES || Words.load(memory.mapping, MARK) != MARK_VALUE) {
                    memory.close();
                    throw new IOException("it is no memory file of this version of Tutti");
                }
                return memory;
            } catch (IOException | RuntimeException e) {
                file.close();
                throw e;
            }
        }
    }

    /**
     * Returns whether no other participant holds a lock. If so, this process then holds the locks of all participants.
     */
    private static boolean isUnused(FileChannel file, int participant) throws IOException {
        long from = LOCKS + participant;
        FileLock before = file.tryLock(LOCKS - 1, from - LOCKS + 1, false); // never empty: no participant has LOCKS - 1
        if (before == null) {
            return false;
        }
        if (file.tryLock(from + 1, Long.MAX_VALUE - from - 1, false) != null) {
            return true;
        }
        before.release();
        return false;
    }

    private static boolean isOpen(Object key) {
        return System.getProperty(OPEN + key) != null;
    }

    /**
     * Removes a file with shared memory of this user, if no process uses it.
     *
     * @param path the name of the file
     * @throws IOException if the file cannot be examined or removed
     */
    public static void deleteIfUnused(Path path) throws IOException {
        synchronized (OPEN) {
            Object key = key(path);
            if (isOpen(key)) {
                return;
            }
            try (FileChannel file = FileChannel.open(path, EXISTING)) {
                // while this process holds the lock, no other removes the file; the name must still be the file's
                if (file.tryLock(LOCKS, Long.MAX_VALUE - LOCKS, false) != null && key(path).equals(key)) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    @Override
    protected long claimNew(long bytes, String purpose) {
        long free = path.getParent().toFile().getUsableSpace(); // before this and concurrent claims are given back
        try {
            long address = reserve(bytes);
            boolean filled = false;
            try {
                Uninterruptible.call(() -> {
                    fill(address, bytes);
                    return null;
                });
                filled = true;
            } finally {
                if (!filled) {
                    giveBack(address, bytes);
                }
            }
            return address;
        } catch (IOException e) {
            throw noRoom(purpose, bytes, path.getParent(), free, e);
        }
    }

    private static NodeMemoryException noRoom(String purpose, long bytes, Path directory, long free,
            IOException cause) {
        return new NodeMemoryException("no shared memory for " + purpose + ": " + Bytes.text(bytes)
                + " were needed in " + directory + ", which had " + Bytes.text(free) + " left ("
                + cause.getMessage() + "); make it larger" + (directory.startsWith("/dev/shm")
                        ? " (of a container by --shm-size)" : "")
                + ", or name another directory in TUTTI_MEMORY", cause);
    }

    private void fill(long address, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(bytes, FILL_BYTES));
        for (long at = 0; at < bytes; at += zeros.limit()) {
            zeros.clear().limit((int) Math.min(bytes - at, zeros.capacity()));
            while (zeros.hasRemaining()) {
                file.write(zeros, address + at + zeros.position());
            }
        }
    }

    /**
     * Releases the addresses and pages that were reserved for a block, because the block could then not be filled. This
     * method returns the pages to the file system first, and then the addresses, because released addresses may
     * immediately belong to another block.
     */
    private void giveBack(long address, long bytes) {
        Pages.giveBack(mapping.asSlice(address, bytes));
        Words.compareAndSet(mapping, CLAIMED, address + bytes, address); // unless a later block was claimed after them
    }

    /**
     * Reserves the next free addresses of the file for a block. If the file system has too little memory, this method
     * throws an exception without having reserved or written any.
     */
    private long reserve(long bytes) throws IOException {
        File system = path.getParent().toFile();
        if (system.getTotalSpace() > 0 && system.getUsableSpace() < bytes) {
            throw new IOException("the file system is too full");
        }
        long address = Words.load(mapping, CLAIMED);
        while (bytes <= mapping.byteSize() - address) {
            assert address >= FIRST_BLOCK && address % Words.LINE_BYTES == 0 : "the next block would be at " + address;
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
    public MemorySegment around(long address) {
        return pieces[(int) (address >>> PIECE_SHIFT)];
    }

    @Override
    public long offset(long address) {
        return address & PIECE_BYTES - 1;
    }

    @Override
    public long addressOf(MemorySegment segment) {
        long address = segment.address() - mapping.address(); // for an array's segment, the offset in the array
        return segment.isNative() && address >= FIRST_BLOCK && address < mapping.byteSize() ? address : 0;
    }

    /**
     * Returns whether the process that holds a given lock of this file still lives.
     *
     * @param participant the number of the lock, which is not the lock of this process
     * @return whether another process holds that lock
     * @throws IOException if the lock cannot be tested
     */
    public boolean isHeld(int participant) throws IOException {
        try {
            FileLock lock = file.tryLock(LOCKS + participant, 1, false);
            if (lock != null) {
                lock.release();
            }
            return lock == null;
        } catch (OverlappingFileLockException _) {
            return true; // this process holds it
        }
    }

    /**
     * Removes the name of the file, unless the name belongs to another file by now. No process can open the file
     * afterwards. The file vanishes when the last process that maps it ends.
     */
    public void unlink() {
        try {
            if (key(path).equals(key)) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException | OwnFile.NotOwnException _) {
            return; // another process has removed it; the name may meanwhile be another user's
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    @Override
    public void close() {
        synchronized (OPEN) {
            try (file) {
                close(arena);
            } catch (IOException e) {
                throw unusable(path, e);
            } finally {
                System.clearProperty(OPEN + key);
            }
        }
    }

    private static Object key(Path path) throws IOException {
        return OwnFile.key(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static NodeMemoryException unusable(Path path, IOException cause) {
        return new NodeMemoryException("the shared memory file " + path + " cannot be used: " + FileReason.of(cause)
                + switch (cause) {
                    case OwnFile.NotOwnException _ -> "; remove it, or name a directory of your own";
                    case AccessDeniedException _ -> "; make its directory writable, or name another one";
                    default -> "; name another directory";
                } + " in TUTTI_MEMORY", cause);
    }
}
