/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Long blocks of other nodes, which go straight to the targets of the calls. */
@Timeout(120)
class LandingTest {
    private static final int[] NODES = {0, 1};
    private static final int[] FEW_OF_MANY = {0, 1, 1, 2, 2, 2};
    private static final int BYTES = (1 << 20) + 40; // several operations, of which the last may be too short to land
    private static final byte MARK = 42;
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int ROUNDS = 20;

    private enum Landing {
        GATHER {
            @Override
            void call(Communicator world, Span all, Span one) {
                world.gather(filled(world.rank(), BYTES), all, 0);
            }
        },
        SCATTER {
            @Override
            void call(Communicator world, Span all, Span one) {
                world.scatter(world.rank() == ROOT ? filled(ROOT, world.size() * BYTES) : null, one, ROOT);
            }
        },
        ALLGATHER {
            @Override
            void call(Communicator world, Span all, Span one) {
                world.allgather(filled(world.rank(), BYTES), all);
            }
        };

        private static final int ROOT = 1;

        /** Calls the collective, with a target for the blocks of all ranks and one for a block. */
        abstract void call(Communicator world, Span all, Span one);
    }

    private static Span filled(int rank, int bytes) {
        MemorySegment source = Arena.ofAuto().allocate(bytes);
        source.fill((byte) (rank + 1));
        return Span.of(source, DataType.BYTE);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReceiveBlocksInTargets(Landing landing) {
        for (int turn = 0; turn < 4; turn++) {
            int[] nodeOfRank = turn < 2 ? NODES : FEW_OF_MANY;
            boolean inHeap = turn % 2 == 0;
            LocalNodes.run(nodeOfRank, job -> {
                var world = job.world();
                MemorySegment all = memory(inHeap, world.size() * BYTES);
                MemorySegment one = memory(inHeap, BYTES);
                landing.call(world, span(all), span(one));
                if (landing == Landing.SCATTER) {
                    assertThat(one.mismatch(filled(Landing.ROOT, BYTES).segment())).isEqualTo(-1);
                } else if (landing != Landing.GATHER || world.rank() == 0) {
                    for (int rank = 0; rank < world.size(); rank++) {
                        assertThat(all.asSlice((long) rank * BYTES, BYTES).mismatch(filled(rank, BYTES).segment()))
                                .as("block of rank %s", rank).isEqualTo(-1);
                    }
                }
            });
        }
    }

    /** The memory is the program's again when the call has thrown, although another rank still sends. */
    @ParameterizedTest
    @EnumSource
    void shouldPutNothingIntoATargetAfterADeadline(Landing landing) {
        for (int round = 0; round < ROUNDS; round++) {
            var hasThrown = new CountDownLatch(1);
            var hasSent = new CountDownLatch(1);
            boolean inHeap = round % 2 == 0;
            LocalNodes.run(NODES, job -> {
                var world = job.world();
                MemorySegment all = memory(inHeap, world.size() * BYTES);
                MemorySegment one = memory(inHeap, BYTES);
                landing.call(world, span(all), span(one));
                if (world.rank() == 0) {
                    assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(
                            () -> landing.call(world.withDeadline(SHORT), span(all), span(one)));
                    all.fill(MARK);
                    one.fill(MARK);
                    hasThrown.countDown();
                    await(hasSent);
                    assertThat(isMarked(all) && isMarked(one)).isTrue();
                } else {
                    await(hasThrown);
                    assertThat(catchThrowable(() -> landing.call(world, span(all), span(one))))
                            .satisfiesAnyOf(thrown -> assertThat(thrown).isNull(),
                                    thrown -> assertThat(thrown).isInstanceOf(TuttiException.class));
                    hasSent.countDown();
                }
            });
        }
    }

    private static MemorySegment memory(boolean inHeap, int bytes) {
        return inHeap ? MemorySegment.ofArray(new byte[bytes]) : Arena.ofAuto().allocate(bytes);
    }

    private static Span span(MemorySegment memory) {
        return Span.of(memory, DataType.BYTE);
    }

    private static boolean isMarked(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at) != MARK) {
                return false;
            }
        }
        return true;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
