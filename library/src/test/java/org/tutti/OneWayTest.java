/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.CountedMemory;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that follow each other, in which some ranks only send and others only receive, and one dawdles: those that run
 * ahead of it are held back before anything is overwritten, and what is under way takes no more memory, however many
 * calls there are.
 */
@Tag("thorough")
@Timeout(300)
class OneWayTest {
    private static final long DAWDLE_NANOS = 2_000_000;
    private static final int DAWDLES = 500;

    private static int[] nodeOfRank(String shape) {
        return Arrays.stream(shape.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    /** Makes calls; the last rank dawdles now and then. Of the second half of them nothing more is claimed. */
    private static void repeat(String shape, int calls, int dawdler, Call call) {
        AtomicLong claimed = new AtomicLong();
        LocalNodes.run(nodeOfRank(shape), () -> new CountedMemory(claimed), job -> {
            IntConsumer prepared = call.prepare(job.world());
            long claimedByHalf = 0;
            for (int i = 0; i < calls; i++) {
                if (i == calls / 2) {
                    job.world().barrier();
                    claimedByHalf = claimed.get();
                    job.world().barrier();
                }
                if (job.rank() == dawdler && i % (calls / DAWDLES) == 0) {
                    LockSupport.parkNanos(DAWDLE_NANOS);
                }
                prepared.accept(i);
            }
            job.world().barrier();
            assertThat(claimed.get()).isEqualTo(claimedByHalf);
        });
    }

    /** A call that checks its result. */
    private interface Call {
        IntConsumer prepare(Communicator world);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,0,0", "0,0,1,1"})
    void shouldKeepAMillionBroadcastsApart(String shape) {
        repeat(shape, 1_000_000, 2, world -> {
            long[] data = new long[1];
            return number -> {
                data[0] = world.rank() == 0 ? number : -1;
                world.broadcast(data, 0);
                if (data[0] != number) {
                    throw new AssertionError("broadcast " + number + " brought " + data[0]);
                }
            };
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,0,0", "0,0,1,1"})
    void shouldKeepGathersApartWhenTheRootDawdles(String shape) {
        int count = 8 << 10;
        repeat(shape, 5_000, 0, world -> {
            long[] own = new long[count];
            long[] all = new long[world.size() * count];
            return number -> {
                Arrays.fill(own, number * 10L + world.rank());
                world.gather(own, all, 0);
                for (int i = 0; i < all.length && world.rank() == 0; i++) {
                    if (all[i] != number * 10L + i / count) {
                        throw new AssertionError("gather " + number + " brought " + all[i] + " at " + i);
                    }
                }
            };
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,0,0", "0,0,1,1"})
    void shouldKeepExchangesApartWhenOneRankIsLate(String shape) {
        repeat(shape, 20_000, 1, world -> {
            long[] own = new long[world.size() * 16];
            long[] all = new long[own.length];
            return number -> {
                for (int i = 0; i < own.length; i++) {
                    own[i] = number * 1_000L + world.rank() * 100 + i / 16;
                }
                world.allToAll(own, all);
                for (int i = 0; i < all.length; i++) {
                    if (all[i] != number * 1_000L + i / 16 * 100 + world.rank()) {
                        throw new AssertionError("all-to-all " + number + " brought " + all[i] + " at " + i);
                    }
                }
            };
        });
    }
}
