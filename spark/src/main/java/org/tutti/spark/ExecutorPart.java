/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.tutti.job.EngineRanks;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Secret;

/**
 * A rank's share in the memory and connections that the ranks of an executor process use together in a job. Each rank
 * enters before it meets the others at the driver. The first rank that knows its node opens the memory and connections.
 * At that time it knows all ranks of the process, and which of them have already gone.
 */
final class ExecutorPart implements AutoCloseable {
    /** The name of this process for the driver. */
    static final String PROCESS = UUID.randomUUID().toString();

    private static final Map<String, Shared> ALL = new HashMap<>();

    /** The state that the ranks of the process share, guarded by its own monitor. */
    private static final class Shared {
        private int users; // guarded by the map
        private final Set<Integer> gone = new HashSet<>();
        private EngineRanks ranks;
        private RuntimeException refusal;
    }

    private final String key;
    private final int rank;
    private final Shared shared;
    private boolean runs;

    private ExecutorPart(String key, int rank, Shared shared) {
        this.key = key;
        this.rank = rank;
        this.shared = shared;
    }

    /** Records that a rank of this process takes part in a job, and returns the rank's share. */
    static ExecutorPart enter(String key, int rank) {
        synchronized (ALL) {
            Shared shared = ALL.computeIfAbsent(key, _ -> new Shared());
            shared.users++;
            return new ExecutorPart(key, rank, shared);
        }
    }

    /**
     * Opens the memory and connections of this process for the job, unless another rank of the process has opened them.
     * Throws if the other rank could not open them.
     */
    EngineRanks open(Message.Plan plan, int size, StageSecret secret) {
        synchronized (shared) {
            if (shared.refusal != null) {
                throw shared.refusal;
            }
            if (shared.ranks == null) {
                try {
                    shared.ranks = new EngineRanks(
                            new NodeShape(plan.job(), size, plan.node(), plan.nodes(), plan.nodeRanks()),
                            plan.firstRank(), plan.processRanks(), Secret.of(secret.derive(plan.job())));
                } catch (RuntimeException e) {
                    shared.refusal = e;
                    throw e;
                }
                shared.gone.forEach(shared.ranks::abandon);
            }
            return shared.ranks;
        }
    }

    /**
     * Records that the rank runs. From then on, {@link EngineRanks#run} makes the rank leave the job, and {@link
     * #close} does not.
     */
    void setRuns() {
        runs = true;
    }

    @Override
    public void close() {
        synchronized (shared) {
            if (shared.ranks == null) {
                shared.gone.add(rank);
            } else if (!runs) {
                shared.ranks.abandon(rank);
            }
        }
        synchronized (ALL) {
            shared.users--;
            if (shared.users == 0) {
                ALL.remove(key);
            }
        }
    }
}
