/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.tutti.CollectiveMismatchException;
import org.tutti.Topology;
import org.tutti.TuttiException;
import org.tutti.choice.Choice;
import org.tutti.collective.Team;
import org.tutti.collective.communicator.GroupCreation;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.window.WindowPool;
import org.tutti.fabric.Fabric;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.requests.ProgressPolicy;
import org.tutti.memory.Waiter;
import org.tutti.onesided.Allocator;

/**
 * The communicators of a rank: the world, and the groups that it is in.
 *
 * <p><b>Making a group</b> concerns its members only. They know its number without being told: it is made of that of
 * the communicator which they make it from, and of what they have called there. On each node they find its block by
 * that number ({@link GroupCreation}), and other nodes reach the block by a handle that follows from the number and the
 * job's secret; so nobody has to be asked, and nothing has to be exchanged. A barrier ends when all members have come:
 * of the communicator, where all its ranks make groups, else of the group. What fails before that breaks the
 * communicator that the group is made from, as any call there, so that members who come late do not wait for ever; and
 * only that: whoever finds the group itself broken meanwhile knows that somebody has used it, so that all have come.
 *
 * <p><b>Closing</b> waits for nobody. The rank leaves all operations, and what it has of the group is given back when
 * the others of its node have closed it, too: that is looked for whenever a group is made or closed.
 */
public final class RankCommunicators {
    private final JobDeadline deadline;
    private final ProcessCommunicators shared;
    private final Node node;
    private final Network network;
    private final int rank;
    private final Choice choice;
    private final boolean coreForEach;
    private final WindowPool pool;
    private final CommunicatorState world;
    private final List<CommunicatorState> open = new ArrayList<>();
    private final List<CommunicatorState> closed = new ArrayList<>(); // and not yet given back

    /**
     * @param deadline until when the rank's calls may take
     * @param shared what the ranks of the process share
     * @param rank this rank
     * @param cores how many cores the ranks of the node may use together
     * @param choice the algorithms that were asked for
     * @param levels the levels inside a node
     */
    public RankCommunicators(JobDeadline deadline, ProcessCommunicators shared, int rank, int cores, Choice choice,
            int[] levels) {
        this.deadline = deadline;
        this.shared = shared;
        this.node = shared.node();
        this.network = shared.network();
        this.rank = rank;
        this.choice = network == null ? choice : choice.over(node.directory().links());
        this.coreForEach = node.nodeRanks() <= cores;
        NodeView view = shared.world(rank, levels);
        this.pool = new WindowPool(node.memory(), view.windowBytesMax());
        this.world = makeState(Node.WORLD, shared.members(), view, node.ringAddress(), rank,
                network == null ? null : node.directory().endpoints(), null);
    }

    private CommunicatorState makeState(long id, LiveMembers members, NodeView view, long ringAddress, int rankThere,
            EndpointTable endpoints, ProcessGroup group) {
        Fabric fabric = network == null ? null : network.fabric();
        var machine = new LiveMachine(new Waiter(coreForEach, fabric), fabric);
        Team team = new Team(machine, members, pool,
                ringAddress, rankThere, view, endpoints);
        Allocator allocator = new Allocator(node.memory(), fabric, members, endpoints, coreForEach, deadline::isClosed);
        var policy = new ProgressPolicy();
        var background = new LiveMachine(new Waiter(false, fabric), fabric, policy::isAwaited); // they share the cores
        var made = new CommunicatorState(id, team, members, view.topology(), allocator, machine, background, policy,
                group == null ? null : () -> shared.leave(group));
        synchronized (this) {
            open.add(made);
        }
        return made;
    }

    /** The calls of the world. */
    CommunicatorCalls world() {
        return calls(world);
    }

    private CommunicatorCalls calls(CommunicatorState state) {
        return new CommunicatorCalls(state, deadline, choice);
    }

    /**
     * Makes a group of ranks of a communicator; all of them call this.
     *
     * @param parent the communicator
     * @param called by which call, for messages
     * @param number tells apart what is made of the same communicator: the same at all members, and never used again
     * @param ranks for each rank of the group that of the parent; this one is among them
     * @param deadlineNanos when the call must have ended
     * @param together an operation of the communicator that no member ends before all have called it; null if not all
     *            ranks of the communicator make groups: then the group has a barrier of its own
     * @return the calls of the group
     */
    CommunicatorCalls make(CommunicatorState parent, String called, long number, int[] ranks, long deadlineNanos,
            Runnable together) {
        giveBackLeftovers();
        long id = Fingerprint.mix(parent.id, number);
        var creation = new GroupCreation(parent.team.context(), called, id, ranks, deadlineNanos);
        creation.begin();
        ProcessGroup entered = null;
        CommunicatorState made = null;
        try {
            entered = shared.enter(id, () -> share(parent, id, ranks));
            made = join(parent, creation, id, ranks, entered);
            entered.open(node, made.team.ringAddress()); // when this rank can close it
            CommunicatorCalls group = calls(made);
            if (together == null) {
                await(group, made, called, deadlineNanos);
            } else {
                creation.allowCallOfParent();
                together.run();
            }
            creation.complete();
            made.members.setCreation(null);
            return group;
        } catch (Throwable failure) {
            parent.team.ending().breakOff(failure);
            if (made != null) {
                if (network != null) {
                    network.gossip().farewells().doubt(made.members.ranksInJob());
                }
                made.team.ending().leave();
                shut(made);
            } else if (entered != null) {
                shared.leave(entered);
            }
            throw failure;
        } finally {
            creation.leave();
        }
    }

