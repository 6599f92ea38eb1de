/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.NodeMemoryException;
import org.tutti.SmallFileSystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class FileMemoryTest {
    private static final int BLOCK_BYTES = 64;
    private static final int ATTEMPTS = 1000;
    private static final int STRANGER = 65534;
    private static final Path CORE_DUMP_FILTER = Path.of("/proc/self/coredump_filter");
    private static final long FIRST_LOCK = 1L << 62;

    @TempDir
    private Path directory;
    private Path path;

    @BeforeEach
    void name() {
        path = directory.resolve("memory");
    }

    private static FileMemory published(Path path, int participant) throws IOException {
        FileMemory memory = FileMemory.create(path, BLOCK_BYTES, participant);
        memory.publish();
        return memory;
    }

    private static void giveToStranger(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
    }

    private static void assumeRoot() {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")),
                "skipped: only root can give files away");
    }

    private static void makePipe(Path path) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    }

    @Test
    void shouldStayOutOfCoreDumps() throws IOException {
        String before = Files.readString(CORE_DUMP_FILTER).strip();
        try {
            Files.writeString(CORE_DUMP_FILTER, "0x7f", StandardOpenOption.WRITE);
            FileMemory.create(path, BLOCK_BYTES, 0).discard();
            assertThat(Files.readString(CORE_DUMP_FILTER)).isEqualTo("00000075\n");
        } finally {
            Files.writeString(CORE_DUMP_FILTER, "0x" + before, StandardOpenOption.WRITE);
        }
    }

    @Test
    void shouldSayHowMuchRoomAFullFileSystemHasForANewFile() throws Exception {
        try (var small = SmallFileSystem.mount(1 << 20)) {
            Path other = Files.write(small.path().resolve("other"), new byte[1 << 20]);
            assertThatThrownBy(() -> FileMemory.create(small.path().resolve("memory"), BLOCK_BYTES, 0))
                    .isInstanceOf(NodeMemoryException.class)
                    .hasMessage("no shared memory for the job's file: 4.0 KiB were needed in " + small.path()
                            + ", which had 0 bytes left (No space left on device); make it larger, or name another "
                            + "directory in TUTTI_MEMORY");
            assertThat(small.path()).isDirectoryNotContaining("glob:**memory*");
            Files.delete(other);
        }
    }

    @Test
    void shouldSayWithoutClassNamesWhyAFileCannotBeMade() throws Exception {
        Path nowhere = directory.resolve("nowhere").resolve("memory");
        assertThatThrownBy(() -> FileMemory.create(nowhere, BLOCK_BYTES, 0)).isInstanceOf(NodeMemoryException.class)
                .hasMessage("the shared memory file " + nowhere + " cannot be used: no such file or directory; "
                        + "name another directory in TUTTI_MEMORY");
        Path inFile = Files.createFile(directory.resolve("file")).resolve("memory");
        assertThatThrownBy(() -> FileMemory.create(inFile, BLOCK_BYTES, 0)).isInstanceOf(NodeMemoryException.class)
                .hasMessage("the shared memory file " + inFile + " cannot be used: Not a directory; name another "
                        + "directory in TUTTI_MEMORY");
    }

    @Test
    void shouldGiveBackTheRoomAndTheAddressesOfAClaimThatFailsHalfWay() throws Exception {
        int bytes = 768 << 10;
        try (var small = SmallFileSystem.mount(1 << 20)) {
            Path other = Files.write(small.path().resolve("other"), new byte[512 << 10]);
            FileMemory memory = FileMemory.create(small.path().resolve("memory"), BLOCK_BYTES, 0);
            try {
                long room = small.path().toFile().getUsableSpace();
                small.hideUnder(16 << 20, () -> assertThatThrownBy(() -> memory.claim(bytes, "a test"))
                        .isInstanceOf(NodeMemoryException.class).hasMessageContaining("No space left"));
                assertThat(small.path().toFile().getUsableSpace()).isEqualTo(room);
                Files.delete(other);
                MemorySegment block = memory.block(memory.claim(bytes, "a test"), bytes);
                assertThat(block.mismatch(MemorySegment.ofArray(new byte[bytes]))).isEqualTo(-1);
            } finally {
                memory.discard();
            }
        }
    }

    @Test
    void shouldKeepWhatOthersHaveClaimedWhenAClaimFails() throws Exception {
        try (var small = SmallFileSystem.mount(1 << 20)) {
            FileMemory memory = FileMemory.create(small.path().resolve("memory"), BLOCK_BYTES, 0);
            try {
                MemorySegment before = memory.block(memory.claim(5000, "a test"), 5000).fill((byte) 1);
                Path other = Files.write(small.path().resolve("other"), new byte[512 << 10]);
                small.hideUnder(16 << 20, () -> assertThatThrownBy(() -> memory.claim(768 << 10, "a test"))
                        .isInstanceOf(NodeMemoryException.class));
                Files.delete(other);
                memory.block(memory.claim(100_000, "a test"), 100_000).fill((byte) 2);
                byte[] ones = new byte[5000];
                Arrays.fill(ones, (byte) 1);
                assertThat(before.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(ones);
            } finally {
                memory.discard();
            }
        }
    }

    // ---- who uses the file

    @Test
    void shouldTakeAFileThatNobodyUsesForALeftOver() throws IOException {
        published(path, 0).close();
        assertThatThrownBy(() -> FileMemory.open(path, 1)).isInstanceOf(NoSuchFileException.class);
        assertThat(path).doesNotExist();
    }

    @Test
    void shouldKeepItsLockWhenAnotherClassLoaderLooksAtTheFile() throws Exception {
        Path alias = Files.createSymbolicLink(directory.resolve("alias"), directory).resolve("memory");
        URL classes = FileMemory.class.getProtectionDomain().getCodeSource().getLocation();
        try (FileMemory memory = published(path, 3);
                var loader = new URLClassLoader(new URL[]{classes}, ClassLoader.getPlatformClassLoader())) {
            Class<?> other = loader.loadClass(FileMemory.class.getName());
            assertThat(other).isNotSameAs(memory.getClass());
            assertThat(locks(path)).containsExactly(FIRST_LOCK + 3);
            for (Path name : List.of(path, alias)) {
                other.getMethod("deleteIfUnused", Path.class).invoke(null, name);
                assertThat(other.getMethod("open", Path.class, int.class).invoke(null, name, 4)).isNull();
            }
            assertThat(path).exists();
            assertThat(locks(path)).containsExactly(FIRST_LOCK + 3);
        }
        FileMemory.deleteIfUnused(path);
        assertThat(path).doesNotExist();
    }

    /** Where the locks on a file begin that this process holds, as the kernel says. */
    private static List<Long> locks(Path path) throws IOException {
        String file = ":" + Files.getAttribute(path, "unix:ino");
        String process = String.valueOf(ProcessHandle.current().pid());
        return Files.readAllLines(Path.of("/proc/locks")).stream().map(line -> line.trim().split(" +"))
                .filter(fields -> fields[4].equals(process) && fields[5].endsWith(file))
                .map(fields -> Long.parseLong(fields[6])).toList();
    }

    // ---- other users

    @Test
    void shouldSayWhoseAFileIsThatAnotherUserHasPutThere() throws IOException {
        assumeRoot();
        published(path, 0).close();
        giveToStranger(path);
        assertThatThrownBy(() -> FileMemory.open(path, 1)).isInstanceOf(NodeMemoryException.class)
                .hasMessageContainingAll(path.toString(), "belongs to nobody", "a directory of your own",
                        "TUTTI_MEMORY");
        assertThatThrownBy(() -> FileMemory.deleteIfUnused(path)).isInstanceOf(IOException.class);
        assertThat(path).exists();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5000})
    void shouldRefuseAFileThatIsNoMemory(int bytes) throws IOException {
        Files.write(path, new byte[bytes]);
        try (var _ = OtherProcess.thatHolds(path, 0)) {
            for (int time = 0; time < 2; time++) { // nor does it count as open afterwards
                assertThatThrownBy(() -> FileMemory.open(path, 1)).isInstanceOf(NodeMemoryException.class)
                        .hasMessageContaining("no memory file of this version");
            }
        }
    }

    @Test
    void shouldLeaveItsFormerNameToAnotherUser() throws IOException {
        assumeRoot();
        try (FileMemory memory = published(path, 0)) {
            memory.unlink();
            Files.createFile(path);
            giveToStranger(path);
            memory.unlink();
            assertThat(path).exists();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldOpenNeitherPipesNorLinks(boolean ofStranger) throws Exception {
        Path own = directory.resolve("own");
        try (FileMemory memory = published(own, 0)) {
            makePipe(path);
            Path link = Files.createSymbolicLink(directory.resolve("link"), own);
            for (Path each : List.of(path, link, directory)) {
                if (ofStranger) {
                    assumeRoot();
                    giveToStranger(each);
                }
                assertThatThrownBy(() -> FileMemory.open(each, 1)).isInstanceOf(NodeMemoryException.class)
                        .hasMessageContaining(ofStranger ? "belongs to nobody" : "is no plain file");
                assertThatThrownBy(() -> FileMemory.deleteIfUnused(each)).isInstanceOf(IOException.class);
                assertThat(Files.exists(each, LinkOption.NOFOLLOW_LINKS)).isTrue();
            }
            assertThat(memory.isHeld(0)).isTrue();
        }
    }

    /** The file's name goes to another user's file at any moment of opening it. */
    @Test
    void shouldNeverUseAFileThatTookTheNameWhileItWasOpened() throws Exception {
        assumeRoot();
        Path own = directory.resolve("own");
        Path strange = directory.resolve("strange");
        published(own, 0).close();
        published(strange, 0).close();
        try (FileChannel file = FileChannel.open(strange, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1).put(0, (byte) 1), FileMemory.FIRST_BLOCK);
        }
        giveToStranger(strange);
        int opened = 0;
        int refused = 0;
        try (var _ = OtherProcess.thatHolds(own, 0); var _ = OtherProcess.thatHolds(strange, 0)) {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                Files.createLink(path, own);
                Path replacement = Files.createLink(directory.resolve("replacement"), strange);
                CountDownLatch start = new CountDownLatch(1);
                int delayNanos = attempt % 100 * 3000;
                Thread stranger = Thread.ofPlatform().start(() -> {
                    start.countDown();
                    LockSupport.parkNanos(delayNanos);
                    move(replacement, path);
                });
                start.await();
                try (FileMemory memory = FileMemory.open(path, 1)) {
                    assertThat(memory.block(FileMemory.FIRST_BLOCK, BLOCK_BYTES).get(ValueLayout.JAVA_BYTE, 0))
                            .as("attempt %d", attempt).isZero();
                    opened++;
                } catch (NodeMemoryException | NoSuchFileException _) {
                    refused++;
                }
                stranger.join();
                Files.delete(path);
            }
        }
        assertThat(opened).isPositive();
        assertThat(refused).isPositive();
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
