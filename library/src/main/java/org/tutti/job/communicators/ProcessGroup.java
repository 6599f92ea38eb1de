/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.Arrays;

import org.tutti.collective.layout.NodeView;
import org.tutti.collective.members.EndpointTable;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;

/**
 * What the ranks of a process that are in a group share of it: who is where, and the region by which other nodes reach
 * its ring. The first that enters makes it, and the last that leaves gives it up.
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
     * @param id the number that all ranks of the group know it by
     * @param ranks for each rank of the group its rank in the job
     * @param view where they are
     * @param node this process's node
     * @param network how other nodes are reached, or null with one node
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

    /** How ranks on other nodes are reached, or null with one node. */
    EndpointTable endpoints() {
        return endpoints;
    }

    /** Lets other nodes reach the ring, unless this or another rank of the process has. */
    synchronized void open(Node node, long ringAddress) {
        if (network != null && handle == 0) {
            var ring = node.memory().block(ringAddress, view.layout().bytes());
            network.gossip().know(id, ring, Arrays.stream(ranks).sorted().toArray()); // before others can break it
            handle = node.secret().ringHandle(id, network.process());
            network.fabric().registerKnown(ring, handle);
        }
    }

    /** One more rank of the process is in it. */
    void enter() {
        entered++;
    }

    /** One rank less is in it; returns whether it was the last, with which the region is given up. */
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
            network.fabric().revoke(handle); // which also waits for news that are just being heard
        }
    }
}
