/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.tutti.collective.calls.RankRecord;
import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.node.NodeFile;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.tool.recording.RecordingFiles;

/** A node on this host, with a memory file that the launcher itself has made. */
final class LocalNode implements JobNode {
    private final NodePlan plan;
    private final RankCommand command;
    private final int firstProcess;
    private final NodeFile file;
    private volatile long question;

    /**
     * @param plan the node
     * @param program the program of its ranks
     * @param firstProcess the number of its first process among all processes of the job
     * @param secret the job's secret
     */
    LocalNode(NodePlan plan, Program program, int firstProcess, Secret secret) {
        this.plan = plan;
        this.command = new RankCommand(plan, program);
        this.firstProcess = firstProcess;
        this.file = NodeFile.create(plan.memory(), plan.shape(), secret);
    }

    @Override
    public String name() {
        return "node " + plan.shape().node();
    }

    @Override
    public StartedProcess start(int process, JobOutput output) {
        var builder = command.process(process);
        int number = firstProcess + process;
        if (number == 0 && StandardInput.isThere()) {
            builder.redirectInput(Redirect.INHERIT);
        }
        return ChildProcess.start(plan.ranksOf(process), builder, (out, err) -> output.relay(number, out, err));
    }

    @Override
    public boolean hasJoined(int rank) {
        return file.hasJoined(rank);
    }

    @Override
    public boolean hasLeft(int rank) {
        return file.hasLeft(rank);
    }

    @Override
    public int missed(int rank) {
        return file.missed(rank);
    }

    @Override
    public void markFailed(RankFailure failure) {
        file.markFailed(failure);
    }

    @Override
    public Optional<RankFailure> firstFailure() {
        return file.firstFailure();
    }

    @Override
    public OptionalInt abortStatus() {
        return file.abortStatus();
    }

    @Override
    public int abortRank() {
        return file.abortRank();
    }

    @Override
    public Optional<String> rendezvous() {
        return file.rendezvous();
    }

    @Override
    public void publishRendezvous(String rendezvous) {
        file.publishRendezvous(rendezvous);
    }

    @Override
    public void ask() {
        question = file.ask();
    }

    @Override
    public Optional<List<RankLocation>> answer(int process) {
        return file.answer(plan.ranksOf(process).first(), question).map(RankLocation::parse);
    }

    @Override
    public void askRecords() {}

    @Override
    public Optional<Map<Integer, RankRecord>> records() {
        Map<Integer, RankRecord> records = new TreeMap<>();
        plan.ranks().ranks().forEach(rank -> file.record(rank)
                .ifPresent(copy -> records.put(rank, RankRecord.of(copy, plan.shape().size()))));
        return Optional.of(records);
    }

    @Override
    public List<String> gatherRecordings() {
        List<String> sentences = new ArrayList<>();
        plan.recordings().ifPresent(files -> IntStream.range(0, plan.processes()).mapToObj(plan::ranksOf)
                .forEach(ranks -> gather(files, ranks).ifPresent(sentences::add)));
        return sentences;
    }

    private static Optional<String> gather(RecordingFiles files, RankRange ranks) {
        try {
            files.gather(ranks.fileName());
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(ArrivingRecording.sentence(ranks, e));
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
