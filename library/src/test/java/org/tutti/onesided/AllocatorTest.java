/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.Test;
import org.tutti.RemoteMemory;
import org.tutti.Tutti;
import org.tutti.collective.ScriptedMembers;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;

import static org.assertj.core.api.Assertions.assertThat;

/** What allocations take from a node's memory. */
class AllocatorTest {
    private static final int LARGEST = 1 << 20;
    private static final int SMALLEST = 100;

    /** Counts what is claimed. */
    private static final class CountingMemory extends Memory {
        private final PrivateMemory memory = new PrivateMemory();
        private long claimed;

        @Override
        protected long claimNew(long bytes, String purpose) {
            claimed += bytes;
            return memory.claim(bytes, purpose);
        }

        @Override
        public MemorySegment around(long address) {
            return memory.around(address);
        }

        @Override
        public long offset(long address) {
            return memory.offset(address);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    /** All sizes in turn, each smaller than the one before, again and again. */
    @Test
    void shouldNotGrowWithTheNumberOfAllocations() {
        Tutti.runLocal(1, job -> {
            try (CountingMemory memory = new CountingMemory()) {
                Allocator allocator = new Allocator(memory, null, new ScriptedMembers(), null, true);
                long afterOne = 0;
                for (int cycle = 1; cycle <= 50; cycle++) {
                    for (int bytes = LARGEST; bytes > SMALLEST; bytes = bytes * 3 / 5) {
                        try (RemoteMemory part = allocator.allocate(job.world(), bytes, () -> Long.MAX_VALUE)) {
                            assertThat(part.local().byteSize()).isEqualTo(bytes);
                        }
                    }
                    afterOne = cycle == 1 ? memory.claimed : afterOne;
                }
                assertThat(memory.claimed).isLessThan(2L * afterOne).isLessThan(4L * LARGEST);
            }
        });
    }
}
