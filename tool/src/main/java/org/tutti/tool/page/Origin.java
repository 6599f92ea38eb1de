/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.tutti.tool.Main;

/** The origin of the figures of a page: command, machine and date. */
public final class Origin {
    /** The name of the command among the facts of a page. */
    static final String COMMAND = "command";

    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./{}-]+");
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'xxx", Locale.ROOT);

    private Origin() {}

    /**
     * Writes the origin into the head of a page.
     *
     * @param page the page
     * @param arguments the command line without {@code tutti}
     */
    public static void addTo(Page page, List<String> arguments) {
        page.fact(COMMAND, "tutti " + arguments.stream().map(Origin::quoted).collect(Collectors.joining(" ")))
                .fact("machine", processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores, "
                        + System.getProperty("os.name") + " " + System.getProperty("os.version"))
                .fact("Java", System.getProperty("java.vm.name") + " " + Runtime.version())
                .fact("Tutti", Main.VERSION)
                .fact("date", DATE.format(ZonedDateTime.now()));
    }

    /** {@return an argument as a shell reads it} */
    static String quoted(String argument) {
        return PLAIN.matcher(argument).matches() ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }

    private static String processor() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name")).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse(System.getProperty("os.arch"));
        } catch (IOException _) {
            return System.getProperty("os.arch"); // a system without this file
        }
    }
}
