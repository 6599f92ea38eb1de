/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.Arrays;

import org.tutti.collective.layout.NodeView;
import org.tutti.collective.members.EndpointTable;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;

/**
 * The state of a group that its ranks in this process share: the nodes of the ranks, and the region by which other
 * nodes reach the group's ring. The first rank that enters makes it, and the last rank that leaves revokes the region.
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
     * @param view the ranks of the group by node
     * @param node this process's node
     * @param network the connection to other nodes, or null with one node
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

    /** Returns the endpoints of the ranks on other nodes, or null with one node. */
    EndpointTable endpoints() {
        return endpoints;
    }

    /**
     * Registers the group's ring, its block of the node's memory, so that other nodes reach it. Does nothing if a rank
     * of the process has registered the ring.
     */
    synchronized void open(Node node, long ringAddress) {
        if (network != null && handle == 0) {
            var ring = node.memory().block(ringAddress, view.layout().bytes());
            network.gossip().know(id, ring, Arrays.stream(ranks).sorted().toArray()); // before others can break it
            handle = node.secret().ringHandle(id, network.process());
            network.fabric().registerKnown(ring, handle);
        }
    }

    /** Counts one more rank of the process in the group. */
    void enter() {
        entered++;
    }

    /**
     * Counts one rank of the process less in the group. The last rank revokes the region. Returns whether this was the
     * last rank.
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
