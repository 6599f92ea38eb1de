/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/** A copy of SRM's broadcast with a fault. */
final class BrokenBroadcast extends Broadcast {
    private static final NodeTree TREE = new NodeTree(BinomialTree.INSTANCE);
    private static final int BUFFERS = 2;
    private static final long BUFFER_BYTES = RingLayout.EAGER_BUFFER_BYTES / BUFFERS;

    private final Fault fault;

    BrokenBroadcast(Fault fault) {
        super(new Description("broken", Order.ALWAYS, "", "", "", "", ""));
        this.fault = fault;
    }

    @Override
    public void run(Team team, Call call) {
        Area data = call.source();
        long bytes = call.bytes();
        int root = call.root();
        if (fault == Fault.EVERYBODY_IS_SAID_TO_BE_HERE) {
            team.noteAllAreHere();
        }
        int top = team.nodeOf(root);
        TREE.openDownwards(team, top, BUFFER_BYTES, BUFFERS, Partition.chunks(bytes, BUFFER_BYTES));
        if (team.node() == top) {
            runAtTop(team, data, bytes, team.localRankHere(root), top);
        } else {
            runBelow(team, data, bytes, top);
        }
    }

    private long place(int chunk) {
        return fault == Fault.ONE_BUFFER_INSTEAD_OF_TWO ? 0 : (chunk - 1) % BUFFERS * BUFFER_BYTES;
    }

    private void runAtTop(Team team, Area data, long bytes, int root, int top) {
        boolean many = fault == Fault.A_BUFFER_FOR_EACH_CHUNK;
        long window = many ? bytes : Math.min(bytes, BUFFERS * BUFFER_BYTES);
        int chunks = Partition.chunks(bytes, BUFFER_BYTES);
        boolean sends = team.localRank() == root;
        boolean forwards = team.isMaster() && team.nodes() > 1;
        boolean shows = sends && team.localSize() > 1 && fault != Fault.SHOWS_NOTHING_BUT_READS;
        Area buffers = shows ? team.show(window) : null;
        for (int chunk = 1; chunk <= chunks; chunk++) {
            long from = (chunk - 1) * BUFFER_BYTES;
            long length = Math.min(BUFFER_BYTES, bytes - from);
            if (sends) {
                if (forwards) {
                    forward(team, top, chunk, data, from, length);
                }
                if (shows) {
                    if (fault != Fault.ROOT_REFILLS_WITHOUT_WAITING) {
                        team.awaitOthers(Team.DONE, chunk - BUFFERS);
                    }
                    if (fault == Fault.READY_BEFORE_THE_COPY) {
                        team.post(Team.READY, chunk);
                    }
                    team.copy(data, from, buffers, many ? from : place(chunk), length);
                    if (fault == Fault.STEP_BUMPED_TWICE) {
                        team.post(Team.READY, chunk + 1);
                    }
                }
                if (team.localSize() > 1) {
                    team.post(Team.READY, chunk);
                }
            } else {
                int awaited = fault == Fault.WRONG_ROOT ? (root + 1) % team.localSize() : root;
                if (fault != Fault.READERS_DO_NOT_WAIT) {
                    team.await(awaited, Team.READY, chunk);
                }
                Area shown = team.shown(root, window);
                if (forwards) {
                    forward(team, top, chunk, shown, many ? from : place(chunk), length);
                }
                take(team, shown, many ? from : place(fault == Fault.SWAPPED_BUFFER ? chunk + 1 : chunk), data, from,
                        length, chunk);
            }
        }
    }

    private void take(Team team, Area source, long place, Area data, long from, long length, int chunk) {
        if (fault == Fault.DONE_BEFORE_THE_COPY) {
            team.post(Team.DONE, chunk);
        }
        team.copy(source, place, data, from, fault == Fault.ONE_BYTE_SHORT ? Math.max(0, length - 1) : length);
        if (fault != Fault.DONE_BEFORE_THE_COPY) {
            team.post(Team.DONE, chunk);
        }
    }

    private void forward(Team team, int top, int chunk, Area source, long at, long length) {
        boolean waits = fault != Fault.NO_WAIT_FOR_CREDIT || chunk <= BUFFERS;
        for (int index = 0; index < TREE.children(team, top) && !waits; index++) {
            team.outflow(NodeTree.edge(index)).openNext(TREE.child(team, top, index), NodeTree.PARENT, chunk - 1);
        }
        TREE.passOn(team, top, source, at, length);
    }

    private void runBelow(Team team, Area data, long bytes, int top) {
        int chunks = Partition.chunks(bytes, BUFFER_BYTES);
        Inflow in = team.inflow(NodeTree.PARENT);
        if (fault == Fault.CREDIT_WITHOUT_WAITING_FOR_LOCAL_READERS) {
            in.readBy(team.localRank());
        }
        for (int chunk = 1; chunk <= chunks; chunk++) {
            long from = (chunk - 1) * BUFFER_BYTES;
            long length = Math.min(BUFFER_BYTES, bytes - from);
            if (team.isMaster() && fault == Fault.FORWARDS_BEFORE_ARRIVAL) {
                forward(team, top, chunk, team.eagerBuffer(NodeTree.PARENT), place(chunk), length);
            }
            Area arrived = in.await();
            if (team.isMaster() && fault != Fault.FORWARDS_BEFORE_ARRIVAL) {
                forward(team, top, chunk, arrived, 0, length);
            }
            take(team, arrived, 0, data, from, length, chunk);
            if (team.isMaster() && fault != Fault.NO_CREDIT) {
                in.release();
            }
        }
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return windows(1, bytes, BUFFERS * BUFFER_BYTES) + eagerBuffers(nodes, 1, bytes);
    }
}
