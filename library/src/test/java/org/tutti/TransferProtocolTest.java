/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every protocol in both directions, around the sizes at which chunks, frames and buffers end, for every form of
 * section and kind of memory, with one rail and with two. Rank 0 puts to and gets from rank 1. The test reads the
 * memory of rank 1 directly, because both ranks are in this process. It computes the expected position of each byte one
 * by one.
 */
@Timeout(120)
class TransferProtocolTest {
    private static final int BYTES_MAX = 3_000_000;
    private static final long RUNS_MAX = 5_000;
    private static final int PART_BYTES = 3 * BYTES_MAX + 4096;
    private static final int[] SIZES = {0, 1, 100, 2047, 2048, 2049, (32 << 10) - 1, 32 << 10, (32 << 10) + 1,
            (64 << 10) - 1, 64 << 10, (64 << 10) + 1, (256 << 10) + 5, BYTES_MAX};

    private enum Form {
        CONTIGUOUS, STRIDED, VECTOR, BOX
    }

    private record Pair(Form there, Form here) {}

    private record Case(Pair pair, int bytes) {}

    private static final List<Pair> PAIRS = List.of(new Pair(Form.CONTIGUOUS, Form.CONTIGUOUS),
            new Pair(Form.STRIDED, Form.CONTIGUOUS), new Pair(Form.CONTIGUOUS, Form.STRIDED),
            new Pair(Form.STRIDED, Form.STRIDED), new Pair(Form.VECTOR, Form.CONTIGUOUS),
            new Pair(Form.CONTIGUOUS, Form.VECTOR), new Pair(Form.VECTOR, Form.VECTOR),
            new Pair(Form.BOX, Form.CONTIGUOUS), new Pair(Form.BOX, Form.BOX), new Pair(Form.STRIDED, Form.VECTOR));

    /** A section, and its bytes as they were counted, in their order. */
    private record Counted(Section section, int[] bytes) {
        static Counted of(Form form, int bytes, Random random) {
            return switch (form) {
                case CONTIGUOUS -> new Counted(Section.of(7, bytes), range(7, bytes));
                case STRIDED -> strided(bytes);
                case VECTOR -> vector(bytes, random);
                case BOX -> box(bytes);
            };
        }

        private static int[] range(int from, int bytes) {
            int[] all = new int[bytes];
            Arrays.setAll(all, i -> from + i);
            return all;
        }

        /** Runs in two directions, as long as the number of bytes can be divided by. */
        private static Counted strided(int bytes) {
            int run = bytes % 3000 == 0 ? 3000 : bytes % 8 == 0 ? 8 : 1;
            int runs = bytes / run;
            int inner = runs % 5 == 0 ? 5 : 1;
            int stride = run + run / 3 + 1;
            int outerStride = inner * stride + 3;
            int[] all = new int[bytes];
            Arrays.setAll(all, i -> 11 + i / run % inner * stride + i / run / inner * outerStride + i % run);
            return new Counted(
                    Section.strided(11, run, new long[]{inner, runs / inner}, new long[]{stride, outerStride}), all);
        }

        /** Runs of any length, none included, of which some follow each other. */
        private static Counted vector(int bytes, Random random) {
            long[] offsets = new long[bytes + 1];
            long[] lengths = new long[bytes + 1];
            int[] all = new int[bytes];
            int runs = 0;
            int end = 3;
            for (int done = 0; done < bytes; runs++) {
                int most = random.nextInt(4) == 0 ? 40_000 : random.nextInt(3) == 0 ? 8 : 600;
                int length = Math.min(bytes - done, random.nextInt(most + 1));
                offsets[runs] = end;
                lengths[runs] = length;
                for (int i = 0; i < length; i++) {
                    all[done + i] = end + i;
                }
                done += length;
                end += length + random.nextInt(3) * 9;
            }
            return new Counted(Section.vector(Arrays.copyOf(offsets, runs), Arrays.copyOf(lengths, runs)), all);
        }

