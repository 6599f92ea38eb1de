/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.File;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.JobStartException;

/**
 * What connections need of a process, which grows with the job, and whether the process may have it: direct memory and
 * open files. Where it cannot be known how much it may have, nothing is said.
 */
public final class Footprint {
    /** The direct memory of a connection, a rail; more when it is used for more: docs/architecture.md. */
    static final long RAIL_BYTES =
            Rail.IN_BYTES + Rail.OUT_BYTES + (long) Batch.FRAMES_MAX * FrameLayout.HEADER_BYTES;

    private static final int FILES_OF_SELECTORS = 8;
    private static final Pattern FILES = Pattern.compile("Max open files +(\\d+) .*");
    private static final Pattern DIRECT = Pattern.compile("-XX:MaxDirectMemorySize=(\\d+)([kKmMgGtT]?)");
    private static final String UNITS = "kmgt";

    private Footprint() {}

    /**
     * What a process may have.
     *
     * @param directBytes of direct memory, {@link Long#MAX_VALUE} if nobody knows
     * @param files how many open files, likewise
     * @param filesOpen how many of them it has
     */
    record Limits(long directBytes, long files, long filesOpen) {
        static Limits read() {
            return new Limits(maxDirectBytes(), maxFiles(), openFiles());
        }

        private static long maxDirectBytes() {
            Optional<String[]> arguments = ProcessHandle.current().info().arguments();
            if (arguments.isEmpty() || Stream.of(arguments.get()).anyMatch(argument -> argument.startsWith("@"))) {
                return Long.MAX_VALUE;
            }
            String line = String.join(" ", arguments.get());
            return maxDirectBytes(Stream.of(System.getenv("JAVA_TOOL_OPTIONS"), System.getenv("JDK_JAVA_OPTIONS"), line,
                    System.getenv("_JAVA_OPTIONS")).filter(Objects::nonNull).collect(Collectors.joining(" ")));
        }

        /** Of options for a JVM, the last one says it; without any, it is as much as the heap may have. */
        static long maxDirectBytes(String options) {
            long bytes = 0;
            for (Matcher matcher = DIRECT.matcher(options); matcher.find();) {
                int unit = matcher.group(2).isEmpty() ? -1 : UNITS.indexOf(matcher.group(2).toLowerCase());
                bytes = Long.parseLong(matcher.group(1)) << 10 * (unit + 1);
            }
            return bytes > 0 ? bytes : Runtime.getRuntime().maxMemory();
        }

        private static long maxFiles() {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/limits"))) {
                return lines.map(FILES::matcher).filter(Matcher::matches).mapToLong(
                        matcher -> Long.parseLong(matcher.group(1))).findFirst().orElse(Long.MAX_VALUE);
            } catch (IOException _) {
                return Long.MAX_VALUE;
            }
        }

        private static long openFiles() {
            String[] open = new File("/proc/self/fd").list();
            return open == null ? 0 : open.length;
        }
    }

    /**
     * Sees whether a process may have what its connections need, and warns where it may not.
     *
     * @param self the first rank of the process
     * @param sure with how many processes it will surely be connected
     * @param all with how many it may be
     * @param rails how many rails it has
     * @throws JobStartException when that is surely too little
     */
    public static void check(int self, int sure, int all, int rails) {
        check(self, sure, all, rails, Limits.read()).ifPresent(
                warning -> System.getLogger(Footprint.class.getName()).log(Level.WARNING, warning));
    }

    static Optional<String> check(int self, int sure, int all, int rails, Limits limits) {
        lack(self, sure, rails, 0, limits).ifPresent(lack -> {
            throw new JobStartException(lack);
        });
        return lack(self, all, rails, Acceptor.PENDING_MAX, limits);
    }

    /** What is too little for so many connections, one sentence. */
    private static Optional<String> lack(int self, int processes, int rails, int pending, Limits limits) {
        long peerBytes = rails * RAIL_BYTES + (rails > 1 ? RetransmitBuffer.BYTES : 0);
        long bytes = processes * peerBytes;
        long files = limits.filesOpen + FILES_OF_SELECTORS + rails + pending + (long) processes * rails;
        String who = "the process of rank " + self + ", connected with " + processes + " other process"
                + (processes == 1 ? "" : "es") + " by " + rails + " rail" + (rails == 1 ? "" : "s") + ", needs ";
        if (bytes > limits.directBytes) {
            return Optional.of(who + bytes + " bytes of direct memory, " + peerBytes + " for each, and may have "
                    + limits.directBytes + "; allow more with -XX:MaxDirectMemorySize");
        }
        if (files > limits.files) {
            return Optional.of(who + files + " open files, and may have " + limits.files
                    + "; allow more with ulimit -n");
        }
        return Optional.empty();
    }
}
