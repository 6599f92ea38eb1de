/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

import org.tutti.memory.FileMemory;
import org.tutti.memory.Words;

/**
 * Two lines of native memory that two parties use through the same segment, or through two mappings of one file.
 *
 * @param writer the lines in the segment of the first party
 * @param reader the same lines in the segment of the second party
 */
record TwoLines(MemorySegment writer, MemorySegment reader) {
    /** A word. */
    static final long READY = 0;

    /** A cell in the line of that word. */
    static final long NEAR = 8;

    /** A word in the other line. */
    static final long LEFT = Words.LINE_BYTES;

    /** A cell in the other line. */
    static final long FAR = Words.LINE_BYTES + 8;

    private static final long BYTES = 2L * Words.LINE_BYTES;

    /** Lines that both parties use through one segment. */
    static final Pool<TwoLines> NATIVE = new Pool<>(() -> {
        MemorySegment lines = Arena.global().allocate(BYTES, Words.LINE_BYTES);
        return new TwoLines(lines, lines);
    });

    static TwoLines zeroed(Pool<TwoLines> pool) {
        TwoLines lines = pool.take();
        lines.writer.fill((byte) 0);
        return lines;
    }

    /** Lines that the parties use through two mappings of the file of a {@link FileMemory}, which is unlinked. */
    static final class Mapped {
        static final Pool<TwoLines> POOL = pool();

        private Mapped() {}

        private static Pool<TwoLines> pool() {
            Path path = Path.of("/dev/shm/tutti-stress-" + ProcessHandle.current().pid());
            try {
                FileMemory memory = FileMemory.create(path, BYTES, 0);
                memory.publish();
                try (var file = new RandomAccessFile(path.toFile(), "rw")) {
                    MemorySegment second =
                            file.getChannel().map(MapMode.READ_WRITE, 0, file.length(), Arena.global());
                    return new Pool<>(() -> {
                        long address = memory.claim(BYTES, "a stress test");
                        return new TwoLines(memory.block(address, BYTES), second.asSlice(address, BYTES));
                    });
                } finally {
                    memory.unlink();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