        /** A box of bytes in three dimensions that fills about as many. */
        private static Counted box(int bytes) {
            int z = Math.min(bytes, 90);
            int y = z == 0 ? 0 : Math.min(bytes / z, 50);
            int x = y == 0 ? 0 : bytes / z / y;
            long[] shape = {x + 1, y + 2, z + 5};
            int[] all = new int[x * y * z];
            Arrays.setAll(all, i -> {
                int row = i / z / y + 1;
                int column = i / z % y + 1;
                return (row * (y + 2) + column) * (z + 5) + i % z + 4;
            });
            return new Counted(Section.box(DataType.BYTE, shape, new long[]{1, 1, 4}, new long[]{x, y, z}), all);
        }
    }

    /** The other side of a box has as many bytes as the box. */
    private static Counted[] draw(Pair pair, int bytes, Random random) {
        Counted there = Counted.of(pair.there, bytes, random);
        return new Counted[]{there, Counted.of(pair.here, there.bytes.length, random)};
    }

    private static MemorySegment memory(int bytes, boolean inHeap) {
        return inHeap ? MemorySegment.ofArray(new byte[bytes]) : Arena.ofAuto().allocate(bytes);
    }

    private static int endpoints(Counted counted) {
        return Arrays.stream(counted.bytes).max().orElse(0) + 65;
    }

    private static void fill(MemorySegment memory, int bytes, Random random) {
        byte[] some = new byte[bytes];
        random.nextBytes(some);
        MemorySegment.copy(some, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes);
    }

