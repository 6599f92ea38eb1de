/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.tool.Shapes;

import static org.assertj.core.api.Assertions.assertThat;

/** Ranks that are killed while messages of all kinds are under way. */
@Timeout(300)
class KilledAmidMessagesTest {
    private static final int RANKS = 4;
    private static final int JOBS = 5;
    private static final int DELAY_MILLIS_MAX = 150;
    private static final Duration SOON = Duration.ofSeconds(5); // and not the heartbeat of 10 s

    /**
     * Each rank sends to its right neighbour and receives from its left one, in ways and lengths that are random and
     * the same at all ranks. The elements are checked. A rank that loses another one says so, and then waits for any
     * rank on a group without the lost one.
     */
    private static final String LOSES_A_RANK = """
            import module org.tutti;

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    int killed = 3;
                    var world = job.world();
                    var rest = world.split(world.rank() == killed ? 1 : 0, 0);
                    int right = (world.rank() + 1) % world.size();
                    int left = (world.rank() + world.size() - 1) % world.size();
                    var random = new Random(5);
                    try {
                        for (int round = 0;; round++) {
                            int length = random.nextInt(1 << random.nextInt(18));
                            exchange(world, right, left, length, random.nextInt(6), round);
                            if (round == 20) {
                                IO.println(world.rank() + " runs as " + ProcessHandle.current().pid());
                            }
                        }
                    } catch (RankFailedException e) {
                        try {
                            world.receive(new int[1], Communicator.ANY_RANK, 99);
                        } catch (RankFailedException again) {
                            int next = (rest.rank() + 1) % rest.size();
                            int before = (rest.rank() + rest.size() - 1) % rest.size();
                            exchange(rest, next, before, 100_000, 1, 7);
                            IO.println(world.rank() + " lost " + e.rank() + " and " + again.rank());
                        }
                    }
                }
            }

            void exchange(Communicator world, int right, int left, int length, int way, int round) {
                var data = new int[length];
                Arrays.fill(data, round);
                var ghost = new int[length];
                switch (way) {
                    case 0 -> world.exchange(data, right, ghost, left, 0);
                    case 1 -> {
                        var receive = world.nonBlocking().receive(ghost, left, 0);
                        Request.awaitAll(world.nonBlocking().send(data, right, 0), receive);
                    }
                    case 2 -> {
                        var send = world.nonBlocking().sendSynchronous(data, right, 0);
                        world.receive(ghost, Communicator.ANY_RANK, Communicator.ANY_TAG);
                        send.await();
                    }
                    case 3 -> {
                        var send = world.nonBlocking().send(data, right, 0);
                        world.probe(left, 0).receive(ghost);
                        send.await();
                    }
                    case 4 -> {
                        var receive = world.nonBlocking().receive(ghost, left, 0);
                        world.send(data, right, 0);
                        while (!receive.isDone()) {
                            Thread.onSpinWait();
                        }
                        receive.await();
                    }
                    default -> {
                        if (world.rank() % 2 == 0) {
                            world.send(data, right, 0);
                            world.receive(ghost, left, 0);
                        } else {
                            world.receive(ghost, left, 0);
                            world.send(data, right, 0);
                        }
                    }
                }
                for (int element : ghost) {
                    if (element != round) {
                        throw new IllegalStateException(element + " in round " + round);
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Shapes({"", "--nodes 4", "--nodes 2"})
    void shouldNameTheKilledRank(String options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--keep-going", "-n", String.valueOf(RANKS)));
        if (!options.isEmpty()) {
            arguments.addAll(List.of(options.split(" ")));
        }
        arguments.addAll(LauncherProcess.compiled(directory, LOSES_A_RANK));
        for (int job = 0; job < JOBS; job++) {
            try (var launcher = LauncherProcess.run(directory, arguments.toArray(String[]::new))) {
                launcher.awaitLines(RANKS);
                int delay = ThreadLocalRandom.current().nextInt(DELAY_MILLIS_MAX);
                Thread.sleep(delay);
                var time = new MachineTime();
                LauncherProcess.signal("KILL", process(launcher, RANKS - 1));
                String lost = " lost " + (RANKS - 1) + " and " + (RANKS - 1);
                LauncherProcess.awaitThat("all ranks lose the one that was killed after " + delay + " ms",
                        () -> launcher.out().lines().filter(line -> line.contains(" lost ")).count() == RANKS - 1);
                assertThat(time.elapsed()).isLessThan(SOON);
                assertThat(launcher.out().lines().filter(line -> line.contains(" lost "))).containsExactlyInAnyOrder(
                        IntStream.range(0, RANKS - 1).mapToObj(rank -> rank + lost).toArray(String[]::new));
                assertThat(launcher.status()).as(launcher.err()).isEqualTo(137);
                launcher.assertThatNothingIsLeft(Duration.ZERO);
            }
        }
    }

    private static ProcessHandle process(LauncherProcess launcher, int rank) {
        String line = launcher.out().lines().filter(each -> each.startsWith(rank + " runs as")).findFirst()
                .orElseThrow();
        return ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).orElseThrow();
    }
}
