/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file that processes may have mapped into their memory, even if its name has been removed since. The kernel lists
 * the files that a process has mapped, each with the name that it had when it was mapped. In the process that made the
 * file, an ending follows that name. The kernel also lists each file's file system. This class compares it, because
 * another container may have a file of the same name.
 *
 * @param name the file's name, without directories
 * @param device the number of the file's file system as the kernel writes it; empty if it is unknown
 */
record MappedFile(String name, Optional<String> device) {
    private static final Pattern MAPPING =
            Pattern.compile("\\S+ \\S+ \\S+ ([0-9a-f]+:[0-9a-f]+) \\d+ +\\S.*/([^/ ]+)( \\(deleted\\))?");

    /** {@return the file with a path; it need not exist} */
    static MappedFile of(Path path) {
        return new MappedFile(path.getFileName().toString(), device(path.getParent()));
    }

    private static Optional<String> device(Path directory) {
        try {
            long device = ((Number) Files.getAttribute(directory, "unix:dev")).longValue();
            return Optional.of("%02x:%02x".formatted(device >>> 8 & 0xfff, device & 0xff | device >>> 12 & 0xfff00));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /** {@return whether a process has the file mapped; false if the process belongs to another user, or has ended} */
    boolean isMappedBy(ProcessHandle process) {
        return anyMapping(process, this::isOfThis);
    }

    /** {@return whether a process has mapped the file under its temporary name, and is about to publish it} */
    boolean isBeingMadeBy(ProcessHandle process) {
        return anyMapping(process, parts -> isOfThis(parts) && !parts.group(2).equals(name) && parts.group(3) == null);
    }

    private boolean anyMapping(ProcessHandle process, Predicate<Matcher> test) {
        try (Stream<String> mappings = Files.lines(Path.of("/proc", String.valueOf(process.pid()), "maps"),
                StandardCharsets.ISO_8859_1)) {
            return mappings.filter(mapping -> mapping.contains(name)).map(MAPPING::matcher)
                    .anyMatch(parts -> parts.matches() && test.test(parts));
        } catch (IOException | UncheckedIOException _) {
            return false;
        }
    }

    private boolean isOfThis(Matcher parts) {
        return (parts.group(2).equals(name) || parts.group(2).startsWith(name + "."))
                && device.map(known -> known.equals(parts.group(1))).orElse(true);
    }
}
