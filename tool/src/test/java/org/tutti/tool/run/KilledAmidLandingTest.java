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

/**
 * Ranks that are killed while long blocks land in off-heap targets of ranks on other nodes. The job begins with four
 * nodes of one rank each. Each kill takes the last rank, and the others go on in a group without it. Rank 1 is stopped
 * before the kill and continued when the other ranks have lost the killed one. It then sends the rest of its blocks,
 * which must not reach the targets any more.
 */
@Timeout(300)
class KilledAmidLandingTest {
    private static final int RANKS = 4;
    private static final int KILLS = 2;
    private static final int JOBS_MAX = 20; // the stopped rank sends in about a third of the time
    private static final int STOPPED = 1;
    private static final int DELAY_MILLIS_MAX = 200; // several calls
    private static final Duration SOON = Duration.ofSeconds(5); // and not the heartbeat of 10 s

    /**
     * Calls a collective with blocks of ones and blocks of twos in turn, until the last rank of the group is killed.
     * The root of a scatter is the stopped rank and the last one in turn. A block has landed in part if its first and
     * its last byte differ. The rank then fills its target with another number, which must still be there when the
     * remaining ranks have made further calls.
     */
    private static final String LOSES_RANKS = """
            import module org.tutti;
            import java.lang.foreign.*;

            static final int BYTES = 4 << 20;
            static final int LATE_MILLIS = 500;
            static final byte MARK = 99;

            void main(String[] arguments) throws Exception {
                int kills = Integer.parseInt(arguments[1]);
                try (var job = Tutti.join()) {
                    var groups = new Communicator[kills + 1];
                    for (int kill = 0; kill <= kills; kill++) {
                        groups[kill] = job.world().split(job.rank() < job.size() - kill ? 0 : 1, 0);
                    }
                    var targets = new ArrayList<MemorySegment>();
                    for (int kill = 0; kill < kills; kill++) {
                        targets.add(callUntilARankIsLost(groups[kill], arguments[0]));
                    }
                    var last = blocks(groups[kills], 0);
                    call(groups[kills], arguments[0], last, blocks(groups[kills], 1), 0);
                    Thread.sleep(LATE_MILLIS);
                    boolean isKept = targets.stream().allMatch(target -> isFilled(target, target.byteSize(), MARK));
                    boolean isRight = isFilled(last, receivedBytes(groups[kills], arguments[0]), 1);
                    IO.println(job.rank() + " has " + (isKept ? "kept" : "changed") + " targets and a "
                            + (isRight ? "right" : "wrong") + " result");
                }
            }

            MemorySegment callUntilARankIsLost(Communicator group, String collective) {
                var target = blocks(group, 0);
                var sources = new MemorySegment[]{blocks(group, 1), blocks(group, 2)};
                try {
                    for (int round = 0;; round++) {
                        call(group, collective, target, sources[round % 2], round % 2 * (group.size() - 2) + 1);
                        if (round == 0) {
                            IO.println(group.rank() + " runs as " + ProcessHandle.current().pid());
                        }
                    }
                } catch (RankFailedException e) {
                    boolean isAmid = false;
                    for (long at = 0; at < target.byteSize(); at += BYTES) {
                        isAmid |= get(target, at) != get(target, at + BYTES - 1);
                    }
                    target.fill(MARK);
                    IO.println(group.rank() + " lost " + e.rank() + (isAmid ? " amid a landing" : ""));
                    return target;
                }
            }

            void call(Communicator group, String collective, MemorySegment target, MemorySegment source, int root) {
                switch (collective) {
                    case "gather" -> group.gather(block(source), span(target), 0);
                    case "scatter" -> group.scatter(span(source), block(target), root);
                    default -> group.allgather(block(source), span(target));
                }
            }

            /** Returns the number of bytes that this rank receives in its target. */
            long receivedBytes(Communicator group, String collective) {
                return switch (collective) {
                    case "gather" -> group.rank() == 0 ? (long) group.size() * BYTES : 0;
                    case "scatter" -> BYTES;
                    default -> (long) group.size() * BYTES;
                };
            }

            MemorySegment blocks(Communicator group, int value) {
                return Arena.ofAuto().allocate((long) group.size() * BYTES, 64).fill((byte) value);
            }

            Span span(MemorySegment memory) {
                return Span.of(memory, DataType.BYTE);
            }

            Span block(MemorySegment memory) {
                return span(memory.asSlice(0, BYTES));
            }

            boolean isFilled(MemorySegment memory, long bytes, int value) {
                for (long at = 0; at < bytes; at++) {
                    if (get(memory, at) != value) {
                        return false;
                    }
                }
                return true;
            }

            byte get(MemorySegment memory, long at) {
                return memory.get(ValueLayout.JAVA_BYTE, at);
            }
            """;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Shapes({"gather", "scatter", "allgather"})
    void shouldNameTheKilledRankAndLeaveTheTargetsToTheProgram(String collective) throws Exception {
        boolean isAmid = false;
        for (int job = 0; job < JOBS_MAX && !isAmid; job++) {
            isAmid = loseRanks(collective);
        }
        assertThat(isAmid).as("a kill amid a landing in one of " + JOBS_MAX + " jobs").isTrue();
    }

