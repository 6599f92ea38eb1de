/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A process of the job on another host, as far as the host has reported it. A process that returned 0 counts as ended
 * only when all of its output has arrived, so that no output is lost unnoticed.
 */
final class RemoteProcess implements StartedProcess {
    private static final int STATUS_LOST = 1;

    private final RemoteNode node;
    private final int number;
    private final RankRange ranks;
    private final List<RemoteStream> streams;
    private final List<Relay> relays;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile long pid;
    private volatile int status;
    private volatile Optional<String> lost = Optional.empty();
    private volatile boolean outputEnded;

    /**
     * @param node the node of the process
     * @param number the number of the process on the node
     * @param ranks the ranks of the process
     * @param output passes the output of the process on
     */
    RemoteProcess(RemoteNode node, int number, RankRange ranks, ChildProcess.OutputRelay output) {
        this.node = node;
        this.number = number;
        this.ranks = ranks;
        this.streams = List.of(stream(0), stream(1));
        this.relays = output.start(streams.get(0), streams.get(1));
    }

    private RemoteStream stream(int stream) {
        return new RemoteStream(bytes -> node.send(SessionFrame.of(FrameKind.ROOM_FOR_OUTPUT, number, stream, bytes)));
    }

    // ---- reports of the host

    void started(long identifier) {
        pid = identifier;
    }

    /** {@return false if the host has sent more than it was allowed to} */
    boolean printed(int stream, byte[] piece) {
        return streams.get(stream).append(piece);
    }

    void ended(int exitStatus) {
        status = exitStatus;
        if (exitStatus != 0) {
            end.complete(null);
        }
    }

    void outputEnded() {
        outputEnded = true;
        streams.forEach(RemoteStream::end);
        end.complete(null);
    }

    void lose(String clause) {
        if (!end.isDone()) {
            lost = Optional.of(clause);
            status = STATUS_LOST;
        }
        outputEnded();
    }

    // ---- questions of the launcher

    @Override
    public RankRange ranks() {
        return ranks;
    }

    @Override
    public String identity() {
        return (pid == 0 ? "" : "pid " + pid + " ") + "on " + node.host() + (isAlive() ? node.silence() : "");
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public boolean isAlive() {
        return !end.isDone();
    }

    @Override
    public int exitStatus() {
        return status;
    }

    @Override
    public Optional<String> lost() {
        return lost;
    }

    @Override
    public void whenEnded(Consumer<StartedProcess> action) {
        end.thenRun(() -> action.accept(this));
    }

    @Override
    public void terminate() {
        endProcess(0);
    }

    @Override
    public void kill() {
        endProcess(1);
    }

    private void endProcess(int kill) {
        if (isAlive()) {
            node.send(SessionFrame.of(FrameKind.END_PROCESS, number, kill));
        }
    }

    @Override
    public void awaitEnd(long deadlineNanos) throws InterruptedException {
        try {
            end.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            return;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // the future is only ever completed with a value
        }
    }

    @Override
    public void awaitOutput(long deadlineNanos) throws InterruptedException {
        for (var relay : relays) {
            relay.awaitEnd(deadlineNanos);
        }
        if (lost.isPresent()) {
            node.awaitAgentsOutput(deadlineNanos);
        }
    }

    @Override
    public boolean saidOutOfMemory() {
        return relays.stream().anyMatch(Relay::saidOutOfMemory);
    }

    @Override
    public boolean isPassingOutputOn() {
        return !outputEnded || streams.stream().anyMatch(RemoteStream::isWaiting)
                || relays.stream().anyMatch(Relay::isWriting);
    }
}
