/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Off-heap spans beyond 2 GiB: offsets are longs everywhere, and such messages are several operations. */
class LargeSpanTest {
    private static final long BYTES = (2L << 30) + 24;
    private static final long MEMORY_NEEDED = 3 * BYTES;
    private static final long STRIDE = 8 * 1_000_003L;

    @Tag("thorough")
    @Test
    void shouldBroadcastAndReduceMoreThanTwoGibibytes() throws IOException {
        long available = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024).findFirst().orElse(0);
        Assumptions.assumeTrue(available > MEMORY_NEEDED, "skipped: needs " + MEMORY_NEEDED + " bytes of memory");
        Tutti.runLocal(2, job -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(BYTES, 8);
                Span span = Span.of(memory, DataType.LONG);
                if (job.rank() == 1) {
                    for (long at = 0; at < BYTES; at += STRIDE) {
                        memory.set(ValueLayout.JAVA_LONG, at, at + 1);
                    }
                    memory.set(ValueLayout.JAVA_LONG, BYTES - 8, 77);
                }
                job.world().broadcast(span, 1);
                job.world().allreduce(span, Reduction.SUM);
                for (long at = 0; at < BYTES; at += STRIDE) {
                    assertThat(memory.get(ValueLayout.JAVA_LONG, at)).isEqualTo(2 * (at + 1));
                }
                assertThat(memory.get(ValueLayout.JAVA_LONG, BYTES - 8)).isEqualTo(154);
                assertThat(memory.get(ValueLayout.JAVA_LONG, BYTES - 16)).isZero();
            }
        });
    }
}
