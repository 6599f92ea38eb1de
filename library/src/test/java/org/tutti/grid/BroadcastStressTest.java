/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.grid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Rows;
import org.tutti.Span;
import org.tutti.choice.Catalogue;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Broadcasts and barriers of all algorithms back to back in one job, with changing roots and sizes, in arrays, in
 * memory confined to a thread and in shared memory, each rank as it likes; and ranks dawdle, so that each is the late
 * one at times. Afterwards every byte is checked, and those before and behind the message.
 */
@Timeout(120)
@Tag("sampled")
class BroadcastStressTest {
    private static final int OPERATIONS = Integer.getInteger("stress.operations", Rows.times(1000));
    private static final int[] BYTES =
            {0, 1, 48, 49, 4095, 8192, 8193, 20_000, 32_767, 32_768, 65_536, 65_537, 131_073, 300_001, 700_000,
                    1_500_000};
    private static final int MARGIN = 5;
    private static final byte UNTOUCHED = 99;

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"0,0,0; 1", "0,0,0,1,2,2; 2", "0,2,1,0,0,1,0; 3", "0,1,1,1,1,2; 4",
            "0,1,2,3,4,4; 5"})
    void shouldKeepOperationsApart(String shape, long seed) {
        int[] nodeOfRank = Arrays.stream(shape.split(",")).mapToInt(Integer::parseInt).toArray();
        List<String> broadcasts = names(Collective.BROADCAST);
        List<String> barriers = names(Collective.BARRIER);
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            Random common = new Random(seed);
            Random own = new Random(seed * 1000 + world.rank());
            for (int operation = 0; operation < OPERATIONS; operation++) {
                if (own.nextInt(100) == 0) {
                    LockSupport.parkNanos(300_000);
                }
                int bytes = BYTES[common.nextInt(common.nextInt(3) == 0 ? BYTES.length : 8)];
                int root = common.nextInt(nodeOfRank.length);
                if (common.nextInt(20) == 0) {
                    world.withAlgorithm(Collective.BARRIER, draw(common, barriers)).barrier();
                } else {
                    String algorithm = draw(common, broadcasts);
                    try (Arena confined = Arena.ofConfined(); Arena shared = Arena.ofShared()) {
                        MemorySegment memory = memory(own.nextInt(3), bytes + 2 * MARGIN, confined, shared);
                        broadcast(world.withAlgorithm(Collective.BROADCAST, algorithm), memory, operation, root,
                                algorithm);
                    }
                }
            }
        });
    }

    private static List<String> names(Collective collective) {
        return Catalogue.of(collective).stream().map(algorithm -> algorithm.description().name()).toList();
    }

    private static String draw(Random random, List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    private static MemorySegment memory(int kind, int bytes, Arena confined, Arena shared) {
        return switch (kind) {
            case 0 -> MemorySegment.ofArray(new byte[bytes]);
            case 1 -> confined.allocate(bytes);
            default -> shared.allocate(bytes);
        };
    }

    private static void broadcast(Communicator world, MemorySegment memory, int operation, int root,
            String algorithm) {
        memory.fill(UNTOUCHED);
        int bytes = (int) memory.byteSize() - 2 * MARGIN;
        MemorySegment data = memory.asSlice(MARGIN, bytes);
        byte[] expected = new byte[bytes + 2 * MARGIN];
        Arrays.fill(expected, UNTOUCHED);
        for (int i = 0; i < bytes; i++) {
            expected[MARGIN + i] = (byte) (operation * 31 + i * 7 + (i >> 8));
        }
        if (world.rank() == root) {
            MemorySegment.copy(expected, MARGIN, data, ValueLayout.JAVA_BYTE, 0, bytes);
        }
        world.broadcast(Span.of(data, DataType.BYTE), root);
        long wrong = memory.mismatch(MemorySegment.ofArray(expected));
        assertThat(wrong).as("first wrong byte of %s bytes by %s, operation %s", bytes, algorithm, operation)
                .isEqualTo(-1);
        data.fill(UNTOUCHED); // the caller may do as it likes again: nobody may still read or write here
    }
}
