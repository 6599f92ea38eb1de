/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.machine.Area;

/**
 * In which order a master invites the nodes that have long messages for its own: rendezvous as Portals has it, driven
 * by the receiver. With k ports, k nodes and the k next ones are invited at once, so that no port is idle until an
 * invitation has arrived; never more. So however many nodes there are, few messages meet at a node's wire, and 2·k
 * places suffice for them. Messages that have room in the eager buffers of their pairs are promised, and come at any
 * time; they do not count here.
 *
 * <p><b>Turns.</b> Flows are opened in the order in which their pieces are awaited, 0, 1, 2, … Those from 0 to 2·k − 1
 * are invited when they are opened; but flow i from k on, if it is as long as flow i − k, when the first piece of that
 * one has come, or both would come at half the speed, and end together. Flow i from 2·k on is invited when flow i − 2·k
 * has been taken: before anything of flow i − 2·k + 1 is awaited, which says it.
 *
 * <p><b>Why it ends.</b> When a master awaits a flow, all before it have been taken, so it has been invited. An
 * algorithm has to see to it only that no sender waits for a later one.
 */
public final class RendezvousSchedule {
    /** How many nodes are invited for each port: one that sends, and the next one. */
    public static final int PER_PORT = 2;

    private final Flows flows;
    private Inflow[] opened = new Inflow[0];
    private int ports;
    private int count;

    public RendezvousSchedule(Flows flows) {
        this.flows = flows;
    }

    /**
     * Begins, once an operation.
     *
     * @param k how many ports this node has, 1 or more
     */
    public void begin(int k) {
        assert k > 0 : "with " + k + " ports";
        ports = k;
        count = 0;
        if (opened.length < flows.context.nodes()) {
            opened = new Inflow[flows.context.nodes()];
        }
    }

    /**
     * {@return which of the 2·k places of a window the next flow may have for itself, if its node is invited: that of
     * the one which is taken before}
     */
    public int place() {
        return count % (PER_PORT * ports);
    }

    /**
     * Opens the flow of the next node in turn, over its pair: as {@link Inflow#openPair} does, but for when the node is
     * invited.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the pieces; it may be 0
     * @param pieces how many pieces there will be, 1 or more; each has a place
     * @param window the master's window; not looked at if the pieces have room in the eager buffer
     * @param at at which byte the places begin there
     */
    public void openPair(int fromNode, long longestPiece, int pieces, Area window, long at) {
        Inflow flow = flows.inflow(flows.pair(fromNode));
        flow.expectPair(fromNode, longestPiece, pieces, window, at, pieces);
        if (flow.invites) {
            int index = count++;
            assert index < opened.length : "more than " + opened.length + " flows";
            opened[index] = flow;
            if (flows.context.isMaster()) {
                takeTurn(flow, index);
            }
        }
    }

    private void takeTurn(Inflow flow, int index) {
        if (index >= PER_PORT * ports) {
            opened[index - PER_PORT * ports + 1].inviteWhenAwaited(flow);
        } else if (index >= ports && opened[index - ports].isAsLongAs(flow)) {
            opened[index - ports].inviteWhenItComes(flow);
        } else {
            flow.invite();
        }
    }
}
