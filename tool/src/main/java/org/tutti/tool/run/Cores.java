/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.tool.UsageException;

/** The cores that this process and the ranks of this node may use, and each process's share of them. */
public final class Cores {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cores() {}

    /** {@return how many cores the ranks may use together, within the limits of control groups} */
    static int count() {
        return Runtime.getRuntime().availableProcessors();
    }

    /**
     * {@return the words to put before a command to run it on the share of one process; empty if processes are not
     * bound}
     */
    static List<String> binding(NodePlan plan, int process) {
        var share = plan.share();
        return plan.bind()
                ? List.of("taskset", "--cpu-list",
                        share(allowed(), share.firstProcess() + process, share.processes()))
                : List.of();
    }

    /**
     * {@return the levels of the node's ranks if they are bound, as {@link CpuLevels#groups} finds them; otherwise
     * empty}
     */
    static List<Integer> levels(NodePlan plan) {
        if (!plan.bind()) {
            return List.of();
        }
        var share = plan.share();
        List<Integer> cores = allowed();
        return new CpuLevels(CpuLevels.SYSTEM).groups(IntStream.range(0, plan.shape().nodeRanks())
                .mapToObj(rank -> parse(share(cores, share.firstProcess() + rank / plan.ranksPerProcess(),
                        share.processes())))
                .toList());
    }

    /** {@return whether the system says on which processors this process may run} */
    static boolean areKnown() {
        return Files.isReadable(STATUS);
    }

    /**
     * Checks that processes and threads can be bound here.
     *
     * @param option the option that needs it
     * @throws UsageException if they cannot be bound
     */
    public static void requireBinding(String option) {
        if (!areKnown() || onPath("taskset").isEmpty()) {
            throw new UsageException(option + " needs Linux and the command taskset, and there is none on PATH; "
                    + "install util-linux or leave " + option + " out");
        }
    }

    /**
     * The share of one process: a contiguous part of the cores. With more processes than cores, neighbours share a
     * core.
     */
    static String share(List<Integer> cores, int process, int processes) {
        int from = (int) ((long) process * cores.size() / processes);
        int to = (int) ((process + 1L) * cores.size() / processes);
        return cores.subList(from, Math.max(to, from + 1)).stream().map(String::valueOf)
                .collect(Collectors.joining(","));
    }

    /** {@return the processors that this process may run on} */
    static List<Integer> allowed() {
        try (var lines = Files.lines(STATUS)) {
            var list = lines.filter(line -> line.startsWith(ALLOWED)).findFirst().orElseThrow();
            return parse(list.substring(ALLOWED.length()).strip());
        } catch (IOException e) {
            throw new UsageException("--bind cannot read the allowed cores from " + STATUS + " (" + e.getMessage()
                    + "); leave --bind out");
        }
    }

    /** {@return the cores of a list such as {@code 0-3,8}} */
    static List<Integer> parse(String list) {
        List<Integer> cores = new ArrayList<>();
        for (var range : list.split(",")) {
            var ends = range.split("-");
            IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                    .forEach(cores::add);
        }
        return cores;
    }

    private static List<Path> onPath(String command) {
        var directories = System.getenv().getOrDefault("PATH", "").split(":");
        return List.of(directories).stream().map(name -> Path.of(name, command)).filter(Files::isExecutable).toList();
    }
}
