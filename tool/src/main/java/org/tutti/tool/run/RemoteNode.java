/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.collective.calls.RankRecord;
import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.node.NodeFile;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;

/**
 * A node on another host. An agent such as ssh starts one process there ({@link HostSession}), which does the work that
 * the launcher does for a node of its own, and reports it over the agent's standard streams.
 *
 * <p>One thread takes frames off the connection and never waits for anything else. Another thread sends, so that no
 * other thread waits for a host that does not listen. The host sends a beat at regular intervals, and the launcher
 * sends one when it has had nothing else to send for an interval. A host that is silent for too long, or that loses its
 * agent, is lost: its processes count as failed.
 */
final class RemoteNode implements JobNode {
    /** The number of intervals between beats in the heartbeat limit. */
    static final int BEATS = 5;

    private static final int NOBODY = -1;
    private static final int STATUS_MAX = 255;
    private static final int QUEUE_MAX = 1 << 14;
    private static final int STATUS_NOT_FOUND = 127;
    private static final Pattern RENDEZVOUS = Pattern.compile("[!-~]{1," + NodeFile.RENDEZVOUS_LENGTH_MAX + "}");
    /**
     * Makes a command ignore SIGQUIT, because Ctrl-\ in the launcher's terminal reaches agents too and must not end
     * them.
     */
    private static final List<String> UNDISTURBED = List.of("/bin/sh", "-c", "trap '' QUIT; exec \"$@\"", "sh");

    private static final Duration AGENT_GRACE = Duration.ofSeconds(1);
    private static final Duration RECORDING_PATIENCE = Duration.ofSeconds(10);
    private static final Duration CLOSING_LIMIT = Duration.ofSeconds(3);

    private final String host;
    private final String script;
    private final List<String> command;
    private final NodePlan plan;
    private final Program program;
    private final byte[] description;
    private final List<RemoteProcess> processes;
    private final List<ArrivingRecording> recordings; // none if the job is not recorded
    private final RemoteInput input = new RemoteInput(this::send);
    private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
    private final CountDownLatch greeted = new CountDownLatch(1); // also counted down when the host is lost
    private final long startNanos = System.nanoTime();
    private final BitSet joined = new BitSet();
    private final BitSet left = new BitSet();
    private final Map<Integer, Integer> missed = new HashMap<>();
    private final Map<Integer, List<RankLocation>> answers = new HashMap<>();
    private final Map<Integer, RankRecord> records = new TreeMap<>();
    private final BitSet answeredRecords = new BitSet(); // ranks
    private int question;
    private int recordQuestion;
    private Process agent;
    private Relay agentErr;
    private String lost;
    private boolean released;
    private boolean greetedWell;
    private volatile long heardNanos;
    private long lookedNanos = startNanos;
    private long heardBeforeNanos = startNanos;
    private volatile long silentNanos;
    private volatile Optional<RankFailure> firstFailure = Optional.empty();
    private volatile int abortRank;
    private volatile int abortStatus = NOBODY;
    private volatile Optional<String> rendezvous = Optional.empty();

    private RemoteNode(Hosts hosts, NodePlan plan, Program program, int firstProcess, Secret secret,
            JobOutput output) {
        int node = plan.shape().node();
        this.host = hosts.name(node);
        this.script = hosts.script();
        this.command = hosts.command(node, "host");
        this.plan = plan;
        this.program = program;
        this.description = new JobDescription(plan, program, program.compiled().isPresent(),
                plan.recordings().isPresent(), host, secret).frame();
        this.processes = IntStream.range(0, plan.processes()).mapToObj(number -> new RemoteProcess(this, number,
                plan.ranksOf(number), (out, err) -> output.relay(firstProcess + number, out, err))).toList();
        this.recordings = plan.recordings().stream().flatMap(files -> IntStream.range(0, plan.processes())
                .mapToObj(plan::ranksOf).map(ranks -> new ArrivingRecording(files, ranks))).toList();
    }

    /** {@return the node; if its host turns out not to answer, the processes of the node have ended} */
    static RemoteNode open(Hosts hosts, NodePlan plan, Program program, int firstProcess, Secret secret,
            JobOutput output) {
        var node = new RemoteNode(hosts, plan, program, firstProcess, secret, output);
        node.connect(output);
        return node;
    }

