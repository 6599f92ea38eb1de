/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.machine.Area;

/**
 * The order in which a master invites the nodes that have long messages for its own node: a rendezvous driven by the
 * receiver, as in Portals. With k ports, k nodes and the next k ones are invited at the same time, so that no port is
 * idle until an invitation has arrived. However many nodes there are, at most 2·k of them send to a node at the same
 * time, and 2·k places suffice. Messages that have room in the eager buffers of their pairs need no invitation, come at
 * any time, and do not count here. A team has one such object; an algorithm begins it anew in each operation.
 *
 * <p><b>Turns.</b> Flows are opened in the order in which their pieces are awaited: 0, 1, 2, … Flows 0 to 2·k − 1 are
 * invited when they are opened, with one exception: a flow i from k to 2·k − 1 is invited when the first piece of flow
 * i − k has come, if both are equally long. Otherwise the two would share the port, come at half the speed, and end
 * together. Any later flow i is invited when flow i − 2·k has been taken, which is so when flow i − 2·k + 1 is first
 * awaited.
 *
 * <p><b>Why it ends.</b> When a master awaits a flow, it has taken all flows before, so it has invited the awaited one.
 * The algorithm only has to make sure that no sender waits for a later flow.
 */
public final class RendezvousSchedule {
    /** The number of nodes that are invited for each port: the one that sends, and the next one. */
    public static final int PER_PORT = 2;

    private final Flows flows;
    private Inflow[] opened = new Inflow[0];
    private int ports;
    private int count;

    /** Called once, when a team is made. */
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
     * {@return the index of the place, of 2·k in a window, that the next flow may use if its node is invited: the flow
     * that used the place before has been taken when this one is invited}
     */
    public int place() {
        return count % (PER_PORT * ports);
    }

    /**
     * Opens the flow of the next node over its pair, as {@link Inflow#openPair} does, and invites the node when its
     * turn comes.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the pieces; it may be 0
     * @param pieces the number of pieces that there will be, 1 or more; each has a place
     * @param window the master's window; ignored if the pieces have room in the eager buffer
     * @param at the offset of the first place in it
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
