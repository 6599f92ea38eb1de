/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.tutti.JobStartException;

/** A process of the job that runs as a child of this process. */
final class ChildProcess implements StartedProcess {
    private final RankRange ranks;
    private final Process process;
    private final List<Relay> relays;

    private ChildProcess(RankRange ranks, Process process, List<Relay> relays) {
        this.ranks = ranks;
        this.process = process;
        this.relays = relays;
    }

    /** Passes the output of a process on. */
    @FunctionalInterface
    interface OutputRelay {
        /** {@return the relays of the two output streams of a process} */
        List<Relay> start(InputStream out, InputStream err);
    }

    /** {@return the process of these ranks, started by this call} */
    static ChildProcess start(RankRange ranks, ProcessBuilder builder, OutputRelay output) {
        try {
            var process = builder.start();
            return new ChildProcess(ranks, process, output.start(process.getInputStream(), process.getErrorStream()));
        } catch (IOException e) {
            throw new JobStartException("the process of " + ranks.name() + " could not be started: " + e.getMessage());
        }
    }

    @Override
    public void whenEnded(Consumer<StartedProcess> action) {
        process.onExit().thenRun(() -> action.accept(this));
    }

    @Override
    public RankRange ranks() {
        return ranks;
    }

    @Override
    public long pid() {
        return process.pid();
    }

    /** {@return the standard input of the process, if it is a pipe} */
    OutputStream input() {
        return process.getOutputStream();
    }

    @Override
    public String identity() {
        return "pid " + process.pid();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public int exitStatus() {
        return process.exitValue();
    }

    @Override
    public void terminate() {
        process.destroy();
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void awaitEnd(long deadlineNanos) throws InterruptedException {
        process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void awaitOutput(long deadlineNanos) throws InterruptedException {
        for (var relay : relays) {
            relay.awaitEnd(deadlineNanos);
        }
    }

    @Override
    public boolean saidOutOfMemory() {
        return relays.stream().anyMatch(Relay::saidOutOfMemory);
    }

    @Override
    public boolean isPassingOutputOn() {
        return relays.stream().anyMatch(Relay::isWriting);
    }
}
