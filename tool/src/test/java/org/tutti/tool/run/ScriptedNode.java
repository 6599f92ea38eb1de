/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import org.tutti.collective.calls.RankRecord;
import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.node.RankFailure;

/** A node that gives the answers of a test, with ranks that have all joined. */
final class ScriptedNode implements JobNode {
    final Set<Integer> left = new HashSet<>();
    final Map<Integer, Integer> missed = new HashMap<>();
    final List<RankFailure> marked = new ArrayList<>();
    Optional<RankFailure> firstFailure = Optional.empty();
    private final String name;

    ScriptedNode(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public StartedProcess start(int process, JobOutput output) {
        throw new AssertionError("nothing is started here");
    }

    @Override
    public boolean hasJoined(int rank) {
        return true;
    }

    @Override
    public boolean hasLeft(int rank) {
        return left.contains(rank);
    }

    @Override
    public int missed(int rank) {
        return missed.getOrDefault(rank, -1);
    }

    @Override
    public void markFailed(RankFailure failure) {
        marked.add(failure);
    }

    @Override
    public Optional<RankFailure> firstFailure() {
        return firstFailure;
    }

    @Override
    public OptionalInt abortStatus() {
        return OptionalInt.empty();
    }

    @Override
    public int abortRank() {
        throw new AssertionError("nobody aborts");
    }

    @Override
    public Optional<String> rendezvous() {
        return Optional.empty();
    }

    @Override
    public void publishRendezvous(String rendezvous) {}

    @Override
    public void ask() {}

    @Override
    public Optional<List<RankLocation>> answer(int process) {
        return Optional.empty();
    }

    @Override
    public void askRecords() {}

    @Override
    public Optional<Map<Integer, RankRecord>> records() {
        return Optional.of(Map.of());
    }

    @Override
    public void close() {}
}