    private void connect(JobOutput output) {
        try {
            requireCommand(command.getFirst());
            agent = new ProcessBuilder(Stream.concat(UNDISTURBED.stream(), command.stream()).toList()).start();
        } catch (IOException e) {
            loseUnstarted("the command " + command.getFirst() + " of --agent cannot be run (" + e.getMessage()
                    + "); install it, or name another one");
            return;
        }
        agentErr = output.relayAgent(host, agent.getErrorStream());
        Thread.ofPlatform().daemon().name("from " + host).start(this::receive);
        Thread.ofPlatform().daemon().name("to " + host).start(this::transmit);
    }

    /** Checks that a command exists, because the shell would report its absence only as a status. */
    private static void requireCommand(String name) throws IOException {
        boolean found = name.contains("/") ? Files.isExecutable(Path.of(name))
                : Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
        if (!found) {
            throw new IOException("there is no such command");
        }
    }

    String host() {
        return host;
    }

    // ---- from the host

    private void receive() {
        try (var in = new DataInputStream(new BufferedInputStream(agent.getInputStream(), 1 << 16))) {
            if (!greet(in)) {
                return;
            }
            for (SessionFrame frame; (frame = SessionFrame.read(in)) != null && !isLost();) {
                heardNanos = System.nanoTime();
                take(frame);
            }
            loseStarted("its agent, " + quoted() + ", " + agentsEnd());
        } catch (IOException e) {
            loseStarted("what its agent, " + quoted() + ", passes on is not Tutti's: " + e.getMessage());
        } catch (InterruptedException _) {
            return; // nothing interrupts this thread
        }
    }

    private boolean greet(DataInputStream in) throws InterruptedException {
        Greeting greeting;
        try {
            greeting = Greeting.read(in);
        } catch (IOException e) {
            loseUnstarted(quoted() + " printed \"" + e.getMessage() + "\" instead of what Tutti says; let nothing else "
                    + "print on its standard output, such as the start-up files of the shell there");
            return false;
        }
        var own = Greeting.OWN;
        if (greeting == null) {
            loseUnstarted(quoted() + " " + agentsEnd() + " before Tutti answered; see that it works by itself and asks "
                    + "for nothing, and that the same Tutti is at " + script
                    + " there, or name its path with --remote-tutti");
        } else if (greeting.protocol() != own.protocol() || !greeting.version().equals(own.version())) {
            loseUnstarted("Tutti " + greeting.version() + " is at " + script + " there, and " + own.version()
                    + " here; have the same on all hosts");
        } else if (greeting.java() < own.java()) {
            loseUnstarted("Tutti runs on JDK " + greeting.java() + " there, and on JDK " + own.java()
                    + " here; have the same on all hosts, or the older one here");
        } else {
            heardNanos = System.nanoTime();
            synchronized (this) {
                greetedWell = true;
            }
            greeted.countDown();
            return true;
        }
        return false;
    }

    private void take(SessionFrame frame) throws IOException {
        switch (frame.kind()) {
            case REFUSED -> loseUnstarted(frame.text());
            case GIVEN_UP -> loseStarted(frame.text());
            case STARTED -> process(frame).started(frame.longNumber());
            case OUTPUT -> {
                if (!process(frame).printed(frame.numberBelow(2), frame.piece())) {
                    throw new IOException("more output than was asked for");
                }
            }
            case ENDED -> process(frame).ended(frame.numberBelow(STATUS_MAX + 1));
            case RECORDING -> {
                int process = frame.numberBelow(recordings.size());
                recordings.get(process).append(frame.piece());
            }
            case OUTPUT_ENDED -> process(frame).outputEnded();
            case JOINED -> note(joined, frame);
            case LEFT -> note(left, frame);
            case MISSED -> noteMissed(frame);
            case FIRST_FAILURE -> firstFailure =
                    Optional.of(RankFailure.of(frame.numberBelow(plan.shape().size()), frame.longNumber()));
            case ABORTED -> {
                abortRank = frame.numberBelow(plan.shape().size());
                abortStatus = frame.numberBelow(STATUS_MAX + 1);
            }
            case RENDEZVOUS -> {
                var text = frame.text();
                if (!RENDEZVOUS.matcher(text).matches()) {
                    throw new IOException("a strange address");
                }
                rendezvous = Optional.of(text);
            }
            case WHEREABOUTS -> takeAnswer(frame);
            case RECORD -> takeRecord(frame);
            case ROOM_FOR_INPUT -> input.addRoom(frame.numberBelow(SessionFrame.WINDOW_BYTES + 1));
            case ALIVE -> {
            }
            default -> throw new IOException("a host says no " + frame.kind());
        }
    }

    private RemoteProcess process(SessionFrame frame) throws IOException {
        return processes.get(frame.numberBelow(processes.size()));
    }

