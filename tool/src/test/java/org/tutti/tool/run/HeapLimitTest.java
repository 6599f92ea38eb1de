/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Machines and containers as directories that look like theirs. */
class HeapLimitTest {
    private static final long MACHINE_BYTES = 16L << 30;

    @TempDir
    private Path root;

    private void write(String file, String text) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text + "\n");
    }

    private void writeMachine(String groups) throws IOException {
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB");
        write("proc/self/cgroup", groups);
    }

    @Test
    void shouldTakeTheMachinesMemoryWithoutAContainer() throws Exception {
        assertThat(HeapLimit.machineBytes(root)).isZero();
        writeMachine("0::/user.slice");
        write("sys/fs/cgroup/user.slice/memory.max", "max");
        assertThat(HeapLimit.machineBytes(root)).isEqualTo(MACHINE_BYTES);
    }

    @Test
    void shouldTakeTheLeastLimitOfUnifiedGroups() throws Exception {
        writeMachine("0::/kube/pod/container");
        write("sys/fs/cgroup/kube/memory.max", "" + (8L << 30));
        write("sys/fs/cgroup/kube/pod/memory.max", "" + (2L << 30));
        write("sys/fs/cgroup/kube/pod/container/memory.max", "max");
        assertThat(HeapLimit.machineBytes(root)).isEqualTo(2L << 30);
    }

    @Test
    void shouldTakeTheLimitOfAContainerThatSeesItselfOnly() throws Exception {
        writeMachine("0::/");
        write("sys/fs/cgroup/memory.max", "1000000");
        assertThat(HeapLimit.machineBytes(root)).isEqualTo(1_000_000);
        write("sys/fs/cgroup/memory.max", "" + (MACHINE_BYTES + 1));
        assertThat(HeapLimit.machineBytes(root)).isEqualTo(MACHINE_BYTES);
    }

    @Test
    void shouldTakeTheLimitOfTheMemoryController() throws Exception {
        writeMachine("9:name=systemd:/\n4:cpu,memory:/docker/1f\n3:cpuset:/");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
        assertThat(HeapLimit.machineBytes(root)).isEqualTo(MACHINE_BYTES);
        write("sys/fs/cgroup/memory/docker/1f/memory.limit_in_bytes", "" + (1L << 30));
        assertThat(HeapLimit.machineBytes(root)).isEqualTo(1L << 30);
    }
}
