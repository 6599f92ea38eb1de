/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.NodeMemoryException;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.launch.EnvironmentReader;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeAccess;
import org.tutti.job.node.NodeFile;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.memory.Memory;
import org.tutti.memory.OtherProcess;
import org.tutti.memory.WaitClock;

import static org.assertj.core.api.Assertions.assertThat;

/** The view that a process has of another process of its node. */
@Timeout(60)
class LivenessWatchTest {
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final long STANDSTILL_MILLIS = 300_000;
    private static final int LOOKS = 3;
    private static final long LOOK_MILLIS = 200;

    /** Of rank 1; the launcher is the first. */
    private static final int PARTICIPANT = 2;

    private Path directory;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "tutti-test");
    }

    @AfterEach
    void removeDirectory() throws IOException {
        Files.delete(directory);
    }

    /** Who has said that it failed may go on reading for a while. */
    @Test
    void shouldSeeThatTheProcessOfAFailedRankHasEndedWhenItHas() throws Exception {
        try (NodeFile file = join(0);
                LivenessWatch _ =
                        new LivenessWatch(file, 0, 1, null, new RankThreads(file.node()), STANDSTILL_MILLIS, true)) {
            Node node = file.node();
            node.markJoined(0, 0);
            try (var _ = OtherProcess.thatHolds(onlyFile(), PARTICIPANT)) {
                node.markJoined(1, 1);
                node.markFailed(RankFailure.threw(1));
                for (long beats = node.beats(0) + LOOKS; node.beats(0) < beats;) {
                    Thread.sleep(1);
                }
                assertThat(node.hasEnded(1)).isFalse();
            }
            while (!node.hasEnded(1)) {
                Thread.sleep(1);
            }
            assertThat(node.hasEnded(0)).isFalse();
        }
    }

    /** Who asks where the ranks are has the process claim memory for its answer. */
    @Test
    void shouldSeeThatAProcessHasEndedAlsoWhenThereIsNoMemoryToAnswerIn() throws InterruptedException {
        var memory = new FullMemory();
        Node node = Node.create(memory, memory.claim(NodeLayout.bytes(2), "the ranks' states"),
                NodeShape.single("watch", 2), Secret.random(), false);
        memory.full = true;
        node.markJoined(0, 0);
        node.markJoined(1, 1);
        node.stackQuery().ask();
        try (var access = new OneProcessOfTwo(node, memory, false);
                LivenessWatch _ =
                        new LivenessWatch(access, 0, 1, null, new RankThreads(node), STANDSTILL_MILLIS, true)) {
            while (node.state(1) != NodeLayout.FAILED) {
                Thread.sleep(1);
            }
            assertThat(node.stackQuery().isAsked(0)).isTrue();
            memory.full = false;
            while (node.stackQuery().isAsked(0)) {
                Thread.sleep(1);
            }
        }
    }

    /** Passes as the watch parks; rank 1 beats at each look until it stands still. */
    private static final class MovedClock implements WaitClock {
        private final Node node;
        private final long standsStillNanos;
        private final AtomicLong now = new AtomicLong();
        private volatile long failedNanos;

        MovedClock(Node node, Duration standsStill) {
            this.node = node;
            this.standsStillNanos = standsStill.toNanos();
        }

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public void park(long nanos) {
            if (failedNanos > 0) {
                LockSupport.parkNanos(nanos); // until it is closed
            } else if (node.state(1) == NodeLayout.FAILED) {
                failedNanos = now.get();
            } else {
                if (now.get() < standsStillNanos) {
                    node.beat(1);
                }
                now.addAndGet(nanos);
            }
        }
    }

    /** It takes as long as the limit, and two looks at most, of which the first may be the last that saw a beat. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1000, 900_000})
    void shouldGiveUpAProcessThatLivesAndStandsStillAtItsLimit(long standsStillMillis) throws InterruptedException {
        var memory = new FullMemory();
        Node node = Node.create(memory, memory.claim(NodeLayout.bytes(2), "the ranks' states"),
                NodeShape.single("watch", 2), Secret.random(), false);
        node.markJoined(0, 0);
        node.markJoined(1, 1);
        var clock = new MovedClock(node, Duration.ofMillis(standsStillMillis));
        try (var access = new OneProcessOfTwo(node, memory, true);
                LivenessWatch _ = new LivenessWatch(access, 0, 1, null, new RankThreads(node), STANDSTILL_MILLIS,
                        true, clock)) {
            while (clock.failedNanos == 0) {
                Thread.sleep(1);
            }
            assertThat(Duration.ofNanos(clock.failedNanos).toMillis() - standsStillMillis)
                    .isBetween(STANDSTILL_MILLIS - 2 * LOOK_MILLIS, STANDSTILL_MILLIS + 2 * LOOK_MILLIS);
        }
    }

    /** Memory that nothing can be claimed from while it is full. */
    private static final class FullMemory extends CountedMemory {
        private volatile boolean full;

        FullMemory() {
            super(new AtomicLong());
        }

        @Override
        protected long claimNew(long bytes, String purpose) {
            if (full) {
                throw new NodeMemoryException("there is no memory for " + purpose, null);
            }
            return super.claimNew(bytes, purpose);
        }
    }

    /** Two ranks with a process each, as the one of rank 0 sees them. */
    private record OneProcessOfTwo(Node node, Memory memory, boolean otherLives) implements NodeAccess {
        @Override
        public boolean livesProcess(int firstRank) {
            return firstRank == 0 || otherLives;
        }

        @Override
        public boolean livesLauncher() {
            return false;
        }

        @Override
        public void unlink() {}

        @Override
        public void close() {
            memory.close();
        }
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList().getFirst();
        }
    }

    private NodeFile join(int rank) {
        return NodeFile.join(EnvironmentReader.read(Map.of(JobEnvironment.JOB, "watch", JobEnvironment.RANK,
                String.valueOf(rank), JobEnvironment.SIZE, "2", JobEnvironment.MEMORY, directory.toString())).get(),
                System.nanoTime() + PATIENCE_NANOS);
    }
}
