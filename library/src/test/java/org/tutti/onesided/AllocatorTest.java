/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.tutti.DataType;
import org.tutti.RemoteMemory;
import org.tutti.Tutti;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.job.CountedMemory;
import org.tutti.memory.Memory;
import org.tutti.memory.ProgressPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** The memory that allocations claim from a node. */
class AllocatorTest {
    private static final int LARGEST = 1 << 20;
    private static final int SMALLEST = 100;

    /** All sizes in turn, each smaller than the one before, again and again. */
    @Test
    void shouldNotGrowWithTheNumberOfAllocations() {
        Tutti.runLocal(1, job -> {
            AtomicLong claimed = new AtomicLong();
            try (Memory memory = new CountedMemory(claimed)) {
                Allocator allocator = new Allocator(memory, null, () -> false, new ScriptedMembers(), null, null, true,
                        new ProgressPolicy(), () -> false);
                long afterOne = 0;
                for (int cycle = 1; cycle <= 50; cycle++) {
                    for (int bytes = LARGEST; bytes > SMALLEST; bytes = bytes * 3 / 5) {
                        try (RemoteMemory part = allocator.allocate(job.world(), _ -> {
                        }, DataType.BYTE, bytes, 16, () -> Long.MAX_VALUE)) {
                            assertThat(part.local().byteSize()).isEqualTo(bytes);
                        }
                    }
                    afterOne = cycle == 1 ? claimed.get() : afterOne;
                }
                assertThat(claimed.get()).isLessThan(2L * afterOne).isLessThan(4L * LARGEST);
            }
        });
    }
}
