/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.List;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls of ranks that are not the root and name no target or source, written as programs write them. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class RootedCallsTest {
    private static final int ROOT = 1;
    private static final int RANKS = 3;
    private static final Blocks BLOCKS = Blocks.of(2, 2, 2);

    /** A call of a rank with elements of its own. */
    @FunctionalInterface
    private interface Call<T> {
        void run(Communicator world, T own);
    }

    /** The root makes its call as often as the other ranks have forms of theirs. */
    private static <T> void run(Supplier<T> own, List<Call<T>> forms, Call<T> ofRoot, Call<T> check) {
        Tutti.runLocal(RANKS, job -> {
            for (Call<T> form : forms) {
                T elements = own.get();
                (job.rank() == ROOT ? ofRoot : form).run(job.world(), elements);
                check.run(job.world(), elements);
            }
        });
    }

    @Test
    void shouldGatherArraysOfRanksWithoutATarget() {
        run(() -> new int[]{7, 8}, List.of((world, own) -> world.gather(own, null, ROOT),
                (world, own) -> world.nonBlocking().gather(own, null, ROOT).await(),
                (world, own) -> world.prepare().gather(own, null, ROOT).run(),
                (world, own) -> world.gather(own, ROOT),
                (world, own) -> world.nonBlocking().gather(own, ROOT).await(),
                (world, own) -> world.prepare().gather(own, ROOT).run()), (world, own) -> {
                    var all = new int[6];
                    world.gather(own, all, ROOT);
                    assertThat(all).isEqualTo(new int[]{7, 8, 7, 8, 7, 8});
                }, (_, _) -> {
                });
        run(() -> new int[]{7, 8}, List.of((world, own) -> world.gather(own, null, null, ROOT),
                (world, own) -> world.nonBlocking().gather(own, null, null, ROOT).await(),
                (world, own) -> world.prepare().gather(own, null, null, ROOT).run(),
                (world, own) -> world.gather(own, ROOT, null),
                (world, own) -> world.nonBlocking().gather(own, ROOT, null).await(),
                (world, own) -> world.prepare().gather(own, ROOT, null).run()), (world, own) -> {
                    var all = new int[6];
                    world.gather(own, all, BLOCKS, ROOT);
                    assertThat(all).isEqualTo(new int[]{7, 8, 7, 8, 7, 8});
                }, (_, _) -> {
                });
    }

    @Test
    void shouldScatterArraysToRanksWithoutASource() {
        var parts = new int[][]{{1, 2}, {3, 4}, {5, 6}};
        var all = new int[]{1, 2, 3, 4, 5, 6};
        run(() -> new int[2], List.of((world, own) -> world.scatter(null, own, ROOT),
                (world, own) -> world.nonBlocking().scatter(null, own, ROOT).await(),
                (world, own) -> world.prepare().scatter(null, own, ROOT).run(),
                (world, own) -> world.scatter(own, ROOT),
                (world, own) -> world.nonBlocking().scatter(own, ROOT).await(),
                (world, own) -> world.prepare().scatter(own, ROOT).run()),
                (world, own) -> world.scatter(all, own, ROOT),
                (world, own) -> assertThat(own).isEqualTo(parts[world.rank()]));
        run(() -> new int[2], List.of((world, own) -> world.scatter(null, null, own, ROOT),
                (world, own) -> world.nonBlocking().scatter(null, null, own, ROOT).await(),
                (world, own) -> world.prepare().scatter(null, null, own, ROOT).run(),
                (world, own) -> world.scatter(own, ROOT, null),
                (world, own) -> world.nonBlocking().scatter(own, ROOT, null).await(),
                (world, own) -> world.prepare().scatter(own, ROOT, null).run()),
                (world, own) -> world.scatter(all, BLOCKS, own, ROOT),
                (world, own) -> assertThat(own).isEqualTo(parts[world.rank()]));
    }

    @Test
    void shouldReduceArraysOfRanksWithoutATarget() {
        run(() -> new int[]{6, 7}, List.of((world, own) -> world.reduce(own, null, Reduction.SUM, ROOT),
                (world, own) -> world.nonBlocking().reduce(own, null, Reduction.SUM, ROOT).await(),
                (world, own) -> world.prepare().reduce(own, null, Reduction.SUM, ROOT).run(),
                (world, own) -> world.reduce(own, Reduction.SUM, ROOT),
                (world, own) -> world.nonBlocking().reduce(own, Reduction.SUM, ROOT).await(),
                (world, own) -> world.prepare().reduce(own, Reduction.SUM, ROOT).run()), (world, own) -> {
                    var combined = new int[2];
                    world.reduce(own, combined, Reduction.SUM, ROOT);
                    assertThat(combined).isEqualTo(new int[]{18, 21});
                }, (_, own) -> assertThat(own).isEqualTo(new int[]{6, 7}));
    }

    @Test
    void shouldGatherArraysOfBooleansOfRanksWithoutATarget() {
        run(() -> new boolean[]{true, false}, List.of((world, own) -> world.gather(own, null, ROOT),
                (world, own) -> world.nonBlocking().gather(own, null, ROOT).await(),
                (world, own) -> world.prepare().gather(own, null, ROOT).run(),
                (world, own) -> world.gather(own, ROOT),
                (world, own) -> world.nonBlocking().gather(own, ROOT).await(),
                (world, own) -> world.prepare().gather(own, ROOT).run()), (world, own) -> {
                    var all = new boolean[6];
                    world.gather(own, all, ROOT);
                    assertThat(all).isEqualTo(new boolean[]{true, false, true, false, true, false});
                }, (_, _) -> {
                });
        run(() -> new boolean[]{true, false}, List.of((world, own) -> world.gather(own, null, null, ROOT),
                (world, own) -> world.nonBlocking().gather(own, null, null, ROOT).await(),
                (world, own) -> world.prepare().gather(own, null, null, ROOT).run(),
                (world, own) -> world.gather(own, ROOT, null),
                (world, own) -> world.nonBlocking().gather(own, ROOT, null).await(),
                (world, own) -> world.prepare().gather(own, ROOT, null).run()), (world, own) -> {
                    var all = new boolean[6];
                    world.gather(own, all, BLOCKS, ROOT);
                    assertThat(all).isEqualTo(new boolean[]{true, false, true, false, true, false});
                }, (_, _) -> {
                });
    }

    @Test
    void shouldScatterArraysOfBooleansToRanksWithoutASource() {
        var parts = new boolean[][]{{true, false}, {false, false}, {true, true}};
        var all = new boolean[]{true, false, false, false, true, true};
        run(() -> new boolean[2], List.of((world, own) -> world.scatter(null, own, ROOT),
                (world, own) -> world.nonBlocking().scatter(null, own, ROOT).await(),
                (world, own) -> world.prepare().scatter(null, own, ROOT).run(),
                (world, own) -> world.scatter(own, ROOT),
                (world, own) -> world.nonBlocking().scatter(own, ROOT).await(),
                (world, own) -> world.prepare().scatter(own, ROOT).run()),
                (world, own) -> world.scatter(all, own, ROOT),
                (world, own) -> assertThat(own).isEqualTo(parts[world.rank()]));
        run(() -> new boolean[2], List.of((world, own) -> world.scatter(null, null, own, ROOT),
                (world, own) -> world.nonBlocking().scatter(null, null, own, ROOT).await(),
                (world, own) -> world.prepare().scatter(null, null, own, ROOT).run(),
                (world, own) -> world.scatter(own, ROOT, null),
                (world, own) -> world.nonBlocking().scatter(own, ROOT, null).await(),
                (world, own) -> world.prepare().scatter(own, ROOT, null).run()),
                (world, own) -> world.scatter(all, BLOCKS, own, ROOT),
                (world, own) -> assertThat(own).isEqualTo(parts[world.rank()]));
    }

    @Test
    void shouldReduceArraysOfBooleansOfRanksWithoutATarget() {
        run(() -> new boolean[]{false, true},
                List.of((world, own) -> world.reduce(own, null, Reduction.LOGICAL_OR, ROOT),
                        (world, own) -> world.nonBlocking().reduce(own, null, Reduction.LOGICAL_OR, ROOT).await(),
                        (world, own) -> world.prepare().reduce(own, null, Reduction.LOGICAL_OR, ROOT).run(),
                        (world, own) -> world.reduce(own, Reduction.LOGICAL_OR, ROOT),
                        (world, own) -> world.nonBlocking().reduce(own, Reduction.LOGICAL_OR, ROOT).await(),
                        (world, own) -> world.prepare().reduce(own, Reduction.LOGICAL_OR, ROOT).run()),
                (world, own) -> {
                    var combined = new boolean[2];
                    world.reduce(own, combined, Reduction.LOGICAL_OR, ROOT);
                    assertThat(combined).isEqualTo(new boolean[]{false, true});
                }, (_, own) -> assertThat(own).isEqualTo(new boolean[]{false, true}));
    }

    @Test
    void shouldGatherSpansOfRanksWithoutATarget() {
        run(() -> Span.of(new int[]{7, 8}), List.of((world, own) -> world.gather(own, null, ROOT),
                (world, own) -> world.nonBlocking().gather(own, null, ROOT).await(),
                (world, own) -> world.prepare().gather(own, null, ROOT).run(),
                (world, own) -> world.gather(own, ROOT),
                (world, own) -> world.nonBlocking().gather(own, ROOT).await(),
                (world, own) -> world.prepare().gather(own, ROOT).run()), (world, own) -> {
                    var all = Span.of(new int[6]);
                    world.gather(own, all, ROOT);
                    assertThat(all.segment().toArray(JAVA_INT)).isEqualTo(new int[]{7, 8, 7, 8, 7, 8});
                }, (_, _) -> {
                });
        run(() -> Span.of(new int[]{7, 8}), List.of((world, own) -> world.gather(own, null, null, ROOT),
                (world, own) -> world.nonBlocking().gather(own, null, null, ROOT).await(),
                (world, own) -> world.prepare().gather(own, null, null, ROOT).run(),
                (world, own) -> world.gather(own, ROOT, null),
                (world, own) -> world.nonBlocking().gather(own, ROOT, null).await(),
                (world, own) -> world.prepare().gather(own, ROOT, null).run()), (world, own) -> {
                    var all = Span.of(new int[6]);
                    world.gather(own, all, BLOCKS, ROOT);
                    assertThat(all.segment().toArray(JAVA_INT)).isEqualTo(new int[]{7, 8, 7, 8, 7, 8});
                }, (_, _) -> {
                });
    }

    @Test
    void shouldScatterSpansToRanksWithoutASource() {
        var parts = new int[][]{{1, 2}, {3, 4}, {5, 6}};
        var all = Span.of(new int[]{1, 2, 3, 4, 5, 6});
        run(() -> Span.of(new int[2]), List.of((world, own) -> world.scatter(null, own, ROOT),
                (world, own) -> world.nonBlocking().scatter(null, own, ROOT).await(),
                (world, own) -> world.prepare().scatter(null, own, ROOT).run(),
                (world, own) -> world.scatter(own, ROOT),
                (world, own) -> world.nonBlocking().scatter(own, ROOT).await(),
                (world, own) -> world.prepare().scatter(own, ROOT).run()),
                (world, own) -> world.scatter(all, own, ROOT),
                (world, own) -> assertThat(own.segment().toArray(JAVA_INT)).isEqualTo(parts[world.rank()]));
        run(() -> Span.of(new int[2]), List.of((world, own) -> world.scatter(null, null, own, ROOT),
                (world, own) -> world.nonBlocking().scatter(null, null, own, ROOT).await(),
                (world, own) -> world.prepare().scatter(null, null, own, ROOT).run(),
                (world, own) -> world.scatter(own, ROOT, null),
                (world, own) -> world.nonBlocking().scatter(own, ROOT, null).await(),
                (world, own) -> world.prepare().scatter(own, ROOT, null).run()),
                (world, own) -> world.scatter(all, BLOCKS, own, ROOT),
                (world, own) -> assertThat(own.segment().toArray(JAVA_INT)).isEqualTo(parts[world.rank()]));
    }

    @Test
    void shouldReduceSpansOfRanksWithoutATarget() {
        run(() -> Span.of(new int[]{6, 7}), List.of((world, own) -> world.reduce(own, null, Reduction.SUM, ROOT),
                (world, own) -> world.nonBlocking().reduce(own, null, Reduction.SUM, ROOT).await(),
                (world, own) -> world.prepare().reduce(own, null, Reduction.SUM, ROOT).run(),
                (world, own) -> world.reduce(own, Reduction.SUM, ROOT),
                (world, own) -> world.nonBlocking().reduce(own, Reduction.SUM, ROOT).await(),
                (world, own) -> world.prepare().reduce(own, Reduction.SUM, ROOT).run()), (world, own) -> {
                    var combined = Span.of(new int[2]);
                    world.reduce(own, combined, Reduction.SUM, ROOT);
                    assertThat(combined.segment().toArray(JAVA_INT)).isEqualTo(new int[]{18, 21});
                }, (_, own) -> assertThat(own.segment().toArray(JAVA_INT)).isEqualTo(new int[]{6, 7}));
    }
}