    /** Runs a job and kills ranks of it. Returns whether a block had landed in part when a rank was killed. */
    private boolean loseRanks(String collective) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--keep-going", "--nodes", String.valueOf(RANKS), "-n",
                String.valueOf(RANKS), "--algorithm", collective + "=direct"));
        arguments.addAll(LauncherProcess.compiled(directory, LOSES_RANKS));
        arguments.addAll(List.of(collective, String.valueOf(KILLS)));
        try (var launcher = LauncherProcess.run(directory, arguments.toArray(String[]::new))) {
            launcher.awaitLines(RANKS);
            for (int kill = 1; kill <= KILLS; kill++) {
                killTheLastRank(launcher, kill);
            }
            assertThat(launcher.status()).as(launcher.err()).isEqualTo(137);
            assertThat(launcher.out().lines().filter(line -> line.endsWith("result"))).containsExactlyInAnyOrder(
                    IntStream.range(0, RANKS - KILLS).mapToObj(rank -> rank + " has kept targets and a right result")
                            .toArray(String[]::new));
            launcher.assertThatNothingIsLeft(Duration.ZERO);
            return launcher.out().contains(" amid a landing");
        }
    }

    /** Kills the last of the remaining ranks after a random delay, and checks that the others soon name it. */
    private static void killTheLastRank(LauncherProcess launcher, int kill) throws InterruptedException {
        int last = RANKS - kill;
        LauncherProcess.awaitThat("rank " + last + " calls",
                () -> lines(launcher, "\\d runs as").size() == IntStream.rangeClosed(last + 1, RANKS).sum());
        int delay = ThreadLocalRandom.current().nextInt(DELAY_MILLIS_MAX);
        Thread.sleep(delay);
        LauncherProcess.signal("STOP", process(launcher, STOPPED));
        LauncherProcess.signal("KILL", process(launcher, last));
        awaitSoon(launcher, last, last - 1, delay);
        LauncherProcess.signal("CONT", process(launcher, STOPPED));
        awaitSoon(launcher, last, last, delay);
    }

    private static ProcessHandle process(LauncherProcess launcher, int rank) {
        String line = lines(launcher, rank + " runs as").getLast();
        return ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).orElseThrow();
    }

    /** Waits until so many ranks have named a lost one. */
    private static void awaitSoon(LauncherProcess launcher, int lost, int ranks, int delay) {
        var time = new MachineTime();
        LauncherProcess.awaitThat(ranks + " ranks lose rank " + lost + " killed after " + delay + " ms",
                () -> lines(launcher, "\\d lost " + lost).size() == ranks);
        assertThat(time.elapsed()).isLessThan(SOON);
    }

    private static List<String> lines(LauncherProcess launcher, String beginning) {
        return launcher.out().lines().filter(line -> line.matches(beginning + ".*")).toList();
    }
}
