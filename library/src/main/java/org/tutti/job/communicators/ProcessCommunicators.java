/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import org.tutti.Topology;
import org.tutti.collective.layout.NodeView;
import org.tutti.job.diagnosis.FirstDeadline;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;

/**
 * What the ranks of a process share for their communicators: the node, how other nodes are reached, the world's view,
 * and what is known by each group that ranks of the process are in.
 */
public final class ProcessCommunicators {
    private final Node node;
    private final Network network;
    private final FirstDeadline firstDeadline;
    private final Map<Long, ProcessGroup> groups = new HashMap<>();
    private NodeView world;

    /**
     * @param node what the ranks of the node share
     * @param network how other nodes are reached, or null when there are none
     * @param threads those of the process's ranks
     */
    public ProcessCommunicators(Node node, Network network, RankThreads threads) {
        this.node = node;
        this.network = network;
        this.firstDeadline = new FirstDeadline(node, threads);
    }

    /** What the ranks of the node share. */
    public Node node() {
        return node;
    }

    /** How other nodes are reached, or null when there are none. */
    public Network network() {
        return network;
    }

    /** What a rank's communicator of all ranks of the job knows of their lives. */
    public LiveMembers members() {
        return members(null);
    }

    /** What a rank's communicator of these ranks of the job knows of their lives; null for all, in their order. */
    LiveMembers members(int[] ranks) {
        return new LiveMembers(node, ranks, firstDeadline);
    }

    /** The world as the ranks of this node see it, with levels inside it; made once for those of the process. */
    synchronized NodeView world(int rank, int[] levels) {
        if (world == null || !Arrays.equals(world.topology().levels(), levels)) {
            Topology topology = node.topology().withLevels(levels);
            world = new NodeView(topology, topology.nodeOf(rank));
        }
        return world;
    }

    /** A rank of the process becomes part of a group. The first that does makes what they share of it. */
    synchronized ProcessGroup enter(long id, Supplier<ProcessGroup> maker) {
        ProcessGroup group = groups.computeIfAbsent(id, _ -> maker.get());
        group.enter();
        return group;
    }

    /** A rank is not part of a group any more: it touches neither the group nor its block again. */
    synchronized void leave(ProcessGroup group) {
        if (group.leave()) {
            groups.remove(group.id());
        }
    }
}
