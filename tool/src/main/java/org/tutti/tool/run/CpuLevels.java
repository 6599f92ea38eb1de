/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the levels of this machine that Linux reports below /sys/devices/system: processors that share a cache of level
 * 3, a NUMA domain, or a socket.
 */
public final class CpuLevels {
    /** The directory in which Linux describes processors and domains. */
    public static final Path SYSTEM = Path.of("/sys/devices/system");

    private static final String CACHE_LEVEL = "3";

    private final Path system;

    /** @param system the directory to read; {@link #SYSTEM}, except in tests */
    public CpuLevels(Path system) {
        this.system = system;
    }

    /** A kind of domain: processors with the same domain name share the domain. */
    private record Kind(String name, Function<Integer, Optional<String>> domainOf) {}

    private List<Kind> kinds() {
        return List.of(new Kind("L3", this::cache), new Kind("NUMA", this::numa), new Kind("socket", this::socket));
    }

    /**
     * Finds the levels of ranks that are bound to processors. A level is left out if one group holds all ranks, if each
     * group holds one rank, or if its ranks do not follow each other in groups of equal size.
     *
     * @param cpusOfRanks the processors that each rank of the node may run on
     * @return the ranks of a group at each level, from the smallest groups to the largest
     */
    public List<Integer> groups(List<List<Integer>> cpusOfRanks) {
        List<Integer> groups = new ArrayList<>();
        for (Kind kind : kinds()) {
            int group = group(cpusOfRanks.stream().map(cpus -> common(kind, cpus)).toList());
            int inner = groups.isEmpty() ? 1 : groups.getLast();
            if (group > inner && group % inner == 0) {
                groups.add(group);
            }
        }
        return groups;
    }

    /** The domain that all these processors share, if they share one. */
    private static Optional<String> common(Kind kind, List<Integer> cpus) {
        List<Optional<String>> domains = cpus.stream().map(kind.domainOf).distinct().toList();
        return domains.size() == 1 ? domains.getFirst() : Optional.empty();
    }

    /**
     * The size of the groups if there are several, all runs of equal size (the last one may be smaller); otherwise 0.
     */
    private static int group(List<Optional<String>> domains) {
        int size = 0;
        while (size < domains.size() && domains.get(size).isPresent() && domains.get(size).equals(domains.getFirst())) {
            size++;
        }
        if (size == domains.size()) {
            return 0;
        }
        for (int rank = 1; rank < domains.size(); rank++) {
            boolean same = domains.get(rank).equals(domains.get(rank - 1));
            if (size == 0 || domains.get(rank).isEmpty() || same == (rank % size == 0)) {
                return 0;
            }
        }
        return domains.stream().distinct().count() == Math.ceilDiv(domains.size(), size) ? size : 0;
    }

    /** {@return how many domains of each kind hold processors that this process may run on} */
    public static String ofThisProcess() {
        return Cores.areKnown() ? new CpuLevels(SYSTEM).describe(Cores.allowed()) : "unknown";
    }

    /** Counts the domains of some processors, as in "L3 16, NUMA 8, socket 2". */
    String describe(List<Integer> cpus) {
        List<String> parts = new ArrayList<>();
        for (Kind kind : kinds()) {
            long domains = cpus.stream().map(kind.domainOf).flatMap(Optional::stream).distinct().count();
            if (domains > 0) {
                parts.add(kind.name + " " + domains);
            }
        }
        return parts.isEmpty() ? "unknown" : String.join(", ", parts);
    }

    private Optional<String> cache(int cpu) {
        Path caches = system.resolve("cpu/cpu" + cpu + "/cache");
        try (Stream<Path> entries = Files.list(caches)) {
            return entries.filter(entry -> read(entry.resolve("level")).equals(Optional.of(CACHE_LEVEL)))
                    .findFirst().flatMap(entry -> read(entry.resolve("shared_cpu_list")));
        } catch (IOException _) {
            return Optional.empty(); // some systems do not describe caches
        }
    }

    private Optional<String> numa(int cpu) {
        try (Stream<Path> entries = Files.list(system.resolve("cpu/cpu" + cpu))) {
            return entries.map(entry -> entry.getFileName().toString()).filter(name -> name.matches("node\\d+"))
                    .findFirst();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private Optional<String> socket(int cpu) {
        return read(system.resolve("cpu/cpu" + cpu + "/topology/physical_package_id"));
    }

    private static Optional<String> read(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException _) {
            return Optional.empty();
        }
    }
}
