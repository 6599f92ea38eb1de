/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeTree;

/**
 * A broadcast between nodes of one rank each that puts straight into where the others have invited the root to, with a
 * fault. Every node must have one rank.
 */
final class BrokenDirectBroadcast extends Broadcast {
    private static final int CHILDREN_MAX = 2;

    private final Fault fault;

    BrokenDirectBroadcast(Fault fault) {
        super(new Description("broken", Order.ALWAYS, "", "", "", "", ""));
        this.fault = fault;
    }

    @Override
    public void run(Team team, Call call) {
        Area data = call.source();
        long bytes = call.bytes();
        int root = call.root();
        if (bytes == 0 || team.nodes() > CHILDREN_MAX + 1) {
            return;
        }
        Area window = team.show(bytes);
        if (team.rank() != root) {
            Inflow in = team.inflow(NodeTree.PARENT);
            in.invite(root, NodeTree.edge(index(team.rank(), root)), bytes, 1, window, 0, bytes);
            if (fault != Fault.LEAVES_BEFORE_THE_PUT) {
                team.copy(in.await(), 0, data, 0, bytes);
            }
            return;
        }
        for (int other = 0; other < team.size(); other++) {
            if (other != root) {
                Outflow out = team.outflow(NodeTree.edge(index(other, root)));
                out.open(other, NodeTree.PARENT, bytes, Flow.INVITED);
                out.send(data, 0, bytes);
            }
        }
    }

    private static int index(int rank, int root) {
        return rank < root ? rank : rank - 1;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return bytes; // the window of the only rank
    }
}