    private synchronized void note(BitSet ranks, SessionFrame frame) throws IOException {
        ranks.set(frame.numberBelow(plan.shape().size()));
    }

    private synchronized void noteMissed(SessionFrame frame) throws IOException {
        missed.put(frame.numberBelow(plan.shape().size()), frame.numberBelow(plan.shape().size()));
    }

    // ---- to the host

    /** Queues a frame for sending; a host that takes no frames is lost. */
    void send(byte[] frame) {
        if (!isLost() && !queue.offer(frame)) {
            loseStarted("it takes nothing from the launcher");
        }
    }

    private void transmit() {
        try (var out = agent.getOutputStream()) {
            greeted.await();
            if (isLost()) {
                return;
            }
            SessionFrame.write(out, description);
            if (program.compiled().isPresent()) {
                ClassFiles.send(program.compiled().get(), frame -> SessionFrame.write(out, frame));
            }
            SessionFrame.write(out, SessionFrame.of(FrameKind.START));
            long intervalMillis = plan.heartbeat().toMillis() / BEATS;
            for (byte[] frame = null; frame == null || frame[Integer.BYTES] != FrameKind.GOODBYE.ordinal();) {
                frame = queue.poll(intervalMillis, TimeUnit.MILLISECONDS);
                SessionFrame.write(out, frame == null ? SessionFrame.of(FrameKind.ALIVE) : frame);
            }
        } catch (IOException | UncheckedIOException e) {
            System.getLogger(RemoteNode.class.getName()).log(System.Logger.Level.DEBUG, host, e); // receive() notices
        } catch (InterruptedException _) {
            return; // nothing interrupts this thread
        }
    }

    // ---- losing it

    private void loseUnstarted(String clause) {
        lose("host " + host + " could not be started: " + clause);
    }

    private void loseStarted(String clause) {
        lose("host " + host + " was lost, so " + plan.ranks().name()
                + (plan.ranks().count() == 1 ? " counts" : " count") + " as failed: " + clause);
    }

    private void lose(String clause) {
        synchronized (this) {
            if (lost != null) {
                return;
            }
            lost = clause;
        }
        greeted.countDown();
        processes.forEach(process -> process.lose(clause));
        if (agent != null) {
            agent.destroy();
        }
    }

    @Override
    public synchronized boolean isLost() {
        return lost != null;
    }

    /** {@return ", silent for N s" if the host is late with its beats, otherwise an empty text} */
    String silence() {
        long silentMillis = silentNanos / 1_000_000;
        boolean late = greeted.getCount() == 0 && silentMillis > 2 * plan.heartbeat().toMillis() / BEATS;
        return late ? ", silent for " + silentMillis / 1000 + " s" : "";
    }

    private String quoted() {
        return "'" + String.join(" ", command) + "'";
    }

    private String agentsEnd() throws InterruptedException {
        if (!agent.waitFor(AGENT_GRACE)) {
            return "closed its standard output";
        }
        int status = agent.exitValue();
        return "ended with status " + status + meaning(status);
    }

    private String meaning(int status) {
        return switch (status) {
            case STATUS_NOT_FOUND -> " (command not found)";
            case HostSession.STATUS_LAUNCHER_GONE -> " (somebody terminated it, or it had heard nothing from this "
                    + "launcher for the --heartbeat of " + DurationConverter.text(plan.heartbeat()) + ")";
            default -> "";
        };
    }

    @Override
    public void look() {
        boolean started;
        synchronized (this) {
            started = greetedWell;
        }
        countSilence(started ? heardNanos : startNanos);
        if (started && silentNanos > plan.heartbeat().toNanos()) {
            loseStarted("nothing was heard of it for the --heartbeat of " + DurationConverter.text(plan.heartbeat()));
        } else if (!started && silentNanos > plan.joinTimeout().toNanos()) {
            loseUnstarted(quoted() + " said nothing for the --join-timeout of "
                    + DurationConverter.text(plan.joinTimeout())
                    + "; see that it works by itself and asks for nothing");
        }
    }

    /**
     * Counts silence only while this process runs: after a stop, this process has yet to read what the host has sent
     * meanwhile.
     */
    private void countSilence(long heard) {
        long now = System.nanoTime();
        long elapsed = Math.min(now - lookedNanos, plan.heartbeat().toNanos() / BEATS);
        silentNanos = heard == heardBeforeNanos ? silentNanos + elapsed : 0;
        lookedNanos = now;
        heardBeforeNanos = heard;
    }

