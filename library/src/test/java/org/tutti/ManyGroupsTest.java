/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.tutti.job.CountedMemory;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/** The memory, threads and files that many groups leave behind. */
@Timeout(300)
@Isolated("counts threads and files of the whole JVM")
class ManyGroupsTest {
    private static List<Long> used(AtomicLong claimed) throws IOException {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return List.of(claimed.get(), (long) Thread.activeCount(), descriptors.count());
        }
    }

    /** Fewer there may be: others of this process may have ended meanwhile. */
    private static void assertNoMoreThreadsAndFiles(List<Long> after, List<Long> before) {
        assertThat(after.get(1)).isLessThanOrEqualTo(before.get(1));
        assertThat(after.get(2)).isLessThanOrEqualTo(before.get(2));
    }

    /** Ten thousand one after the other, and then a thousand at once. */
    @Tag("thorough")
    @Test
    void shouldTakeNoMoreForTheLastOfManyGroups() {
        var claimed = new AtomicLong();
        LocalNodes.run(new int[]{0, 0, 0, 0, 1, 1, 1, 1}, () -> new CountedMemory(claimed), job -> {
            Communicator world = job.world();
            List<Long> before = List.of();
            for (int i = 0; i < 10_000; i++) {
                try (Communicator group = world.split(world.rank() % 2, i)) {
                    group.allreduce(new int[1], Reduction.SUM);
                }
                if (i == 1_000) {
                    world.barrier();
                    before = used(claimed);
                    world.barrier();
                }
            }
            world.barrier();
            if (world.rank() == 0) {
                List<Long> after = used(claimed);
                assertThat(after.get(0) - before.get(0)).isLessThan(GroupsTest.GROUP_BYTES);
                assertNoMoreThreadsAndFiles(after, before);
            }
            List<Communicator> open = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                open.add(world.split(world.rank() % 2, i));
            }
            for (Communicator group : open) {
                int[] one = {1};
                group.allreduce(one, Reduction.SUM);
                assertThat(one).containsExactly(4);
            }
            world.barrier();
            if (world.rank() == 0) { // two groups at a time, each with four ranks on two nodes
                assertThat((used(claimed).get(0) - before.get(0)) / 2_000)
                        .isLessThan(4 * (16 << 10) + 2 * (64 << 10));
                assertNoMoreThreadsAndFiles(used(claimed), before);
            }
            world.barrier();
            open.forEach(Communicator::close);
        });
    }
}