    private static byte[] copy(MemorySegment memory, int bytes) {
        return memory.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    private static void put(RemotePart part, MemorySegment theirs, RemoteMemory memory, Counted there, Counted here,
            boolean inHeap, Random random) {
        MemorySegment source = memory(endpoints(here), inHeap);
        fill(source, endpoints(here), random);
        byte[] expected = copy(theirs, endpoints(there));
        for (int i = 0; i < there.bytes.length; i++) {
            expected[there.bytes[i]] = source.get(ValueLayout.JAVA_BYTE, here.bytes[i]);
        }
        part.put(there.section, Span.of(source, DataType.BYTE), here.section);
        memory.fence(1);
        assertThat(Arrays.mismatch(copy(theirs, endpoints(there)), expected)).isEqualTo(-1);
    }

    private static void get(RemotePart part, MemorySegment theirs, Counted there, Counted here, boolean inHeap,
            Random random) {
        MemorySegment target = memory(endpoints(here), inHeap);
        fill(target, endpoints(here), random);
        fill(theirs, endpoints(there), random);
        byte[] expected = copy(target, endpoints(here));
        for (int i = 0; i < there.bytes.length; i++) {
            expected[here.bytes[i]] = theirs.get(ValueLayout.JAVA_BYTE, there.bytes[i]);
        }
        part.get(there.section, Span.of(target, DataType.BYTE), here.section);
        assertThat(Arrays.mismatch(copy(target, endpoints(here)), expected)).isEqualTo(-1);
    }

    private static void run(int rails, Transfers transfers) {
        AtomicReference<MemorySegment> theirs = new AtomicReference<>();
        LocalNodes.run(new int[]{0, 1}, Threads.PLATFORM, rails, job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(PART_BYTES)) {
                if (world.rank() == 1) {
                    theirs.set(memory.local());
                }
                memory.barrier();
                if (world.rank() == 0) {
                    transfers.run(memory, theirs.get());
                }
                memory.barrier();
            }
        });
    }

    private interface Transfers {
        void run(RemoteMemory memory, MemorySegment theirs);
    }

    private static void transferAll(RemoteMemory memory, RemotePart part, MemorySegment theirs,
            TransferProtocol protocol) {
        Random random = new Random(9);
        Stream<Case> all = PAIRS.stream().flatMap(pair -> Arrays.stream(SIZES).mapToObj(size -> new Case(pair, size)));
        for (Case one : Rows.sampled(all).toList()) {
            Counted[] both = draw(one.pair, one.bytes, random);
            long runs = both[0].section.runs() + both[1].section.runs();
            if (protocol == TransferProtocol.ZERO_COPY && runs > RUNS_MAX) {
                continue; // a frame each, and a request each
            }
            for (boolean inHeap : new boolean[]{true, false}) {
                put(part, theirs, memory, both[0], both[1], inHeap, random);
                assertThat(protocol == null || part.lastProtocol().orElseThrow() == protocol).isTrue();
                get(part, theirs, both[0], both[1], inHeap, random);
                assertThat(protocol == null || part.lastProtocol().orElseThrow() == protocol).isTrue();
            }
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource
    void shouldMoveSectionsByEveryProtocol(TransferProtocol protocol) {
        for (int rails : new int[]{1, 2}) {
            run(rails, (memory, theirs) -> transferAll(memory, memory.at(1).withProtocol(protocol), theirs, protocol));
        }
    }

    @Tag("thorough")
    @Test
    void shouldMoveSectionsByTheProtocolThatItChooses() {
        run(1, (memory, theirs) -> transferAll(memory, memory.at(1), theirs, null));
    }

    @Test
    void shouldMoveSectionsByTheProtocolThatItChoosesOverTwoRails() {
        run(2, (memory, theirs) -> transferAll(memory, memory.at(1), theirs, null));
    }

    @Test
    void shouldChooseBySizeRunsAndKindOfMemory() {
        run(1, (memory, _) -> {
            RemotePart part = memory.at(1);
            assertThat(part.lastProtocol()).isEmpty();
            assertThat(memory.at(0).lastProtocol()).isEmpty();
            MemorySegment offHeap = Arena.ofAuto().allocate(1 << 20);
            part.put(0, offHeap);
            assertThat(part.lastProtocol()).as("native").contains(TransferProtocol.ZERO_COPY);
            part.put(0, offHeap.asSlice(0, 8));
            assertThat(part.lastProtocol()).as("few bytes").contains(TransferProtocol.STREAMING);
            part.put(0, new byte[64 << 10]);
            assertThat(part.lastProtocol()).as("one frame").contains(TransferProtocol.STREAMING);
            part.put(0, new byte[(64 << 10) + 1]);
            assertThat(part.lastProtocol()).as("much heap").contains(TransferProtocol.ZERO_COPY);
            part.get(0, new byte[1 << 20]);
            assertThat(part.lastProtocol()).as("a get").contains(TransferProtocol.ZERO_COPY);
            part.nonBlocking().get(0, new byte[8]).await();
            assertThat(part.lastProtocol()).as("a non-blocking get").contains(TransferProtocol.STREAMING);
            part.putNotify(0, new byte[8], 0);
            assertThat(part.lastProtocol()).as("a put with a notification").contains(TransferProtocol.ZERO_COPY);
            Section columns = Section.strided(0, 8, new long[]{1 << 14}, new long[]{64});
            part.get(columns, Span.of(offHeap, DataType.BYTE), columns);
            assertThat(part.lastProtocol()).as("many short runs").contains(TransferProtocol.PIPELINED);
            Section few = Section.strided(0, 8, new long[]{1000}, new long[]{64});
            part.get(few, Span.of(offHeap, DataType.BYTE), few);
            assertThat(part.lastProtocol()).as("few short runs").contains(TransferProtocol.STREAMING);
            Section rows = Section.strided(0, 16 << 10, new long[]{20}, new long[]{20 << 10});
            part.put(rows, Span.of(offHeap, DataType.BYTE), rows);
            assertThat(part.lastProtocol()).as("long runs").contains(TransferProtocol.ZERO_COPY);
            Section shorter = Section.strided(0, 8 << 10, new long[]{20}, new long[]{20 << 10});
            part.put(shorter, Span.of(new byte[1 << 20]), shorter);
            assertThat(part.lastProtocol()).as("shorter runs").contains(TransferProtocol.PIPELINED);
            assertThat(part.withProtocol(TransferProtocol.STREAMING))
                    .isSameAs(part.withProtocol(TransferProtocol.STREAMING));
            assertThat(part.withProtocol(TransferProtocol.STREAMING).lastProtocol()).isEqualTo(Optional.empty());
        });
    }
}
