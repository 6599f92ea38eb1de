/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Area;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Cost;
import org.tutti.collective.Flow;
import org.tutti.collective.Inflow;
import org.tutti.collective.Leaders;
import org.tutti.collective.NodeTree;
import org.tutti.collective.Team;
import org.tutti.memory.Words;
import org.tutti.pattern.ChainTree;

/**
 * Broadcast by several {@linkplain Leaders leaders} of each node: leader j passes the j-th part of each chunk along the
 * chain of nodes, from the root's node on, as {@link ChainBroadcast} does with one. In the root's node the root shows
 * the chunks in its window; in the others each leader has its part put into a window of its own. All ranks copy from
 * there.
 *
 * <pre>
 *  3 nodes of 2 ranks, root 0, chunks a b, parts 0 and 1:     0 –a0→ 2   0 –b0→ 2         2 –a0→ 4   2 –b0→ 4
 *                                                             1 –a1→ 3   1 –b1→ 3         3 –a1→ 5   3 –b1→ 5
 * </pre>
 *
 * <p><b>Why nothing is overwritten.</b> A window has {@value #PLACES} places, used in turn. Whoever has copied a chunk,
 * and a leader that has passed on its part of it, too, says DONE. The root writes to a place again, and a leader gives
 * it back to who sends there, when all others of its node have said so.
 *
 * <p><b>Why it ends.</b> For a chunk a rank waits for the leaders of its node, or its root, to have that, and a leader
 * for its counterpart to send it. A place for it is free when the children and the ranks of the node have done with
 * earlier chunks, for which they need only those earlier chunks of all leaders.
 */
public final class MultiLeaderBroadcast extends Broadcast {
    private static final int PLACES = 4;
    private static final long CHUNK_BYTES = 64 << 10;

    private static final NodeTree TREE = new NodeTree(ChainTree.INSTANCE);
    private static final ChainBroadcast SINGLE = new ChainBroadcast();

    /**
     * @param leaders how many ranks of a node exchange with other nodes, 2 to 4
     */
    public MultiLeaderBroadcast(int leaders) {
        super(new Description("multi-leader", Order.ALWAYS, "n + c", "b, b twice at the root", "b",
                "min(b, 256 KiB) at the root or at the leaders", "Tutti, after Qian, Afsahi 2008")
                .withLeaders(leaders));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        return SINGLE.cost(nodes, localRanks, bytes);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return Math.max(SINGLE.memoryBytes(nodes, localRanks, bytes),
                windows(1, bytes, PLACES * CHUNK_BYTES) + leadersMax() * (long) PLACES * Words.LINE_BYTES);
    }

    @Override
    public void run(Team team, Call call) {
        if (team.leaders() == 1) {
            SINGLE.run(team, call);
            return;
        }
        int top = team.nodeOf(call.root());
        Chunk chunk = team.chunks(call.bytes(), Math.min(CHUNK_BYTES, team.windowBytesMax() / PLACES), PLACES);
        if (team.isLeading()) {
            TREE.openToChildren(team, top, place(team, chunk), Flow.INVITED);
        }
        if (team.rank() == call.root()) {
            send(team, call, chunk);
        } else if (team.node() == top) {
            receive(team, call, chunk);
        } else {
            passOn(team, call, chunk);
        }
    }

    /** How long the places are to which parts are put: an empty part has one, too. */
    private static long place(Team team, Chunk chunk) {
        return Math.max(1, Leaders.longest(team, 1, chunk.longest()));
    }

    private static long start(Team team, Chunk chunk, int leader) {
        return Leaders.start(team, 1, chunk.length(), leader);
    }

    private static long length(Team team, Chunk chunk, int leader) {
        return start(team, chunk, leader + 1) - start(team, chunk, leader);
    }

    private static void sendPart(Team team, int top, Chunk chunk, Area source, long at) {
        TREE.passOn(team, top, source, at + start(team, chunk, team.localRank()),
                length(team, chunk, team.localRank()));
    }

    // ---- the root's node

    private static void send(Team team, Call call, Chunk chunk) {
        Area data = call.source();
        Area window = team.show(chunk.window());
        while (chunk.next()) {
            team.awaitOthers(Team.DONE, (long) chunk.number() - PLACES);
            team.copy(data, chunk.from(), window, chunk.place(), chunk.length());
            team.post(Team.READY, chunk.number());
            if (team.isLeading()) {
                sendPart(team, team.node(), chunk, data, chunk.from());
            }
        }
    }

    private static void receive(Team team, Call call, Chunk chunk) {
        int root = team.placeOf(call.root());
        while (chunk.next()) {
            team.await(root, Team.READY, chunk.number());
            Area window = team.shown(root, chunk.window());
            if (team.isLeading()) {
                sendPart(team, team.node(), chunk, window, chunk.place());
            }
            team.copy(window, chunk.place(), call.target(), chunk.from(), chunk.length());
            sayDone(team, chunk);
        }
    }

    private static void sayDone(Team team, Chunk chunk) {
        if (Flow.isAwaited(chunk.number(), PLACES, chunk.count())) {
            team.post(Team.DONE, chunk.number());
        }
    }

    // ---- other nodes

    private static void passOn(Team team, Call call, Chunk chunk) {
        int top = team.nodeOf(call.root());
        long place = place(team, chunk);
        long windowBytes = Math.max(PLACES * place, Words.LINE_BYTES); // others put into a window, not into a line
        Inflow in = team.isLeading() ? open(team, top, place, windowBytes, chunk.count()) : null;
        while (chunk.next()) {
            if (in != null) {
                Area arrived = in.await();
                TREE.passOn(team, top, arrived, 0, length(team, chunk, team.localRank()));
                team.post(Team.READY, chunk.number());
            }
            Leaders.await(team, Team.READY, chunk.number());
            for (int leader = 0; leader < team.leaders(); leader++) {
                team.copy(team.shown(leader, windowBytes), (chunk.number() - 1) % PLACES * place, call.target(),
                        chunk.from() + start(team, chunk, leader), length(team, chunk, leader));
            }
            sayDone(team, chunk);
            if (in != null) {
                in.release();
            }
        }
    }

    private static Inflow open(Team team, int top, long place, long windowBytes, int chunks) {
        Area window = team.show(windowBytes);
        Inflow in = team.inflow(NodeTree.PARENT);
        in.invite(TREE.parent(team, top), TREE.edgeAtParent(team, top), place, chunks, window, 0, PLACES * place);
        in.readByAll();
        return in;
    }
}
