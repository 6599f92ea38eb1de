/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.tutti.JobStartException;
import org.tutti.job.node.NodeFile;
import org.tutti.job.node.RankFailure;
import org.tutti.tool.recording.RecordingFiles;

/**
 * Acts for the launcher on another host: makes the node's memory file, starts its processes, and reports to the
 * launcher how the processes and the ranks fare. {@link RemoteNode} is the other end.
 *
 * <p>This session decides nothing. But when the connection ends, or the launcher is silent for too long, it ends all
 * processes and leaves nothing of the job on this host. If this process is killed, the ranks see that the lock of the
 * memory file is free, and end by themselves.
 */
final class HostSession {
    private static final int STATUS_REFUSED = 1;
    static final int STATUS_LAUNCHER_GONE = 143;
    private static final int STATUS_BITS = 0xFF;
    private static final long START_INTERVAL_MILLIS = 5;
    private static final long LOOK_INTERVAL_MILLIS = 50; // each look costs a rank that shares its core two switches
    private static final Duration DRAINING_LIMIT = Duration.ofMillis(500);
    private static final Duration STOPPING_GRACE = Duration.ofMillis(700);

    /** How long the launcher may take to receive the reason why everything ends. */
    private static final Duration LAST_WORD_LIMIT = Duration.ofMillis(200);

    /**
     * How long the launcher may take to describe the job. The job itself says how long the launcher may be silent after
     * that.
     */
    private static final Duration JOB_LIMIT = Duration.ofMinutes(1);

    private final DataInputStream in;
    private final OutputStream out;
    private final Duration jobLimit;
    private final List<ChildProcess> processes = new ArrayList<>();
    private final List<List<HostOutput>> outputs = new ArrayList<>();
    private final BlockingQueue<StartedProcess> ended = new LinkedBlockingQueue<>();
    private JobDescription job;
    private NodePlan plan;
    private NodeFile nodeFile;
    private boolean nodeFileClosed;
    private NodeStates states;
    private HostInput input;
    private volatile long heardNanos;
    private volatile boolean goodbye;
    private volatile boolean givenUp;
    private volatile String why = "its process there was told to end, by a signal";

    /**
     * @param in frames from the launcher
     * @param out frames to the launcher
     */
    HostSession(InputStream in, OutputStream out) {
        this(in, out, JOB_LIMIT);
    }

    /**
     * @param in frames from the launcher
     * @param out frames to the launcher
     * @param jobLimit how long the launcher may take to describe the job
     */
    HostSession(InputStream in, OutputStream out, Duration jobLimit) {
        this.in = new DataInputStream(new BufferedInputStream(in, 1 << 16));
        this.out = out;
        this.jobLimit = jobLimit;
    }

    /** {@return the status to exit with, once the job is over and nothing of it is left} */
    int run() throws InterruptedException {
        Orphans.prepare();
        try (var cleanup = new Cleanup()) {
            out.write(Greeting.OWN.line());
            out.flush();
            var program = prepare(cleanup);
            start(program, cleanup);
            supervise();
            return 0;
        } catch (UncheckedIOException _) {
            return STATUS_LAUNCHER_GONE;
        } catch (IOException e) {
            refuse("it could not go on (" + e.getMessage() + ")");
            return STATUS_REFUSED;
        } catch (RuntimeException e) {
            refuse(e.getMessage() == null ? e.toString() : e.getMessage());
            return STATUS_REFUSED;
        }
    }

    private void refuse(String why) {
        try {
            SessionFrame.write(out,
                    new SessionFrame.Builder(FrameKind.REFUSED).text(why.replaceFirst("\\.$", "")).bytes());
        } catch (UncheckedIOException e) {
            System.err.println("tutti: this host cannot tell the launcher: " + why);
        }
    }

    // ---- before the processes

    private Program prepare(Cleanup cleanup) throws IOException, InterruptedException {
        job = JobDescription.of(awaitJob());
        plan = job.plan();
        heardNanos = System.nanoTime();
        Thread.ofPlatform().daemon().name("beat").start(this::beat);
        if (!Files.isDirectory(plan.directory())) {
            throw new JobStartException("the directory " + plan.directory() + ", where the job was started, does not "
                    + "exist on host " + job.host() + "; start the job in a directory that all hosts have");
        }
        if (plan.bind()) {
            Cores.requireBinding("--bind");
        }
        var directory =
                job.compiled() || job.recorded() ? Optional.of(createDirectory(cleanup)) : Optional.<Path>empty();
        if (job.recorded()) {
            plan = plan.withRecordings(new RecordingFiles(directory.get()));
        }
        var program = job.compiled() ? receiveClasses(directory.get()) : job.program();
        if (!job.compiled()) {
            next(FrameKind.START);
        }
        requireClassPath(program.classPath());
        nodeFile = NodeFile.create(plan.memory(), plan.shape(), job.secret());
        cleanup.add(this::closeNodeFile);
        states = new NodeStates(nodeFile, plan, frame -> SessionFrame.write(out, frame));
        return program;
    }

