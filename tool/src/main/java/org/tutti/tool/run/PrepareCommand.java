/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code tutti prepare}, which the script {@code tutti} runs after building. It makes the archive of the
 * ranks' classes ({@link RankCache}) with a small job. Then it acts as {@code tutti run}, so that the JVM that runs
 * this command can make the launcher's own archive.
 */
@Command(name = "prepare", hidden = true, mixinStandardHelpOptions = true,
        description = "Makes the archive of classes that lets ranks start faster.",
        footer = {"", "Example:", "  tutti prepare"})
public final class PrepareCommand implements Callable<Integer> {
    private static final String TRAINING_PROGRAM = "org.tutti.job.TrainingProgram";
    private static final int STEPS = 3; // two for the archive, and the sample
    private static final String SAMPLE = """
            import module org.tutti;

            void main() {
                try (var job = Tutti.join()) {
                    if (job.world().rank() == 0) {
                        IO.println("prepared");
                    }
                }
            }
            """;

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.isRegularFile(RankCache.library())) {
            throw new UsageException(
                    "the library is at " + RankCache.library() + ", and only a jar can have an archive of its classes");
        }
        try (var progress = Progress.of("preparing", STEPS)) {
            makeRankCache(progress);
            return runSample();
        }
    }

    /** Uses one process with two ranks: the class path is just the library, and two processes cannot write one list. */
    private static void makeRankCache(Progress progress) throws IOException, InterruptedException {
        for (var old : RankCache.files()) {
            Files.delete(old);
        }
        var cache = RankCache.file();
        var classes = cache.resolveSibling(cache.getFileName() + ".classes");
        var fresh = cache.resolveSibling(cache.getFileName() + ".new");
        var plan = JobPlan.plain(Placement.even(2, 1, 2), Optional.empty(), Rails.CHOSEN,
                RankCache.trainingOptions(classes));
        int status = Launch.run(plan, _ -> Optional.of(Program.of(TRAINING_PROGRAM, "", List.of())));
        progress.step();
        if (status == 0) {
            status = new ProcessBuilder(RankCache.dumpCommand(classes, fresh)).inheritIO().start().waitFor();
        }
        if (status == 0) {
            Files.move(fresh, cache, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.deleteIfExists(fresh);
        Files.deleteIfExists(classes);
        progress.step();
    }

    private static int runSample() throws IOException {
        Path directory = Files.createTempDirectory("tutti-sample-");
        Path source = directory.resolve("Sample.java");
        try {
            Files.writeString(source, SAMPLE);
            return new CommandLine(new RunCommand()).execute("-n", "2", source.toString());
        } finally {
            Files.deleteIfExists(source);
            Files.delete(directory);
        }
    }
}
