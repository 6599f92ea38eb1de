/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.nio.file.Path;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command {@code tutti report}: tells where the time of a recorded job went. */
@Command(name = "report", mixinStandardHelpOptions = true,
        description = "Tells where the time of a job went that tutti run --record has recorded: which ranks came late, "
                + "and which calls took how long. Writes a page with more to report.html there.",
        footer = {"", "Example, after tutti run -n 4 --record recordings Program.java:", "  tutti report recordings"})
public final class ReportCommand implements Callable<Integer> {
    private static final String PAGE = "report.html";

    @Parameters(index = "0", paramLabel = "directory", description = "The directory of tutti run --record.")
    private Path directory;

    /** {@return the status to exit with} */
    @Override
    public Integer call() {
        Analysis analysis = Analysis.of(RecordingReader.read(directory));
        ReportText.of(analysis).forEach(System.out::println);
        Path page = directory.resolve(PAGE);
        ReportPage.write(analysis, page);
        System.out.println("\nPage: " + page);
        return 0;
    }
}
