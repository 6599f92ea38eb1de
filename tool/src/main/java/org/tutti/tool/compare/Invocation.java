/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.tutti.TuttiException;
import org.tutti.tool.run.DurationConverter;

/**
 * One run of a contender, in a session of its own. Closing it ends whatever it has started: first by asking, as mpirun
 * then tells its ranks, then by force. Ranks may have left the group of processes, so descendants are remembered too.
 */
final class Invocation implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(3);
    private static final int LINES_TOLD = 12;

    private final Path out;
    private final Path err;
    private final Process process;

    /**
     * Starts a command.
     *
     * @param command its words
     * @param cluster the name of the cluster that {@code bench/cluster} then means
     * @param scratch a directory for what it leaves behind
     */
    Invocation(List<String> command, String cluster, Path scratch) throws IOException {
        this.out = scratch.resolve("out");
        this.err = scratch.resolve("err");
        List<String> words = new ArrayList<>(List.of("setsid"));
        words.addAll(command);
        var builder = new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile())
                .redirectInput(new File("/dev/null"));
        builder.environment().put("TMPDIR", scratch.toString());
        builder.environment().put("TUTTI_CLUSTER", cluster);
        this.process = builder.start();
    }

    /** {@return what it has measured, after its end} */
    List<Figure> await(String name, Duration limit) throws IOException, InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            close();
            throw new ContenderException(name + " did not end within --timeout " + DurationConverter.text(limit)
                    + " and was ended; measure less at a time, or give it more" + said());
        }
        var figures = Files.readAllLines(out).stream().flatMap(line -> Figure.parse(line).stream()).toList();
        if (process.exitValue() != 0) {
            throw new ContenderException(name + " failed with status " + process.exitValue() + said());
        }
        if (figures.isEmpty()) {
            throw new ContenderException(name + " printed no figures" + said());
        }
        return figures;
    }

    /** The beginning of what it printed; a peer says there if a result was wrong. */
    private String said() throws IOException {
        var lines = new ArrayList<String>();
        for (var file : List.of(err, out)) {
            lines.addAll(Files.readAllLines(file).stream().filter(line -> !line.isBlank()).toList());
        }
        int told = Math.min(lines.size(), LINES_TOLD);
        return told == 0 ? "." : ":\n  " + String.join("\n  ", lines.subList(0, told));
    }

    @Override
    public void close() {
        var descendants = process.descendants().toList();
        if (process.isAlive()) {
            signalGroup("TERM");
            await(GRACE);
        }
        if (process.isAlive() || descendants.stream().anyMatch(ProcessHandle::isAlive)) {
            signalGroup("KILL");
            descendants.forEach(ProcessHandle::destroyForcibly);
            await(GRACE);
            awaitAll(descendants);
        }
    }

    private void await(Duration patience) {
        try {
            process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** They end soon, but whoever adopts them takes a moment to notice. */
    private static void awaitAll(List<ProcessHandle> handles) {
        CompletableFuture.allOf(handles.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, GRACE.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    private void signalGroup(String signal) {
        try {
            new ProcessBuilder("kill", "-s", signal, "--", "-" + process.pid())
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A contender did not measure what it should. */
    static final class ContenderException extends TuttiException {
        private static final long serialVersionUID = 1;

        ContenderException(String message) {
            super(message);
        }
    }
}
