/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.Topology;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * A scan on two levels: each node's master combines what its ranks have, and the masters find out from each other what
 * all nodes before theirs have. Meanwhile every other rank combines what the ranks of its node up to it show. In the
 * end what comes before the node goes on the left of that.
 *
 * <p><b>Between nodes.</b> A master has two combinations of consecutive nodes: TOTAL ends with its own node, BEFORE
 * with the one before it. At first TOTAL is what its own node has, and BEFORE is empty. A message is the sender's
 * TOTAL. It ends where the receiver's TOTAL and BEFORE begin, so it is put on the left of both. When they have come
 * down to node 0, BEFORE is complete. Subclasses only say who sends in which step: always to a node at a distance that
 * is a power of two, and one message at most to each other node.
 *
 * <pre>
 *  node 5, by {@link BinomialScan}:                  TOTAL          5     BEFORE          –
 *                            from node 4:            TOTAL        4∘5     BEFORE          4
 *                            from node 3:            TOTAL  0∘1∘…∘4∘5     BEFORE  0∘1∘2∘3∘4
 *                            to node 6:              TOTAL
 * </pre>
 *
 * <p>A message is one piece over the {@linkplain Team#pair pair} of its two nodes, of which it is the only one: it
 * goes there if it has room, else at its own place in the receiving master's window. There it stays, so a master puts
 * it on the left of BEFORE only when what waits for it has been sent.
 *
 * <p><b>Placements.</b> A scan combines consecutive ranks, whether operators commute or not. So a node has a total only
 * when its ranks follow each other. Where they do not, and on one node, where nothing is exchanged, this is {@link
 * DirectScan}. Runs of consecutive ranks could have totals instead of nodes. But where ranks are dealt out one by one,
 * every rank is such a run, and masters alone would make and combine a message for each of their ranks in each step,
 * while ranks of a direct scan combine what is shown and has arrived side by side.
 *
 * <p><b>Why nothing is overwritten.</b> Windows and arrived data belong to the operation until all ranks of the node
 * have left. A rank writes to its target, which may be its source, after it has shown its elements, and others read
 * them where it shows them; a master, whose elements are combined from its source, writes there last of all. TOTAL is
 * read by its master only, which has sent it before it changes it; BEFORE is read when READY says that it is complete.
 *
 * <p><b>Why it ends.</b> A master invites all senders before it waits for anything. Then it waits for its node's ranks,
 * which have shown their elements without waiting, and for messages of lower nodes, which wait for still lower ones.
 */
abstract class TwoLevelScan extends Scan {
    private static final int NOBODY = -1;
    private static final long BEFORE_IS_SHOWN = 2;

    /** The places in a master's window: that for its own elements is the first. */
    private static final int TOTAL = 1;
    private static final int BEFORE = 2;
    private static final int ARRIVALS = 3;

    private final DirectScan direct;

    TwoLevelScan(boolean exclusive, Description description) {
        super(exclusive, description);
        this.direct = new DirectScan(exclusive);
    }

    /** How many steps there are. */
    abstract int steps(int nodes);

    /** The binary logarithm of the distance at which nodes send in a step. */
    abstract int bit(int step, int nodes);

    /** Whether a node sends in a step, if there is one at that distance. */
    abstract boolean isSender(int node, int step, int nodes);

    /** ⌈log₂ n⌉: how many distances there are, each of which a message comes from at most. */
    static int distances(int nodes) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(nodes - 1);
    }

    // ---- memory

    @Override
    protected final long blocksOnNode(int nodes, int ranks, int localRanks) {
        return nodes == 1 ? localRanks : localRanks - 1L + ARRIVALS + distances(nodes);
    }

    @Override
    public final long memoryBytes(Topology topology, int node, long bytes) {
        return topology.isInBlocks() ? super.memoryBytes(topology, node, bytes)
                : direct.memoryBytes(topology, node, bytes);
    }

    @Override
    protected final long blockBytesMax(Team team) {
        return isDirect(team) ? super.blockBytesMax(team)
                : team.windowBytesMax() / (ARRIVALS + distances(team.nodes()));
    }

    private static boolean isDirect(Team team) {
        return team.nodes() == 1 || !team.isInBlocks();
    }

    private static long masterBytes(Team team, long bytes) {
        return (ARRIVALS + (team.exceedsPair(bytes) ? distances(team.nodes()) : 0)) * bytes;
    }

    // ---- senders and receivers

    private int receiver(Team team, int step) {
        int nodes = team.nodes();
        int other = team.node() + (1 << bit(step, nodes));
        return other < nodes && isSender(team.node(), step, nodes) ? other : NOBODY;
    }

    private int sender(Team team, int step) {
        int nodes = team.nodes();
        int other = team.node() - (1 << bit(step, nodes));
        return other >= 0 && isSender(other, step, nodes) ? other : NOBODY;
    }

    /** In which step this node sends for the last time; −1 if it never does. */
    private int lastSend(Team team) {
        int last = steps(team.nodes()) - 1;
        while (last >= 0 && receiver(team, last) == NOBODY) {
            last--;
        }
        return last;
    }

    // ---- the operation

    @Override
    public final void run(Team team, Call call) {
        if (isDirect(team)) {
            direct.run(team, call);
        } else if (team.isMaster()) {
            runAtMaster(team, call);
        } else {
            runAtOthers(team, call);
        }
    }

    private void runAtOthers(Team team, Call call) {
        long bytes = call.bytes();
        team.copy(call.source(), 0, team.show(bytes), 0, bytes);
        team.post(Team.READY, SHOWN);
        int last = isExclusive() ? team.localRank() - 1 : team.localRank();
        for (int localRank = 0; localRank <= last; localRank++) {
            take(team, call, localRank == 0, shown(team, localRank, bytes));
        }
        if (team.node() > 0) {
            team.await(Team.MASTER, Team.READY, BEFORE_IS_SHOWN);
            team.combine(call.kernel(), team.shown(Team.MASTER, masterBytes(team, bytes)), BEFORE * bytes,
                    call.target(), 0,
                    call.target(), 0, bytes);
        }
    }

    /** Waits for what a rank of this node shows. */
    private static Area shown(Team team, int localRank, long bytes) {
        if (localRank != team.localRank()) {
            team.await(localRank, Team.READY, SHOWN);
        }
        return team.shown(localRank, localRank == Team.MASTER ? masterBytes(team, bytes) : bytes);
    }

    private void runAtMaster(Team team, Call call) {
        long bytes = call.bytes();
        Area own = team.show(masterBytes(team, bytes));
        if (team.localSize() > 1) {
            team.copy(call.source(), 0, own, 0, bytes);
            team.post(Team.READY, SHOWN);
        }
        openInflows(team, own, bytes);
        Area before = exchange(team, call, own);
        if (before != null && team.localSize() > 1) {
            if (before != own) {
                team.copy(before, 0, own, BEFORE * bytes, bytes);
            }
            team.post(Team.READY, BEFORE_IS_SHOWN);
        }
        long at = before == own ? BEFORE * bytes : 0;
        if (before == null) {
            if (!isExclusive() && !call.isInPlace()) {
                team.copy(call.source(), 0, call.target(), 0, bytes);
            }
        } else if (isExclusive()) {
            team.copy(before, at, call.target(), 0, bytes);
        } else {
            team.combine(call.kernel(), before, at, call.source(), 0, call.target(), 0, bytes);
        }
    }

    private void openInflows(Team team, Area window, long bytes) {
        for (int step = 0; step < steps(team.nodes()); step++) {
            int sender = sender(team, step);
            if (sender != NOBODY) {
                team.inflow(team.pair(sender)).openPair(sender, bytes, 1, window,
                        (ARRIVALS + bit(step, team.nodes())) * bytes);
            }
        }
    }

    /** Returns what the nodes before this one have: where it has arrived, or at its place in the window; or null. */
    private Area exchange(Team team, Call call, Area own) {
        int lastSend = lastSend(team);
        Area total = lastSend < 0 ? null : combineNode(team, call, own);
        Area before = null;
        Area arrived = null;
        for (int step = 0; step < steps(team.nodes()); step++) {
            int receiver = receiver(team, step);
            if (receiver != NOBODY) {
                Outflow out = team.outflow(team.pair(receiver));
                out.openPair(receiver, call.bytes(), 1);
                out.send(total, total == own ? TOTAL * call.bytes() : 0, call.bytes());
            }
            before = extend(team, call, arrived, before, own, BEFORE);
            int sender = sender(team, step);
            arrived = sender == NOBODY ? null : team.inflow(team.pair(sender)).await();
            if (step < lastSend) {
                total = extend(team, call, arrived, total, own, TOTAL);
            }
        }
        return extend(team, call, arrived, before, own, BEFORE);
    }

    /** Combines what the ranks of this node have; returns where it is: what a lone rank has stays in its source. */
    private static Area combineNode(Team team, Call call, Area own) {
        long bytes = call.bytes();
        Area total = call.source();
        for (int localRank = 1; localRank < team.localSize(); localRank++) {
            team.combine(call.kernel(), total, total == own ? TOTAL * bytes : 0, shown(team, localRank, bytes), 0, own,
                    TOTAL * bytes, bytes);
            total = own;
        }
        return total;
    }

    /**
     * Puts what has arrived on the left of a combination, if anything has; returns where that is then: at its place in
     * the window, or if it was empty, where the message lies.
     */
    private static Area extend(Team team, Call call, Area arrived, Area combination, Area own, int localRank) {
        if (arrived == null) {
            return combination;
        }
        if (combination == null) {
            return arrived;
        }
        long bytes = call.bytes();
        team.combine(call.kernel(), arrived, 0, combination, combination == own ? localRank * bytes : 0, own,
                localRank * bytes, bytes);
        return own;
    }
}
