/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How large the heap of a JVM may become, by its options and the memory of the machine. */
final class HeapLimit {
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final Pattern TOTAL = Pattern.compile("MemTotal: +(\\d+) kB");
    private static final Pattern SIZE = Pattern.compile("-(?:Xmx|XX:MaxHeapSize=)(\\d{1,12})([kKmMgGtT]?)");
    private static final Pattern PERCENTAGE = Pattern.compile("-XX:MaxRAMPercentage=(\\d{1,3}(?:\\.\\d+)?)");
    private static final String UNITS = "kmgt";
    private static final int UNIT_SHIFT = 10;
    private static final int PERCENT = 100;

    private HeapLimit() {}

    /** {@return the memory of this machine in bytes, or 0 if the system does not tell} */
    static long machineBytes() {
        try {
            return Files.readAllLines(MEMORY).stream().map(TOTAL::matcher).filter(Matcher::matches).findFirst()
                    .map(line -> Long.parseLong(line.group(1)) << UNIT_SHIFT).orElse(0L);
        } catch (IOException _) {
            return 0;
        }
    }

    /** {@return the limit in bytes; a size wins over a share of the machine's memory, and the last option counts} */
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
