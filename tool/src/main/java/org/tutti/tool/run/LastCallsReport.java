/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import org.tutti.collective.calls.RankRecord;
import org.tutti.collective.calls.RecentCalls;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;
import org.tutti.memory.FileReason;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.calls.CallNames;
import org.tutti.tool.calls.FirstDifference;
import org.tutti.tool.calls.RankCalls;

/**
 * The report of a job that does not end well, {@code tutti-JOB.report.json}: how it ended, the last calls of each rank,
 * and the first difference between them. The calls are in the memory of the nodes, which outlives the processes of the
 * ranks. A job in which no rank has joined has no report.
 */
final class LastCallsReport {
    private static final int SCHEMA = 1;

    /** How long hosts may take to send the records of their ranks, because SIGKILL may follow a signal soon. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Gson JSON = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    /** Characters that a terminal may obey; JSON escapes only some of them. */
    private static final Pattern CONTROL = Pattern.compile("\\p{IsControl}");

    private final JobPlan plan;
    private final JobNodes nodes;
    private final List<StartedProcess> processes;
    private final JobOutput output;

    /**
     * @param plan the job
     * @param nodes have the calls of their ranks
     * @param processes the started processes by number
     * @param output takes the sentences about the report
     */
    LastCallsReport(JobPlan plan, JobNodes nodes, List<StartedProcess> processes, JobOutput output) {
        this.plan = plan;
        this.nodes = nodes;
        this.processes = processes;
        this.output = output;
    }

    // ---- the form of the file

    private record Report(int schema, String job, String time, End ending, Difference firstDifference,
            List<Rank> ranks) {}

    private record End(String cause, String sentence, List<Integer> ranks) {}

    private record Difference(String kind, String communicator, String communicatorName, long operation,
            List<Integer> ranks, String sentence) {
        static Difference of(FirstDifference found) {
            return new Difference(found.kind().word(), Long.toHexString(found.communicator()),
                    nameOf(found.communicator()), found.operation(), found.ranks(), found.sentence() + ".");
        }
    }

    private record Rank(int rank, int node, String host, Long pid, String state, boolean available, Long callsBegun,
            List<Call> lastCalls) {}

    private record Call(long number, String communicator, String communicatorName, long operation, String collective,
            String algorithm, Long bytes, Integer root, String state, String text) {
        static Call of(RecentCalls.Entry call) {
            return new Call(call.number(), Long.toHexString(call.communicator()), nameOf(call.communicator()),
                    call.operation(), call.collective().label(), CallNames.algorithm(call.algorithm()),
                    call.collective().hasElements() ? call.bytes() : null,
                    call.collective().hasRoot() ? call.root() : null, call.state().name().toLowerCase(Locale.ROOT),
                    call.text().isEmpty() ? null : CONTROL.matcher(call.text()).replaceAll("?"));
        }
    }

    private static String nameOf(long communicator) {
        return communicator == Node.WORLD ? "world" : null;
    }

    // ---- writing

    /**
     * Writes the report, and says where it is, unless the user wants none. A later report of the job replaces it.
     *
     * @param ending how the job ended
     */
    synchronized void write(Ending ending) throws InterruptedException {
        if (plan.reports().isEmpty() || IntStream.range(0, plan.size()).noneMatch(nodes::hasJoined)) {
            return;
        }
        var directory = plan.reports().get();
        var file = directory.resolve("tutti-" + plan.job() + ".report.json");
        var records = nodes.records(PATIENCE);
        var difference = difference(ending, records);
        List<String> sentences = new ArrayList<>();
        difference.ifPresent(found -> sentences.add(found.sentence() + "."));
        try {
            Files.createDirectories(directory.toAbsolutePath());
            String text = JSON.toJson(new Report(SCHEMA, plan.job(),
                    Instant.now().truncatedTo(ChronoUnit.MILLIS).toString(),
                    new End(ending.cause().word(), ending.sentence(), ending.ranks()),
                    difference.map(Difference::of).orElse(null), ranks(ending, records))) + "\n";
            OutputFiles.replace(file, directory.resolve(file.getFileName() + ".part"),
                    out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
            sentences.add("the last calls of each rank are in " + file + ".");
        } catch (IOException e) {
            sentences.add("the last calls of each rank could not be written to " + file + " (" + FileReason.of(e)
                    + "); name a directory with room by --report.");
        }
        output.say(sentences);
    }

    private Optional<FirstDifference> difference(Ending ending, Map<Integer, RankRecord> records) {
        if (!ending.cause().isOfCalls()) {
            return Optional.empty();
        }
        List<RankCalls> calls = new ArrayList<>();
        records.forEach((rank, record) -> calls.add(new RankCalls(rank, record.recentCalls().begun(),
                record.recentCalls().read())));
        return FirstDifference.find(calls, new HashSet<>(ending.ranks()));
    }

    private List<Rank> ranks(Ending ending, Map<Integer, RankRecord> records) {
        return IntStream.range(0, plan.size())
                .mapToObj(rank -> rank(rank, Optional.ofNullable(records.get(rank)), state(rank, ending))).toList();
    }

    private Rank rank(int rank, Optional<RankRecord> record, String state) {
        int node = plan.placement().nodeOfRank(rank);
        int process = plan.processOf(rank);
        var host = plan.hosts().map(hosts -> hosts.name(node)).orElseGet(Network::hostName);
        long pid = process < processes.size() ? processes.get(process).pid() : 0;
        return new Rank(rank, node, host, pid == 0 ? null : pid, state, record.isPresent(),
                record.map(known -> known.recentCalls().begun()).orElse(null),
                record.map(known -> known.recentCalls().read().stream().map(Call::of).toList()).orElse(null));
    }

    private String state(int rank, Ending ending) {
        int process = plan.processOf(rank);
        if (ending.cause() == Ending.Cause.FAILED && ending.ranks().contains(rank)) { // it may have left before
            return "failed";
        }
        return !nodes.hasJoined(rank) ? "absent"
                : nodes.hasLeft(rank) ? "left"
                        : process < processes.size() && processes.get(process).isAlive() ? "joined" : "ended";
    }
}
