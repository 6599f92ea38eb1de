/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;

/**
 * A scan on two levels, inside the nodes and between them. Each node's master, its first rank, combines the elements of
 * the node's ranks. The masters exchange these combinations, so that each gets the combination of all nodes before its
 * own. Meanwhile every other rank combines the elements of the ranks of its node up to itself. Finally each rank
 * combines the combination of the nodes before, as the left operand, with its own result.
 *
 * <p><b>Between nodes.</b> A master has two combinations of consecutive nodes. The last node of TOTAL is the master's
 * own node, and the last node of BEFORE is the node before it. At first TOTAL contains only the master's own node, and
 * BEFORE is empty. A message is the sender's TOTAL. The last node of a message is the node just before the first node
 * of the receiver's TOTAL and BEFORE. The receiver therefore combines the message, as the left operand, with both.
 * BEFORE is complete once its first node is node 0. Subclasses only choose the nodes that send in a step. The receiver
 * is always at a distance that is a power of two, and a node sends at most one message to each other node.
 *
 * <pre>
 *  node 5, by {@link BinomialScan}:                  TOTAL          5     BEFORE          –
 *                            from node 4:            TOTAL        4∘5     BEFORE          4
 *                            from node 3:            TOTAL  0∘1∘…∘4∘5     BEFORE  0∘1∘2∘3∘4
 *                            to node 6:              TOTAL
 * </pre>
 *
 * <p>A message is the only piece that is sent over the {@linkplain Team#pair pair} of its two nodes in that direction.
 * If it fits into the pair's eager buffer, it arrives there, otherwise in a part of the receiving master's window that
 * is reserved for it. It stays there until the operation ends. A master can therefore send its own next message first,
 * and combine the arrived message with BEFORE after that.
 *
 * <p><b>Placements.</b> A scan combines consecutive ranks only, whether operators are commutative or not. A node
 * therefore has a TOTAL only if its ranks are consecutive. If they are not, or if there is only one node, this class
 * runs {@link DirectScan}. A variant could compute a total for each run of consecutive ranks instead of for each node.
 * If ranks are placed on nodes in turn, every rank is such a run. In each step the masters alone would then send and
 * combine a message for each rank, while in a direct scan all ranks combine at the same time.
 *
 * <p><b>Why nothing is overwritten.</b> Windows and arrived data belong to the operation until all ranks of the node
 * have left it. A rank writes to its target, which may be its source, after it has copied its elements to its window,
 * and other ranks read them only there. A master reads its elements from its source, and writes to its target in its
 * last step. No other rank reads TOTAL, and the master changes TOTAL only after it has sent it. Other ranks read BEFORE
 * only after the master's READY word has told them that BEFORE is complete.
 *
 * <p><b>Why it ends.</b> A master invites all senders before it waits for anything. Then it waits for its node's ranks,
 * which show their elements without waiting, and for messages of lower nodes. A lower node waits only for its own ranks
 * and for nodes still lower.
 */
abstract class TwoLevelScan extends Scan {
    private static final int NOBODY = -1;
    private static final long BEFORE_IS_SHOWN = 2;

    /** The indexes of the blocks in a master's window. Block 0 holds the master's own elements. */
    private static final int TOTAL = 1;
    private static final int BEFORE = 2;
    private static final int ARRIVALS = 3;

    private final DirectScan direct;

    TwoLevelScan(boolean exclusive, Description description) {
        super(exclusive, description);
        this.direct = new DirectScan(exclusive);
    }

    /** Returns the number of steps that the exchange between the masters of some number of nodes takes. */
    abstract int steps(int nodes);

    /** Returns the binary logarithm of the distance at which nodes send in a step. */
    abstract int bit(int step, int nodes);

    /**
     * Returns whether a node sends in a step. The answer does not matter if there is no node at the step's distance.
     */
    abstract boolean isSender(int node, int step, int nodes);

    /** Returns ⌈log₂ n⌉, the number of distances between n nodes. At most one message arrives from each distance. */
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

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() || !shape.topology().isInBlocks() ? direct : this;
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

    /** Returns the step in which this node sends for the last time; −1 if it never sends. */
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

    /** Waits until a rank of this node shows its elements, and returns the area that holds them. */
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

    /**
     * Exchanges messages with other masters, and returns the area that holds the combination of all nodes before this
     * one. This area is block BEFORE of the window, or the memory in which a message has arrived. The result is null if
     * this is node 0.
     */
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

    /**
     * Combines the elements of this node's ranks, and returns the area with the result. The area is the window, or the
     * source if the node has only one rank.
     */
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
     * Combines a message, as the left operand, with a combination of nodes, and returns the area with the result, which
     * is this rank's window. If no message has arrived, the method returns the combination. If the combination is
     * empty, it returns the message.
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