    // ---- questions of the launcher

    @Override
    public String name() {
        return "host " + host;
    }

    @Override
    public StartedProcess start(int process, JobOutput output) {
        return processes.get(process); // the host starts it as soon as it can
    }

    @Override
    public synchronized boolean hasJoined(int rank) {
        return joined.get(rank);
    }

    @Override
    public synchronized boolean hasLeft(int rank) {
        return left.get(rank);
    }

    @Override
    public synchronized int missed(int rank) {
        return missed.getOrDefault(rank, NOBODY);
    }

    @Override
    public void markFailed(RankFailure failure) {
        send(new SessionFrame.Builder(FrameKind.MARK_FAILED).number(failure.rank()).longNumber(failure.word()).bytes());
    }

    @Override
    public Optional<RankFailure> firstFailure() {
        return firstFailure;
    }

    @Override
    public OptionalInt abortStatus() {
        return abortStatus == NOBODY ? OptionalInt.empty() : OptionalInt.of(abortStatus);
    }

    @Override
    public int abortRank() {
        return abortRank;
    }

    @Override
    public Optional<String> rendezvous() {
        return rendezvous;
    }

    @Override
    public void publishRendezvous(String address) {
        send(new SessionFrame.Builder(FrameKind.RENDEZVOUS).text(address).bytes());
    }

    @Override
    public void ask() {
        int number;
        synchronized (this) {
            answers.clear();
            question++;
            number = question;
        }
        send(SessionFrame.of(FrameKind.ASK, number));
    }

    @Override
    public synchronized Optional<List<RankLocation>> answer(int process) {
        return Optional.ofNullable(answers.get(process));
    }

    private synchronized void takeAnswer(SessionFrame frame) throws IOException {
        int process = frame.numberBelow(processes.size());
        if (frame.number() == question) {
            try {
                answers.put(process, RankLocation.parse(frame.text()));
            } catch (IllegalArgumentException e) {
                throw new IOException("strange whereabouts", e);
            }
        }
    }

    @Override
    public void askRecords() {
        int number;
        synchronized (this) {
            records.clear();
            answeredRecords.clear();
            recordQuestion++;
            number = recordQuestion;
        }
        send(SessionFrame.of(FrameKind.ASK_RECORDS, number));
    }

    @Override
    public synchronized boolean hasAnsweredRecords() {
        return answeredRecords.cardinality() == plan.ranks().count();
    }

    @Override
    public synchronized Optional<Map<Integer, RankRecord>> records() {
        return hasAnsweredRecords() ? Optional.of(new TreeMap<>(records))
                : Optional.empty();
    }

    private synchronized void takeRecord(SessionFrame frame) throws IOException {
        int rank = frame.numberBelow(plan.ranks().last() + 1);
        if (rank < plan.ranks().first()) {
            throw new IOException("the record of a rank of another host");
        }
        if (frame.number() != recordQuestion) {
            return;
        }
        var copy = frame.piece();
        answeredRecords.set(rank);
        if (copy.length > 0) {
            try {
                records.put(rank, RankRecord.of(copy, plan.shape().size()));
            } catch (IllegalArgumentException e) {
                throw new IOException("a strange record", e);
            }
        }
    }

    /** Waits until the agent's output has been passed on, or until {@link System#nanoTime()} passes the deadline. */
    void awaitAgentsOutput(long deadlineNanos) throws InterruptedException {
        if (agentErr != null) {
            agentErr.awaitEnd(deadlineNanos);
        }
    }

    /** Waits as long as the host sends pieces; the host sends the recording of a process when the process has ended. */
    @Override
    public List<String> gatherRecordings() throws InterruptedException {
        List<String> sentences = new ArrayList<>();
        for (var recording : recordings) {
            while (!isLost() && recording.isArriving(RECORDING_PATIENCE)) {
                look();
            }
            recording.close().ifPresent(sentences::add);
        }
        return sentences;
    }

    @Override
    public void release() {
        boolean wasGreeted;
        synchronized (this) {
            wasGreeted = greetedWell && lost == null;
            if (released || agent == null) {
                return;
            }
            released = true;
        }
        if (wasGreeted) {
            send(SessionFrame.of(FrameKind.GOODBYE));
        } else {
            agent.destroy();
        }
    }

    @Override
    public void close() {
        release();
        try {
            if (agent != null && !agent.waitFor(isLost() ? AGENT_GRACE : CLOSING_LIMIT)) {
                agent.destroyForcibly();
                agent.waitFor(AGENT_GRACE);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
