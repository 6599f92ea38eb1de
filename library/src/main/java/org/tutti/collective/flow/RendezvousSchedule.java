/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.machine.Area;

/**
 * Determines when a master, the first rank of a node, invites each of the nodes that have long messages for it. This is
 * a rendezvous driven by the receiver, as in Portals. A node with k ports receives from k nodes at the same time. It
 * invites these k nodes and the next k, so that no port is idle until an invitation has arrived. However many nodes
 * there are, at most 2·k of them send to a node at the same time, and memory for 2·k messages suffices. Messages that
 * fit into the eager buffers of their pairs need no invitation, come at any time, and do not count here. A team has one
 * such object; an algorithm begins it anew in each operation.
 *
 * <p><b>Turns.</b> A flow is the stream of pieces from one node. An algorithm opens the flows 0, 1, 2, … in the order
 * in which it awaits their pieces. Flows 0 to 2·k − 1 are invited when they are opened, with one exception. If a flow i
 * from k to 2·k − 1 is as long as flow i − k, it is invited when the first piece of flow i − k has come. Otherwise the
 * two would share the port, come at half the speed, and end together. Any later flow i is invited once flow i − 2·k has
 * been taken. This is the case when flow i − 2·k + 1 is first awaited.
 *
 * <p><b>Why it ends.</b> When a master awaits a flow, it has taken all flows before that flow, so it has invited the
 * sender of the awaited flow. The algorithm must make sure that no sender waits for a later flow.
 */
public final class RendezvousSchedule {
    /** The number of nodes that are invited for each port: the node that sends, and the node that sends next. */
    public static final int PER_PORT = 2;

    private final Flows flows;
    private Inflow[] opened = new Inflow[0];
    private int ports;
    private int count;

    /** Creates the schedule of a team. */
    public RendezvousSchedule(Flows flows) {
        this.flows = flows;
    }

    /**
     * Begins the schedule of an operation.
     *
     * @param k the number of ports of this node, 1 or more
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
     * {@return the index of the part of the master's window into which the next flow comes if its node is invited, 0 to
     * 2·k − 1} The flow that used that part before has been taken when the node is invited.
     */
    public int place() {
        return count % (PER_PORT * ports);
    }

    /**
     * Opens the flow with the next node's message over the pair with that node, the edge that two nodes have for each
     * other alone. If the flow needs an invitation, the master invites the node when its turn comes.
     *
     * @param fromNode the sending node
     * @param block the length of each block of the message, in bytes, 0 or more
     * @param bytes the length of the message, in bytes, 0 or more
     * @param window the master's window; ignored if the message fits into the eager buffer of the pair
     * @param at the offset of the message in the window
     */
    public void openMessage(int fromNode, long block, long bytes, Area window, long at) {
        Inflow flow = flows.inflow(flows.pair(fromNode));
        flow.expectPieces(fromNode, flows.messagePieceBytes(block, bytes), bytes, window, at);
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
