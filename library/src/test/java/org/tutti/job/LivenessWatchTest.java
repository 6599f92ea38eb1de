/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

import static org.assertj.core.api.Assertions.assertThat;

/** What a process sees of another one of its node. */
@Timeout(60)
class LivenessWatchTest {
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final long STANDSTILL_MILLIS = 300_000;
    private static final int LOOKS = 3;

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
        try (var access = new OnlyLivingProcess(node, memory);
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

    /** A node whose process of rank 0 lives alone. */
    private record OnlyLivingProcess(Node node, Memory memory) implements NodeAccess {
        @Override
        public boolean livesProcess(int firstRank) {
            return firstRank == 0;
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