    /** Reads the description of the job on another thread, because a read has no time limit. */
    private SessionFrame awaitJob() throws IOException, InterruptedException {
        var reading = new FutureTask<>(() -> next(FrameKind.JOB));
        Thread.ofPlatform().daemon().name("job").start(reading);
        try {
            return reading.get(jobLimit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            throw new IOException("the launcher has not said within " + DurationConverter.text(jobLimit)
                    + " what the job is");
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        }
    }

    private SessionFrame next(FrameKind kind) throws IOException {
        var frame = next();
        if (frame.kind() != kind) {
            throw new IOException("the launcher said " + frame.kind() + " before " + kind);
        }
        return frame;
    }

    private SessionFrame next() throws IOException {
        var frame = SessionFrame.read(in);
        if (frame == null) {
            throw new IOException("the launcher is gone");
        }
        heardNanos = System.nanoTime();
        return frame;
    }

    /** Names the directory after the node, because other hosts of the job may be on this very machine. */
    private Path createDirectory(Cleanup cleanup) {
        return cleanup.add(JobDirectory.create(plan.shape().job() + "." + plan.shape().node())).classes();
    }

    private Program receiveClasses(Path directory) throws IOException {
        var files = new ClassFiles(directory);
        for (SessionFrame frame; (frame = next()).kind() != FrameKind.START;) {
            if (frame.kind() == FrameKind.CLASS_FILE) {
                files.take(frame);
            }
        }
        var program = job.program();
        return new Program(program.mainClass(), program.classPath(), Optional.of(directory), program.arguments());
    }

    private void requireClassPath(String classPath) {
        for (var entry : classPath.isEmpty() ? new String[0] : classPath.split(":")) {
            var path = plan.directory().resolve(entry.replaceFirst("(^|/)\\*$", "$1."));
            if (!Files.exists(path)) {
                throw new JobStartException("the class path names " + entry + ", and there is no " + path.normalize()
                        + " on host " + job.host()
                        + "; copy it there, or start the program from a directory that all hosts share");
            }
        }
    }

    // ---- the processes

    private void start(Program program, Cleanup cleanup) {
        cleanup.add(this::stop);
        var command = new RankCommand(plan, program);
        for (int number = 0; number < plan.processes(); number++) {
            var builder = command.process(number);
            boolean reads = plan.ranksOf(number).first() == 0;
            if (reads) {
                builder.redirectInput(Redirect.PIPE);
            }
            var process = start(number, builder);
            if (reads) {
                input = new HostInput(process.input(), bytes -> send(SessionFrame.of(FrameKind.ROOM_FOR_INPUT, bytes)));
            }
        }
        Thread.ofPlatform().daemon().name("launcher").start(this::obey);
    }

    private ChildProcess start(int number, ProcessBuilder builder) {
        var name = plan.ranksOf(number).name();
        var sinks = List.of(new HostOutput(out, number, 0), new HostOutput(out, number, 1));
        outputs.add(sinks);
        var process = ChildProcess.start(plan.ranksOf(number), builder, (stdout, stderr) -> List.of(
                Relay.start(name + " out", stdout, sinks.get(0), new byte[0], Optional.empty(),
                        LineRoom.none()),
                Relay.start(name + " err", stderr, sinks.get(1), new byte[0], Optional.empty(),
                        LineRoom.none())));
        synchronized (processes) {
            processes.add(process);
        }
        SessionFrame.write(out,
                new SessionFrame.Builder(FrameKind.STARTED).number(number).longNumber(process.pid()).bytes());
        process.whenEnded(ended::add);
        return process;
    }

    private void supervise() throws InterruptedException {
        while (!goodbye) {
            var process = ended.poll(states.areStarting() ? START_INTERVAL_MILLIS : LOOK_INTERVAL_MILLIS,
                    TimeUnit.MILLISECONDS);
            if (givenUp) {
                continue; // the launcher knows of ranks that this process ends
            }
            states.tell(); // reports of the ranks of a process come before its end
            if (process != null) {
                int number = processes.indexOf(process);
                SessionFrame.write(out, SessionFrame.of(FrameKind.ENDED, number, process.exitStatus() & STATUS_BITS));
                Thread.ofPlatform().daemon().name("rest of " + process.ranks().name())
                        .start(() -> drain(process, number));
            }
        }
    }

    /**
     * Sends the recording, and waits for the output in steps, because children of the process may hold its pipes open
     * for ever.
     */
    private void drain(StartedProcess process, int number) {
        plan.recordings().ifPresent(files -> sendRecording(files, process.ranks(), number));
        try {
            do {
                process.awaitOutput(System.nanoTime() + DRAINING_LIMIT.toNanos());
            } while (process.isPassingOutputOn());
        } catch (InterruptedException _) {
            return; // nothing interrupts this thread
        }
        outputs.get(number).forEach(HostOutput::close);
        send(SessionFrame.of(FrameKind.OUTPUT_ENDED, number));
    }

    private void sendRecording(RecordingFiles files, RankRange ranks, int number) {
        try (var pieces = new BufferedOutputStream(new RecordingPieces(number, this::send), RecordingPieces.BYTES)) {
            files.gather(ranks.fileName(), pieces);
        } catch (IOException e) {
            System.err.println("tutti: " + ArrivingRecording.sentence(ranks, e));
        }
    }

    private void send(byte[] frame) {
        try {
            SessionFrame.write(out, frame);
        } catch (UncheckedIOException _) {
            return; // the launcher is gone; the thread that reads from it ends everything
        }
    }

    private void stop() throws InterruptedException {
        if (Cleanup.isEnding() && !goodbye) {
            giveUp();
        }
        List<ChildProcess> started;
        synchronized (processes) {
            started = List.copyOf(processes);
        }
        started.forEach(ChildProcess::terminate);
        awaitEnds(started);
        started.forEach(ChildProcess::kill);
        awaitEnds(started);
    }

    /** Tells the launcher the reason, if the launcher listens; a stopped launcher may read it later. */
    private void giveUp() throws InterruptedException {
        givenUp = true;
        Thread.ofPlatform().daemon().name("last word")
                .start(() -> send(new SessionFrame.Builder(FrameKind.GIVEN_UP).text(why).bytes()))
                .join(LAST_WORD_LIMIT);
    }

    private static void awaitEnds(List<ChildProcess> processes) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + STOPPING_GRACE.toNanos();
        for (var process : processes) {
            process.awaitEnd(deadlineNanos);
        }
    }

