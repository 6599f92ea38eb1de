/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.tutti.tool.UsageException;

/** Prints or stores the output of a job, and the launcher's own sentences between it. */
final class JobOutput implements AutoCloseable {
    private static final byte[] NO_TAG = {};
    private static final byte[] OWN_TAG = "tutti: ".getBytes(StandardCharsets.US_ASCII);

    private final JobPlan plan;
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final LineSink standardError =
            new LineSink("standard error", new FileOutputStream(FileDescriptor.err), failure);
    private final PickedUpOptions pickedUp = new PickedUpOptions();
    private final HeldLines held;
    private final LineRoom room = LineRoom.ofJob(this::say);
    private final QuitSignal quit = new QuitSignal();
    private final Optional<StepLine.Filter> steps;
    private final List<LineSink> outs; // by the number of the process
    private final List<LineSink> errs;

    /**
     * Opens all files that the output goes to.
     *
     * @param plan says whether output is tagged or goes to files
     */
    JobOutput(JobPlan plan) {
        this.plan = plan;
        this.steps = plan.task().map(StepLine.Filter::new);
        this.held = new HeldLines(plan.size(), plan.outputDirectory().isPresent(), pickedUp);
        var out = new LineSink("standard output", new FileOutputStream(FileDescriptor.out), failure);
        this.outs = sinks(".out", out);
        this.errs = sinks(".err", standardError);
    }

    private List<LineSink> sinks(String suffix, LineSink console) {
        return plan.outputDirectory()
                .map(directory -> IntStream.range(0, plan.processes())
                        .mapToObj(process -> file(directory, plan.ranksOf(process).fileName() + suffix))
                        .toList())
                .orElse(Collections.nCopies(plan.processes(), console));
    }

    private LineSink file(Path directory, String name) {
        var file = directory.resolve(name);
        try {
            Files.createDirectories(directory);
            return new LineSink(file.toString(), new FileOutputStream(file.toFile()), failure);
        } catch (IOException e) {
            throw new UsageException("--output-directory " + directory + " cannot be used, as " + file
                    + " cannot be written (" + e.getMessage() + "); name another directory");
        }
    }

    /** {@return the relays of a process, started by this call} */
    List<Relay> relay(int number, InputStream out, InputStream err) {
        var ranks = plan.ranksOf(number);
        var tag = plan.tagOutput() ? ("[" + ranks.numbers() + "] ").getBytes(StandardCharsets.US_ASCII) : NO_TAG;
        boolean isSeparate = plan.outputDirectory().isPresent();
        var dumps = new ThreadDumps(quit::isFresh);
        return List.of(
                Relay.start("standard output of " + ranks.name(), out, outs.get(number), tag,
                        Optional.of(number > 0 || steps.isEmpty() ? dumps : steps.get().or(dumps)),
                        isSeparate || plan.processes() == 1 ? LineRoom.none() : room),
                Relay.start("standard error of " + ranks.name(), err, errs.get(number), tag, Optional.of(held),
                        isSeparate ? LineRoom.none() : room));
    }

    /** {@return the relay of the standard error of a host's agent; each line follows the host's name} */
    Relay relayAgent(String host, InputStream err) {
        return Relay.start("standard error of host " + host, err, standardError,
                (host + ": ").getBytes(StandardCharsets.UTF_8),
                Optional.of(pickedUp), room);
    }

    /** {@return the watcher that notices SIGQUIT to the launcher} */
    QuitSignal quit() {
        return quit;
    }

    /** Prints a sentence of the launcher on standard error. */
    void say(String sentence) {
        var line = (sentence + "\n").getBytes(StandardCharsets.UTF_8);
        standardError.write(this, OWN_TAG, line, 0, line.length);
    }

    /** Prints lines of the launcher on standard error, with no other output between them. */
    void say(List<String> lines) {
        say(String.join("\n", lines));
    }

    /** Prints the held lines about failures that followed from another rank's failure. */
    void releaseHeldLines() {
        held.release(standardError);
    }

    /** {@return the reason why some output was lost, if any was} */
    Optional<String> failure() {
        return Optional.ofNullable(failure.get());
    }

    @Override
    public void close() throws IOException {
        steps.ifPresent(StepLine.Filter::close);
        if (plan.outputDirectory().isEmpty()) {
            return; // the launcher may have more to say
        }
        for (var sinks : List.of(outs, errs)) {
            for (var sink : sinks) {
                sink.close();
            }
        }
    }
}
