/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.JobStartException;
import org.tutti.NodeMemoryException;
import org.tutti.job.launch.EnvironmentReader;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.memory.OtherProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class NodeFileTest {
    private static final String JOB = "restarted";
    private static final NodeShape SHAPE = NodeShape.single(JOB, 2);
    private static final int PATIENCE_SECONDS = 30;
    private static final int STRANGER = 65534;

    private Path directory;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "tutti-test");
    }

    @AfterEach
    void removeDirectory() throws IOException {
        for (Path file : files()) {
            Files.delete(file);
        }
        Files.delete(directory);
    }

    private Path[] files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toArray(Path[]::new);
        }
    }

    private Path onlyFile() throws IOException {
        assertThat(files()).hasSize(1);
        return files()[0];
    }

    /** What a process of rank 0 or 1 does. */
    private NodeFile join(int rank) {
        JobEnvironment environment = EnvironmentReader.read(Map.of(JobEnvironment.JOB, JOB, JobEnvironment.RANK,
                String.valueOf(rank), JobEnvironment.SIZE, "2", JobEnvironment.MEMORY, directory.toString())).get();
        return NodeFile.join(environment, System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L);
    }

    /** Puts a file there as a job leaves it whose processes were killed while they joined. */
    private Path leaveOver(int... joined) throws IOException {
        Path name;
        Path kept = directory.resolve("kept");
        try (NodeFile file = join(0)) {
            for (int rank : joined) {
                file.node().markJoined(rank, rank);
            }
            name = onlyFile();
            Files.createLink(kept, name);
        }
        return Files.move(kept, name, StandardCopyOption.ATOMIC_MOVE);
    }

    private FutureTask<NodeFile> startToJoin(int rank) throws InterruptedException {
        FutureTask<NodeFile> joining = new FutureTask<>(() -> join(rank));
        Thread thread = Thread.ofPlatform().start(joining);
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.sleep(1);
        }
        return joining;
    }

    @Test
    void shouldNotJoinAJobThatNobodyIsPartOf() throws IOException {
        leaveOver(0);
        try (NodeFile file = join(1)) {
            assertThat(file.hasJoined(0)).isFalse();
        }
    }

    @Test
    void shouldWaitUntilALeftOverFileIsSwept() throws Exception {
        Path left = leaveOver(0);
        FutureTask<NodeFile> joining;
        try (var _ = OtherProcess.thatIsSweeping(left)) {
            joining = startToJoin(1);
        }
        try (NodeFile file = joining.get()) {
            assertThat(file.hasJoined(0)).isFalse();
            assertThat(onlyFile()).isEqualTo(left);
        }
    }

    @Test
    void shouldWaitUntilTheLastProcessOfAKilledJobIsGone() throws Exception {
        Path left = leaveOver(0, 1);
        FutureTask<NodeFile> joining;
        try (var _ = OtherProcess.thatHolds(left, 2)) { // rank 1 has not quite ended when rank 0 starts again
            joining = startToJoin(0);
        }
        try (NodeFile file = joining.get()) {
            assertThat(file.hasJoined(1)).isFalse();
        }
    }

    @Test
    void shouldRefuseARankThatAnotherProcessKeeps() throws IOException {
        Path left = leaveOver();
        try (var _ = OtherProcess.thatHolds(left, 2)) {
            assertThatThrownBy(() -> join(1)).isInstanceOf(JobStartException.class)
                    .hasMessageContaining("another process has that rank");
        }
    }

    // ---- names

    @Test
    void shouldHaveAnotherNameForEachUser() throws IOException {
        Object user = Files.getAttribute(directory, "unix:uid");
        try (NodeFile _ = join(0)) {
            assertThat(onlyFile().getFileName()).hasToString("tutti-" + JOB + "." + user + ".0.node");
        }
    }

    @Test
    void shouldSayWhoseAFileIsThatHasItsName() throws IOException {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "skipped: only root gives files away");
        Path left = leaveOver(0);
        Files.setAttribute(left, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
        assertThatThrownBy(() -> join(0)).isInstanceOf(NodeMemoryException.class)
                .hasMessageContainingAll(left.toString(), "belongs to nobody", "a directory of your own");
        assertThatThrownBy(() -> NodeFile.create(directory, SHAPE, Secret.random()))
                .isInstanceOf(NodeMemoryException.class)
                .hasMessageContainingAll(left.toString(), "belongs to nobody", "a directory of your own");
        assertThat(left).exists();
    }

    @Test
    void shouldSayThatAJobOfThatNameRuns() throws IOException {
        Path left = leaveOver(0);
        try (var _ = OtherProcess.thatHolds(left, 1)) {
            assertThatThrownBy(() -> NodeFile.create(directory, SHAPE, Secret.random()))
                    .isInstanceOf(NodeMemoryException.class).hasMessageContaining("is running already");
        }
    }
}
