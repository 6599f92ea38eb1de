/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.tutti.TuttiException;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.run.DurationConverter;

/**
 * One run of a contender, in a session of its own, which measures when its turn comes. Closing it ends all processes
 * that it has started: first by a signal, which mpirun passes on to its ranks, then by force. Ranks may have left the
 * group of processes, so this class remembers descendants too.
 */
final class Invocation implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(3);
    private static final int LINES_TOLD = 12;

    private final String name;
    private final boolean percentiles;
    private final Duration limit;
    private final Gates gates;
    private final Path err;
    private final Process process;
    private final List<String> others = Collections.synchronizedList(new ArrayList<>());
    private final BlockingQueue<List<Figure>> turns = new LinkedBlockingQueue<>();

    /**
     * Starts a contender.
     *
     * @param contender the contender
     * @param layout the ranks
     * @param loop the cells to measure
     * @param place its files, and the cluster that {@code bench/cluster} uses
     * @param limit how long a turn may take
     */
    Invocation(Contender contender, Layout layout, Loop loop, Place place, Duration limit)
            throws IOException, InterruptedException {
        this.name = contender.name();
        this.percentiles = loop.percentiles();
        this.limit = limit;
        this.gates = new Gates(place.scratch(), layout.ranks());
        this.err = gates.directory().resolve("err");
        List<String> words = new ArrayList<>(List.of("setsid"));
        words.addAll(contender.starter().command(layout, loop, gates.directory()));
        var builder = new ProcessBuilder(words).redirectError(err.toFile()).redirectInput(new File("/dev/null"));
        builder.environment().put("TMPDIR", place.scratch().toString());
        builder.environment().put("TUTTI_CLUSTER", place.cluster());
        this.process = builder.start();
        Thread.ofVirtual().start(this::read);
    }

    /** Reads the output of the contender. An empty list of figures marks the end. */
    private void read() {
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                var figures = Figure.ofTurn(line, percentiles);
                if (!figures.isEmpty()) {
                    turns.add(figures);
                } else if (others.size() < LINES_TOLD) {
                    others.add(line);
                }
            }
        } catch (IOException e) {
            others.add("what it prints cannot be read: " + e.getMessage());
        }
        turns.add(List.of());
    }

    /** {@return the figures of the contender's next turn, which must be of this cell} */
    List<Figure> turn(Cell cell) throws IOException, InterruptedException {
        gates.open();
        var figures = turns.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (figures == null) {
            throw tookTooLong();
        }
        if (figures.isEmpty()) {
            end();
            throw new ContenderException(name + " printed no figure for " + cell + said());
        }
        var measured = figures.getFirst().cell().measured();
        if (!measured.equals(cell)) {
            throw new ContenderException(name + " measured " + measured + " when it was to measure " + cell);
        }
        return figures;
    }

    /** Waits for the end of the contender, after its last turn. */
    void end() throws IOException, InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw tookTooLong();
        }
        if (process.exitValue() != 0) {
            throw new ContenderException(name + " failed with status " + process.exitValue() + said());
        }
    }

    private ContenderException tookTooLong() throws IOException {
        close();
        return new ContenderException(name + " did not end in --timeout " + DurationConverter.text(limit)
                + " for a turn and was killed; measure less, or give it more" + said());
    }

    /** The beginning of the contender's output, in which a peer reports a wrong result. */
    private String said() throws IOException {
        var lines = new ArrayList<>(Files.readAllLines(err));
        lines.addAll(others);
        lines.removeIf(String::isBlank);
        int told = Math.min(lines.size(), LINES_TOLD);
        return told == 0 ? "." : ":\n  " + String.join("\n  ", lines.subList(0, told));
    }

    @Override
    public void close() throws IOException {
        gates.close();
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

    /** Waits for the end of processes that are about to end; the process that adopts them takes a moment to notice. */
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

    /** A contender did not measure the cell that it should. */
    static final class ContenderException extends TuttiException {
        private static final long serialVersionUID = 1;

        ContenderException(String message) {
            super(message);
        }
    }
}
