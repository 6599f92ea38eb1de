/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.tutti.CollectiveMismatchException;
import org.tutti.Topology;
import org.tutti.TuttiException;
import org.tutti.choice.Choice;
import org.tutti.collective.Team;
import org.tutti.collective.calls.RankRecord;
import org.tutti.collective.communicator.GroupCreation;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.operation.CallRecorder;
import org.tutti.collective.window.WindowPool;
import org.tutti.fabric.Fabric;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.Waiter;
import org.tutti.message.CommunicatorMessages;
import org.tutti.message.RankMessages;
import org.tutti.onesided.Allocator;

/**
 * Holds the communicators of a rank: the world, which has all ranks of the job, and the groups that the rank is in.
 *
 * <p><b>Making a group</b> involves only its members. They derive the group's number from the number of its parent, the
 * communicator from which it is made, and from their calls there. Therefore no message with the number is needed. On
 * each node the members find the group's block, its shared memory, by that number ({@link GroupCreation}). Other nodes
 * reach the block with a handle that follows from the number and the job's secret. Therefore the nodes exchange no data
 * about it. On each node the group's master, its first rank there, opens the block to other nodes before it tells the
 * block's address. In a process without the master, the first member that has joined opens it. A barrier then ends when
 * all members have joined. It is a barrier of the parent if all ranks of the parent make groups, and otherwise a
 * barrier of the group.
 *
 * <p>A failure before the end of that barrier breaks the parent, like a failure in any call of the parent, so that late
 * members do not wait for ever. It does not break the group. If a rank finds the group broken during the barrier,
 * another member must already have left the barrier and used the group. Therefore all members have joined.
 *
 * <p><b>Closing a group</b> does not wait for other ranks. The rank leaves all operations. Its part of the group is
 * freed once the other ranks of its node have also closed the group. The rank checks this whenever it makes or closes a
 * group.
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
    private final RankMessages messages;
    private final RankRecord record;
    private final CommunicatorState world;
    private final List<CommunicatorState> open = new ArrayList<>();
    private final List<CommunicatorState> closed = new ArrayList<>(); // closed, but not yet freed

    /**
     * Creates the communicators of a rank that has joined its job. The only one is the world, which has all ranks.
     *
     * @param deadline the time until which the rank's calls must end
     * @param shared the state that the ranks of the process share
     * @param rank this rank
     * @param cores the number of cores that the ranks of the node may use together
     * @param choice the requested algorithms
     * @param levels the sizes of the groups of ranks inside a node, ascending
     */
    public RankCommunicators(JobDeadline deadline, ProcessCommunicators shared, int rank, int cores, Choice choice,
            int[] levels) {
        this.deadline = deadline;
        this.shared = shared;
        this.node = shared.node();
        this.network = shared.network();
        this.rank = rank;
        this.choice = network == null ? choice
                : choice.over(node.directory().links()).withRails(node.directory().railsOfJob());
        this.coreForEach = node.nodeRanks() <= cores;
        NodeView view = shared.world(rank, levels);
        this.messages = shared.messages(rank, cores);
        this.record = node.makeRecord(rank);
        this.pool = new WindowPool(node.memory(), view.windowBytesMax());
        this.world = makeState(Node.WORLD, shared.members(), view, node.ringAddress(), rank,
                network == null ? null : node.directory().endpoints(), null);
    }

    private CommunicatorState makeState(long id, LiveMembers members, NodeView view, long ringAddress, int rankThere,
            EndpointTable endpoints, ProcessGroup group) {
        Fabric fabric = network == null ? null : network.fabric();
        var progress = messages.progress();
        var machine = new LiveMachine(new Waiter(coreForEach, progress, node.futexes()), fabric);
        var recorder = new CallRecorder(members, id, rankThere, record, shared.callSites());
        Team team = new Team(machine, members, pool,
                ringAddress, rankThere, view, endpoints, recorder);
        var policy = new ProgressPolicy();
        Allocator allocator = new Allocator(node.memory(), fabric, progress, members, endpoints, node.futexes(),
                coreForEach, policy, deadline::isClosed);
        var sharesCores = new Waiter(false, progress, node.futexes());
        var background = new LiveMachine(sharesCores, fabric, policy::isAwaited);
        var ofCommunicator = new CommunicatorMessages(messages, id, members, rankThere, team.size(),
                team.ending()::brokenWord);
        var made = new CommunicatorState(id, team, members, view.topology(), allocator, ofCommunicator, machine,
                background, policy, group == null ? null : () -> shared.leave(group));
        synchronized (this) {
            open.add(made);
        }
        return made;
    }

    /** Returns the calls of the world. */
    CommunicatorCalls world() {
        return calls(world);
    }

    private CommunicatorCalls calls(CommunicatorState state) {
        return new CommunicatorCalls(state, deadline, choice);
    }

    /**
     * Makes a group of ranks of a communicator, and returns when all ranks of the group have joined it. All of them
     * call this method.
     *
     * @param parent the communicator from which the group is made
     * @param called the name of the call, for messages
     * @param number a number that distinguishes this group from other groups of the same communicator; the same at all
     *            members, and never used again
     * @param ranks for each rank of the group, its rank in the parent; this rank is among them
     * @param placement a function that computes the nodes of the group's ranks. The first rank of the process that
     *            makes the group calls it
     * @param deadlineNanos the time until which the call must end
     * @param together a barrier of the parent, in which all its ranks take part. It is null if not all ranks of the
     *            parent make groups; the group then runs a barrier of its own
     * @return the calls of the group
     */
    CommunicatorCalls make(CommunicatorState parent, String called, long number, int[] ranks,
            Supplier<Topology> placement, long deadlineNanos, Runnable together) {
        giveBackLeftovers();
        record.share();
        long id = Fingerprint.mix(parent.id, number);
        var creation = new GroupCreation(parent.team.context(), called, id, ranks, deadlineNanos);
        creation.begin();
        ProcessGroup entered = null;
        CommunicatorState made = null;
        try {
            entered = shared.enter(id, () -> share(parent, id, ranks, placement.get()));
            made = join(parent, creation, id, ranks, entered);
            entered.open(node, made.team.ringAddress()); // only when this rank can close it
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

    /**
     * Waits in a barrier until all members of a new group have joined. The barrier may throw because the group is
     * broken. In this case another member has left the barrier before this rank and then broken the group, so all
     * members have joined.
     */
    private static void await(CommunicatorCalls group, CommunicatorState made, String called, long deadlineNanos) {
        try {
            group.runBarrierOf(called, 0, deadlineNanos);
        } catch (TuttiException failure) {
            if (!made.team.ending().isBroken()) {
                throw failure;
            }
        }
    }

    /**
     * Checks that each rank of a communicator can be a node of its own, which the other ranks reach over the network.
     *
     * @param called the name of the call, for messages
     * @throws UnsupportedOperationException if the ranks have no network, or some of them share a process. Then it is
     *             thrown at all ranks, because they know the same processes
     */
    void requireProcessForEach(CommunicatorState parent, String called) {
        int size = parent.topology().size();
        Map<Integer, Integer> rankOfProcess = new HashMap<>();
        for (int each = 0; each < size && parent.topology().nodes() < size; each++) {
            Integer other = rankOfProcess.put(node.firstRankOfProcess(parent.rankInJob(each)), each);
            if (other != null) {
                throw new UnsupportedOperationException(parent.team.describe() + " cannot call " + called + ", because "
                        + parent.members.describe(other) + " and " + parent.members.describe(each)
                        + " are threads of one process, and the network connects only processes; start a process for "
                        + "each rank");
            }
        }
        if (network == null && size > 1) {
            throw new UnsupportedOperationException(parent.team.describe() + " cannot call " + called + ", because the "
                    + "job has one node, and therefore no network; divide the ranks into nodes, as tutti run --nodes 2 "
                    + "does on one host");
        }
    }

    private ProcessGroup share(CommunicatorState parent, long id, int[] ranks, Topology topology) {
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

    /** Waits until the rank's puts into remote memory of all its communicators are visible there. */
    public void fenceAll() {
        List<CommunicatorState> all;
        synchronized (this) {
            all = List.copyOf(open);
        }
        all.forEach(each -> each.allocator.fenceAll());
    }

    /**
     * Closes a communicator at this rank. Has no effect if it is closed already.
     *
     * @throws CollectiveMismatchException if the rank's last calls on the communicator differ from the calls of other
     *             ranks
     */
    void close(CommunicatorState state) {
        if (deadline.isClosed()) {
            return; // leaving the job has closed all communicators
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
            return; // leaving the job has closed all communicators
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
     * Compares the rank's calls on its open communicators with the calls of other ranks. The rank does so when it
     * leaves its job.
     *
     * @return an exception that names the calls that differ; null if none differ
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

    /**
     * Compares the rank's calls on a communicator with the calls of other ranks, unless a rank has failed. A difference
     * after a failure is a consequence of the failure.
     */
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

    /** Tells of messages that this rank has not received, because it leaves its job. */
    public void warnOfUnreceived() {
        messages.warnOfUnreceived();
    }

    /**
     * Ends the requests in flight, because the rank leaves its job. It allocates nothing, because memory may be used
     * up.
     */
    public synchronized void end() {
        for (int i = 0; i < open.size(); i++) {
            open.get(i).messages.end();
            open.get(i).team.ending().interrupt();
        }
    }

    /**
     * Leaves all communicators, because the rank has left its job. Other ranks then wait for nothing from this rank,
     * and may reuse the shared memory that it was using.
     */
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
