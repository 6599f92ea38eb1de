/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Computes how large the heap of a JVM may become, from its options and the memory of the machine or container. */
final class HeapLimit {
    private static final Pattern TOTAL = Pattern.compile("MemTotal: +(\\d+) kB");
    private static final Pattern GROUP = Pattern.compile("\\d+:(|.*\\bmemory\\b.*):/(.*)");
    private static final String NUMBER = "\\d{1,18}"; // or "max", or a number that is larger than any memory
    private static final Pattern SIZE = Pattern.compile("-(?:Xmx|XX:MaxHeapSize=)(\\d{1,12})([kKmMgGtT]?)");
    private static final Pattern PERCENTAGE = Pattern.compile("-XX:MaxRAMPercentage=(\\d{1,3}(?:\\.\\d+)?)");
    private static final String UNITS = "kmgt";
    private static final int UNIT_SHIFT = 10;
    private static final int PERCENT = 100;

    private HeapLimit() {}

    /** {@return the memory of this machine or container in bytes, or 0 if the system does not say} */
    static long machineBytes() {
        return machineBytes(Path.of("/"));
    }

    /**
     * Finds the memory as a JVM does, but in less time: the machine's memory, or the least limit of the control groups,
     * of version 1 or 2, that hold this process.
     *
     * @param root the directory that holds proc and sys
     */
    static long machineBytes(Path root) {
        long bytes = lines(root.resolve("proc/meminfo")).map(TOTAL::matcher).filter(Matcher::matches).findFirst()
                .map(line -> Long.parseLong(line.group(1)) << UNIT_SHIFT).orElse(0L);
        var groups = lines(root.resolve("proc/self/cgroup")).map(GROUP::matcher).filter(Matcher::matches).toList();
        for (var group : groups) {
            boolean isUnified = group.group(1).isEmpty();
            var top = root.resolve(isUnified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
            var limit = isUnified ? "memory.max" : "memory.limit_in_bytes";
            for (var path = top.resolve(group.group(2)); path != null && path.startsWith(top); path =
                    path.getParent()) {
                bytes = lines(path.resolve(limit)).filter(line -> line.matches(NUMBER)).mapToLong(Long::parseLong)
                        .reduce(bytes, Math::min);
            }
        }
        return bytes;
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException _) {
            return Stream.empty();
        }
    }

    /**
     * {@return the limit in bytes; a size takes precedence over a share of the machine's memory, and the last option
     * counts}
     */
    static long bytes(List<String> jvmOptions, long machineBytes) {
        long shareBytes = 0;
        long bytes = 0;
        for (var option : jvmOptions) {
            var size = SIZE.matcher(option);
            if (size.matches()) {
                bytes = Long.parseLong(size.group(1)) << UNIT_SHIFT * unit(size.group(2));
            }
            var percentage = PERCENTAGE.matcher(option);
            if (percentage.matches()) {
                shareBytes = (long) (machineBytes / PERCENT * Double.parseDouble(percentage.group(1)));
            }
        }
        return bytes > 0 ? bytes : shareBytes;
    }

    private static int unit(String letter) {
        return letter.isEmpty() ? 0 : UNITS.indexOf(Character.toLowerCase(letter.charAt(0))) + 1;
    }
}