    private CommunicatorState join(CommunicatorState parent, GroupCreation creation, long id, int[] ranks,
            ProcessGroup group) {
        NodeView view = group.view();
        long ringAddress = creation.findBlock(node.memory(), ranks[view.master()], view.layout().bytes(),
                address -> group.open(node, address));
        var members = shared.members(group.ranks());
        members.setCreation(creation);
        CommunicatorState made = makeState(id, members, view, ringAddress, indexOf(parent.team.rank(), ranks),
                group.endpoints(), group);
        creation.join(made.team.context());
        return made;
    }

    /** Waits until all members have come. Who has gone on before this rank may have broken the group meanwhile. */
    private static void await(CommunicatorCalls group, CommunicatorState made, String called, long deadlineNanos) {
        try {
            group.runBarrierOf(called, 0, deadlineNanos);
        } catch (TuttiException failure) {
            if (!made.team.ending().isBroken()) {
                throw failure;
            }
        }
    }

    private ProcessGroup share(CommunicatorState parent, long id, int[] ranks) {
        Topology topology = parent.topology().of(ranks);
        var view = new NodeView(topology, topology.nodeOf(indexOf(parent.team.rank(), ranks)), pool.windowBytesMax());
        return new ProcessGroup(id, Arrays.stream(ranks).map(parent::rankInJob).toArray(), view, node, network);
    }

    private static int indexOf(int rank, int[] ranks) {
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] == rank) {
                return i;
            }
        }
        throw new IllegalArgumentException("rank " + rank + " is none of the group's: " + Arrays.toString(ranks));
    }

    /**
     * Closes a communicator at this rank; without effect when it is closed.
     *
     * @throws CollectiveMismatchException when the last calls there differ from those of others
     */
    void close(CommunicatorState state) {
        if (deadline.isClosed()) {
            return; // which has closed all
        }
        if (state.isWorld()) {
            throw new IllegalStateException("rank " + rank
                    + " cannot close the world: it is closed with its job, by Job.close()");
        }
        if (state.isClosed()) {
            return;
        }
        state.checkIdle();
        var mismatch = compareCalls(state);
        shut(state);
        if (mismatch != null) {
            throw mismatch;
        }
    }

    private void shut(CommunicatorState state) {
        if (deadline.isClosed()) {
            return; // which has closed all
        }
        state.close();
        synchronized (this) {
            open.remove(state);
            closed.add(state);
        }
        giveBackLeftovers();
    }

    private synchronized void giveBackLeftovers() {
        closed.removeIf(each -> each.tryRelease());
    }

    /**
     * Compares what the rank has called with the calls of others, when it leaves its job.
     *
     * @return what names the calls that differ, or null
     */
    public synchronized CollectiveMismatchException compareCalls() {
        for (CommunicatorState each : open) {
            var mismatch = compareCalls(each);
            if (mismatch != null) {
                return mismatch;
            }
        }
        return null;
    }

    /** Only while all is well: what differs after a failure is a consequence of it. */
    private CollectiveMismatchException compareCalls(CommunicatorState state) {
        boolean isWell =
                node.abortStatus() < 0 && node.firstFailedRank() < 0 && node.state(rank) == NodeLayout.JOINED;
        if (!isWell) {
            return null;
        }
        var mismatch = state.lastCalls.compare();
        if (network != null) {
            network.gossip().farewells().end(rank, state.id, state.members.ranksInJob(),
                    state.lastCalls);
        }
        return mismatch;
    }

    /** The rank leaves its job: its requests in flight are to end. There may be no memory left to do this with. */
    public synchronized void end() {
        for (int i = 0; i < open.size(); i++) {
            open.get(i).team.ending().interrupt();
        }
    }

    /** The rank has left its job: the others await nothing of it, and may use again what it has shown. */
    public synchronized void leaveAll() {
        for (int i = 0; i < open.size(); i++) {
            open.get(i).team.ending().leave();
            if (!open.get(i).isWorld()) {
                open.get(i).abandon();
            }
        }
        for (int i = 0; i < closed.size(); i++) {
            closed.get(i).abandon();
        }
    }
}
