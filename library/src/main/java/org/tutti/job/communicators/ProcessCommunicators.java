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
import org.tutti.message.RankMessages;

/**
 * Holds the state that the ranks of a process share for their communicators. This is the state of the node, the
 * network, the view of the world, which is the communicator of all ranks, and a {@link ProcessGroup} for each group
 * that has ranks of the process.
 */
public final class ProcessCommunicators {
    private final Node node;
    private final Network network;
    private final FirstDeadline firstDeadline;
    private final ProcessMessages messages;
    private final Map<Long, ProcessGroup> groups = new HashMap<>();
    private final boolean callSites;
    private NodeView world;

    /**
     * Creates the state for the communicators of a process's ranks.
     *
     * @param node the state that the ranks of the node share
     * @param network the connection to other nodes; null if the job has one node
     * @param threads the threads of the process's ranks
     * @param callSites whether each call keeps the line of the program that has made it
     */
    public ProcessCommunicators(Node node, Network network, RankThreads threads, boolean callSites) {
        this.callSites = callSites;
        this.node = node;
        this.network = network;
        this.firstDeadline = new FirstDeadline(node, threads);
        this.messages = new ProcessMessages(node, network);
    }

    /**
     * Lets other nodes send messages to a rank of this process. Called before the rank joins, because another rank may
     * send as soon as it knows that all ranks have joined.
     *
     * @param rank the rank
     * @param cores the number of cores that the ranks of the node may use together
     */
    public void openMessages(int rank, int cores) {
        messages.of(rank, cores);
    }

    /** Returns the messages of a rank of this process. */
    RankMessages messages(int rank, int cores) {
        return messages.of(rank, cores);
    }

    /** Returns whether each call keeps the line of the program that has made it. */
    boolean callSites() {
        return callSites;
    }

    /** Returns the state that the ranks of the node share. */
    public Node node() {
        return node;
    }

    /** Returns the connection to other nodes, or null with one node. */
    public Network network() {
        return network;
    }

    /** Returns the members of a communicator of all ranks of the job. */
    public LiveMembers members() {
        return members(null);
    }

    /** Returns the members of a communicator of the given ranks of the job; null for all ranks in their order. */
    LiveMembers members(int[] ranks) {
        return new LiveMembers(node, ranks, firstDeadline);
    }

    /**
     * Returns the view of the world, a description of all ranks and nodes as seen from this node. The first call makes
     * the view, and all ranks of the process with the same levels, sizes of groups inside a node, share it.
     */
    synchronized NodeView world(int rank, int[] levels) {
        if (world == null || !Arrays.equals(world.topology().levels(), levels)) {
            Topology topology = node.topology().withLevels(levels);
            world = new NodeView(topology, topology.nodeOf(rank));
        }
        return world;
    }

    /**
     * Adds a rank of the process to a group, and returns the group's state in this process. The first rank makes that
     * state.
     */
    synchronized ProcessGroup enter(long id, Supplier<ProcessGroup> maker) {
        ProcessGroup group = groups.computeIfAbsent(id, _ -> maker.get());
        group.enter();
        return group;
    }

    /**
     * Removes a rank of the process from a group. The rank must touch neither the group nor its shared memory again.
     */
    synchronized void leave(ProcessGroup group) {
        if (group.leave()) {
            groups.remove(group.id());
        }
    }
}
