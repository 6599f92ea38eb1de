/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * An allgather in which the nodes form a ring. Each node sends to the next node only. It sends its own blocks first,
 * and then the blocks that arrive from the node before it. On n nodes with p ranks and b bytes a rank there are n − 1
 * steps, and b·p·(n − 1) bytes leave a node. Each node exchanges messages with only two other nodes, and in each step
 * all links carry the same number of bytes.
 */
public final class RingAllgather extends RelayedAllgather {
    private static final DirectAllgather DIRECT = new DirectAllgather();

    /** Creates the algorithm; one object serves all ranks. */
    public RingAllgather() {
        super(new Description("ring", Order.ALWAYS, "1, n − 1 between nodes", "b·p·n", "b·p·(n − 1)",
                "p·n·b at masters, b at others", "ring: folklore; in nodes Qian, Afsahi 2008, section 5.2.2"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() && !ZeroCopyLoans.areBlocksLong(shape.blockBytes()) ? DIRECT : this;
    }

    @Override
    int flows(int nodes) {
        return nodes == 1 ? 0 : 1;
    }

    @Override
    int distance(int flow, int nodes) {
        return 1;
    }

    @Override
    int firstSlot(int flow, int nodes) {
        return 1;
    }

    @Override
    int slots(int flow, int nodes) {
        return nodes - 1;
    }

    @Override
    int owner(int slot) {
        return -slot;
    }

    @Override
    long slotsBytes(Team team, int ofNode, int slots, long bytes) {
        return (long) slots * team.ranksMax() * bytes;
    }

    /** Returns the length of a slot, because each slot is a message of its own, or of a block if a slot is long. */
    @Override
    long pieceBytes(Team team, long bytes, long message) {
        long slot = slotsBytes(team, team.node(), 1, bytes);
        return Math.max(1, team.messagePieceBytes(bytes, slot) < slot ? bytes : slot);
    }
}