    // ---- the launcher

    private void obey() {
        try {
            while (!goodbye) {
                obey(next());
            }
        } catch (IOException e) {
            end("it cannot understand this launcher any more (" + e.getMessage() + ")");
        }
    }

    private void obey(SessionFrame frame) throws IOException {
        switch (frame.kind()) {
            case ROOM_FOR_OUTPUT -> outputs.get(frame.numberBelow(outputs.size())).get(frame.numberBelow(2))
                    .addRoom(frame.numberBelow(SessionFrame.WINDOW_BYTES + 1));
            case INPUT -> {
                if (input == null) {
                    throw new IOException("input for a node without rank 0");
                }
                input.add(frame.piece());
            }
            case MARK_FAILED, RENDEZVOUS -> passOn(frame);
            case END_PROCESS -> {
                var process = processes.get(frame.numberBelow(processes.size()));
                if (frame.number() == 0) {
                    process.terminate();
                } else {
                    process.kill();
                }
            }
            case ASK -> states.ask(frame.number());
            case ASK_RECORDS -> sendRecords(frame.number());
            case GOODBYE -> goodbye = true;
            case ALIVE -> {
            }
            default -> throw new IOException("a launcher says no " + frame.kind());
        }
    }

    private void sendRecords(int question) {
        plan.ranks().ranks().forEach(rank -> {
            var record = nodeFile.record(rank).orElse(new byte[0]);
            send(new SessionFrame.Builder(FrameKind.RECORD).number(rank).number(question)
                    .piece(record, 0, record.length).bytes());
        });
    }

    private synchronized void passOn(SessionFrame frame) throws IOException {
        if (nodeFileClosed) {
            return;
        }
        if (frame.kind() == FrameKind.MARK_FAILED) {
            nodeFile.markFailed(
                    RankFailure.of(frame.numberBelow(plan.shape().size()), frame.longNumber()));
        } else {
            nodeFile.publishRendezvous(frame.text());
        }
    }

    private synchronized void closeNodeFile() {
        nodeFileClosed = true;
        nodeFile.close();
    }

    /**
     * Counts beats without a frame from the launcher. A stop of this process counts as one beat, however long it is.
     */
    private void beat() {
        long intervalMillis = plan.heartbeat().toMillis() / RemoteNode.BEATS;
        try {
            long heardBefore = heardNanos;
            for (int silent = 0; silent < RemoteNode.BEATS; silent = heardNanos == heardBefore ? silent + 1 : 0) {
                heardBefore = heardNanos;
                Thread.sleep(intervalMillis);
                Thread.ofVirtual().start(() -> send(SessionFrame.of(FrameKind.ALIVE))); // sending may block
            }
        } catch (InterruptedException _) {
            return; // nothing interrupts this thread
        }
        end("it has heard nothing from this launcher for the --heartbeat of "
                + DurationConverter.text(plan.heartbeat())
                + ", as when the launcher is stopped (Ctrl-Z) or the network between them is down");
    }

    /** Ends this process, because the launcher is gone; the shutdown hook runs the cleanup. */
    private void end(String reason) {
        why = reason;
        System.exit(STATUS_LAUNCHER_GONE);
    }
}
