/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.Contributions;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.blocks.Landing;
import org.tutti.collective.layout.CallShape;

/**
 * An allgather in which every rank reads the blocks of all other ranks ({@link Contributions}). It reads the block of a
 * rank of its own node where that rank shows it, and the other blocks where they have arrived from other nodes. Between
 * nodes this is the Direct algorithm (Qian and Afsahi 2008, section 5.1.2) with k ports. In step i each master, the
 * first rank of its node, sends the node's blocks to the nodes at distances (i − 1)·k + 1 to i·k, modulo the number of
 * nodes. There is one step in a node, and ⌈(n − 1)/k⌉ between n nodes. With p ranks on a node and b bytes a rank,
 * b·p·(n − 1) bytes leave a node.
 *
 * <p>This is the paper's SMP-aware Direct (section 5.2.2). Phase 1, the gather in a node, copies nothing to the master.
 * Ranks show their blocks in their windows, and the master sends them from there. Phases 2 and 3 overlap more than in
 * the paper, where a master copies out its node's blocks after it has sent. Here each rank copies every block as soon
 * as it has arrived, the blocks of its own node first. If blocks are so long that masters invite each other to their
 * windows, a master copies out nothing until it has been invited. The other ranks do not wait for that. With one rank
 * on each node, long blocks go from source to target ({@link Landing#exchange}).
 *
 * <p>In a node, rank r copies its block to its window once, and every other rank copies the block from there. Each rank
 * begins with the block of the next rank, so that the ranks do not all read the same block at the same time.
 */
public final class DirectAllgather extends EqualBlocksAlgorithm implements Ported {
    private static final Description DESCRIPTION =
            new Description("direct", Order.ALWAYS, "1, ⌈(n − 1)/k⌉ more between nodes", "b·p·n", "b·p·(n − 1)",
                    "p·n·b at masters, b at others",
                    "index range: this project; Direct: Qian, Afsahi 2008, 5.1.2, 5.2.2");

    private static final DirectAllgather ONE_PORT = new DirectAllgather();

    private final int ports;

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public DirectAllgather() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports k, the number of nodes to which a node sends at the same time, 1 or more
     */
    public DirectAllgather(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private DirectAllgather(int ports, Description description) {
        super(Collective.ALLGATHER, description);
        this.ports = ports;
    }

    @Override
    public Algorithm withPorts(int count) {
        return new DirectAllgather(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return Ported.used(this, ports, ONE_PORT, shape.nodes());
    }

    @Override
    protected boolean landsLongBlocks() {
        return true;
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ranks;
    }

    @Override
    public void run(Team team, Call call) {
        if (lands(team, call)) {
            Landing.of(team).exchange(call, true, ports);
            return;
        }
        Contributions contributions = Contributions.of(team);
        contributions.open(call.source(), call.bytes(), false, ports); // in place, no rank writes to this block
        if (!call.isInPlace()) {
            team.copy(call.source(), 0, call.target(), call.block(team.rank()), call.bytes());
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            copy(team, call, team.rankAt(team.node(), (team.localRank() + distance) % team.localSize()));
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = Math.floorMod(team.node() - distance, team.nodes());
            for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
                copy(team, call, team.rankAt(node, localRank));
            }
        }
        contributions.complete();
    }

    private static void copy(Team team, Call call, int rank) {
        team.copy(Contributions.of(team).of(rank), 0, call.target(), call.block(rank), call.bytes());
    }
}
