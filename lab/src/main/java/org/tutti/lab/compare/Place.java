/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.tool.UsageException;
import org.tutti.tool.run.RankCache;

/**
 * The files of a comparison, and its cluster.
 *
 * @param home the checkout, which has the sources of the peers' programs
 * @param cache the directory for compiled programs, kept
 * @param scratch the directory for files of the contenders, removed at the end
 * @param cluster the name of the cluster of several nodes
 * @param rails the interfaces between its hosts that the contenders may use
 */
record Place(Path home, Path cache, Path scratch, String cluster, List<String> rails) {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long CLUSTERS = 10_000_000; // the name of a cluster has at most 8 characters

    /** {@return the files of this comparison, with a new scratch directory} */
    static Place open(Optional<String> cluster, List<String> rails) throws IOException {
        var home = RankCache.codeOf(Place.class).resolve("../../..").normalize();
        if (!Files.isDirectory(home.resolve("bench/peers"))) {
            throw new UsageException("tutti compare needs the sources in bench/peers, and " + home
                    + " has none; start it from a checkout");
        }
        long pid = ProcessHandle.current().pid();
        var caches = System.getenv("XDG_CACHE_HOME");
        var cache = (caches == null || caches.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(caches)).resolve("tutti/peers");
        Files.createDirectories(cache);
        var parent = Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        return new Place(home, cache, Files.createTempDirectory(parent, "tutti-compare-" + pid + "-"),
                cluster.orElse("c" + pid % CLUSTERS), rails);
    }

    /** {@return the script that makes clusters} */
    Path clusterScript() {
        return home.resolve("bench/cluster");
    }

    /** {@return the hosts of a layout, as name:ranks, separated by commas} */
    String hosts(Layout layout) {
        return String.join(",", Stream.iterate(1, number -> number + 1).limit(layout.nodes())
                .map(number -> cluster + "-" + number + ":" + layout.ranksPerNode()).toList());
    }

    /** {@return the hosts of a layout if each rank is a node, in the order of the ranks} */
    String hostsOfRanks(Layout layout) {
        return IntStream.range(0, layout.ranks())
                .mapToObj(rank -> cluster + "-" + (rank / layout.ranksPerNode() + 1) + ":1")
                .collect(Collectors.joining(","));
    }

    /** {@return the command, to be run on the first host of the cluster, or on this host if there is one node} */
    List<String> onFirstHost(Layout layout, List<String> command) {
        return layout.nodes() == 1 ? command
                : Stream.concat(Stream.of(clusterScript().toString(), "exec", cluster + "-1"), command.stream())
                        .toList();
    }

    /** {@return a script that runs its arguments with a shell on a host, as ssh does} */
    Path agent() {
        return script("agent", """
                [ "$1" = -x ] && shift
                host=$1
                shift
                exec '%s' exec "$host" sh -c "$*"
                """.formatted(clusterScript()));
    }

    /**
     * {@return a script that runs a command with its own arguments after those of the command}
     *
     * @param name the name of the file
     * @param command the command
     */
    Path script(String name, List<String> command) {
        return script(name, "exec '" + String.join("' '", command) + "' \"$@\"\n");
    }

    private Path script(String name, String lines) {
        var file = scratch.resolve(name);
        if (Files.exists(file)) {
            return file; // a contender that has begun may be reading it
        }
        try {
            Files.writeString(file, "#!/bin/sh\n" + lines);
            if (!file.toFile().setExecutable(true)) {
                throw new IOException(file + " cannot be made executable");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    /** {@return whether a command is on the path} */
    static boolean hasCommand(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
    }

    /** Removes the scratch directory. */
    void close() throws IOException {
        try (var files = Files.walk(scratch)) {
            for (var file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
