/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.Arrays;

import org.tutti.collective.layout.NodeView;
import org.tutti.collective.members.EndpointTable;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;

/**
 * Holds the state of a group that the group's ranks in this process share. This is the node of each rank, and the
 * region through which other nodes reach the group's ring, its shared memory on this node. The first rank of the
 * process that enters the group makes the state. The last one that leaves revokes the region.
 */
final class ProcessGroup {
    private final long id;
    private final int[] ranks;
    private final NodeView view;
    private final Network network;
    private final EndpointTable endpoints;
    private int entered; // under the lock of the process's communicators
    private long handle;

    /**
     * Creates the state of a group that no rank has entered.
     *
     * @param id the number by which all ranks know the group
     * @param ranks for each rank of the group, its rank in the job
     * @param view the description of the group's ranks and nodes as seen from this node
     * @param node the state that the ranks of this node share
     * @param network the connection to other nodes; null if the job has one node
     */
    ProcessGroup(long id, int[] ranks, NodeView view, Node node, Network network) {
        this.id = id;
        this.ranks = ranks;
        this.view = view;
        this.network = view.topology().nodes() == 1 ? null : network;
        this.endpoints = this.network == null ? null
                : new EndpointTable(Arrays.stream(ranks).map(node::firstRankOfProcess).toArray(),
                        process -> node.secret().ringHandle(id, process));
    }

    long id() {
        return id;
    }

    int[] ranks() {
        return ranks;
    }

    NodeView view() {
        return view;
    }

    /** Returns the addresses of the group's ranks on the fabric; null if all of them are on one node. */
    EndpointTable endpoints() {
        return endpoints;
    }

    /**
     * Registers the group's ring, its shared memory on this node, so that other nodes reach it. Has no effect if a rank
     * of the process has already registered the ring.
     */
    synchronized void open(Node node, long ringAddress) {
        if (network != null && handle == 0) {
            var ring = node.memory().block(ringAddress, view.layout().bytes());
            boolean isFlat = view.topology().nodes() == ranks.length;
            network.gossip().know(id, ring, Arrays.stream(ranks).sorted().toArray(), isFlat); // before others break it
            handle = node.secret().ringHandle(id, network.process());
            network.fabric().registerKnown(ring, handle);
        }
    }

    /** Counts one more rank of the process in the group. */
    void enter() {
        entered++;
    }

    /**
     * Counts one rank of the process less in the group. For the last rank, this method revokes the region through which
     * other nodes reach the group. Returns whether this was the last rank.
     */
    boolean leave() {
        entered--;
        if (entered == 0) {
            close();
        }
        return entered == 0;
    }

    private synchronized void close() {
        if (handle != 0) {
            network.gossip().forget(id);
            network.fabric().revoke(handle); // also waits until news that are being received are done
        }
    }
}
