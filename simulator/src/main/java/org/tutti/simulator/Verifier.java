/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Area;
import org.tutti.collective.Label;
import org.tutti.collective.Outbox;
import org.tutti.collective.Reach;
import org.tutti.collective.RingLayout;
import org.tutti.collective.Team;
import org.tutti.collective.allreduce.Allreduce;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.reduce.Reduce;

/**
 * Runs a list of calls on all ranks of a simulated job, one after the other without pause, and checks everything: the
 * results, what is ordered before what, words that shrink, waiting that cannot end, and the memory of the nodes.
 */
public final class Verifier {
    private static final long OUTBOX_SMALL_BYTES = 64 << 10;

    private final Topology topology;
    private final List<Call> calls;
    private final World world;
    private final NodeMemory[] memories;
    private final MemorySegment[][] sources;
    private final MemorySegment[][] targets;
    private final Team[] teams;
    private final Map<Integer, byte[]> expected = new HashMap<>();
    private final int[] entered;
    private final int[] callOf;

    private Verifier(Topology topology, List<Call> calls, long seed, boolean recorded, Arena arena) {
        int size = topology.size();
        this.topology = topology;
        this.calls = calls;
        this.world = new World(size, seed, recorded);
        this.memories = new NodeMemory[topology.nodes()];
        this.sources = new MemorySegment[size][];
        this.targets = new MemorySegment[size][];
        this.teams = new Team[size];
        this.entered = new int[calls.size()];
        this.callOf = new int[size];
        int bytes = calls.stream().mapToInt(Call::bytes).max().orElse(0) + 1;
        MemorySegment[] rings = new MemorySegment[topology.nodes()];
        long[] ringAddresses = new long[topology.nodes()];
        for (int node = 0; node < topology.nodes(); node++) {
            int here = node;
            RingLayout layout = new RingLayout(topology.nodes(), topology.ranksOf(node).length);
            memories[node] = new NodeMemory(arena, seed % 2 == 0, block -> {
                String owner = world.actor();
                world.places().name(block, offset -> "byte " + offset + " of the outbox of " + owner);
            });
            ringAddresses[node] = memories[node].claim(layout.bytes(), "ring");
            rings[node] = memories[node].block(ringAddresses[node], layout.bytes());
            world.places().name(rings[node], offset -> layout.describe(offset) + " on node " + here);
        }
        int[] processes = new int[size];
        long[] handles = new long[size];
        for (int rank = 0; rank < size; rank++) {
            processes[rank] = rank;
            handles[rank] = world.register(rank, rings[topology.nodeOf(rank)], true);
            sources[rank] = buffers(arena, bytes, "the source of rank " + rank);
            targets[rank] = buffers(arena, bytes, "the target of rank " + rank);
        }
        Reach reach = new Reach(processes, handles);
        for (int rank = 0; rank < size; rank++) {
            int node = topology.nodeOf(rank);
            teams[rank] = new Team(new VerifyingMachine(world, rank), Healthy.INSTANCE, memories[node],
                    ringAddresses[node], new Outbox(memories[node], topology.ranksOf(node).length), rank, topology,
                    reach);
        }
    }

    private MemorySegment[] buffers(Arena arena, int bytes, String name) {
        MemorySegment[] buffers = {arena.allocate(bytes), MemorySegment.ofArray(new byte[bytes])};
        world.places().name(buffers[0], offset -> "byte " + offset + " of " + name);
        world.places().name(buffers[1], offset -> "byte " + offset + " of " + name + ", on the heap");
        return buffers;
    }

    /**
     * Runs calls and checks them.
     *
     * @param topology where the ranks are
     * @param calls what they call
     * @param seed decides the order of everything
     * @return what is wrong, with the last steps of every rank; empty when nothing is
     */
    static Optional<SimulationFailure> verify(Topology topology, List<Call> calls, long seed) {
        if (run(topology, calls, seed, false).isEmpty()) {
            return Optional.empty();
        }
        Optional<SimulationFailure> again = run(topology, calls, seed, true);
        if (again.isEmpty()) {
            throw new IllegalStateException("a run with seed " + seed + " failed, and did not when it was repeated");
        }
        return again;
    }

    private static Optional<SimulationFailure> run(Topology topology, List<Call> calls, long seed, boolean recorded) {
        try (Arena arena = Arena.ofShared()) {
            Verifier verifier = new Verifier(topology, calls, seed, recorded, arena);
            try {
                verifier.world.ranks().run(verifier::runRank);
                verifier.world.drain();
                verifier.checkMemory();
                return Optional.empty();
            } catch (RuntimeException | AssertionError e) {
                return Optional.of(verifier.failure(e));
            }
        }
    }

    private SimulationFailure failure(Throwable cause) {
        StringBuilder text = new StringBuilder(
                cause instanceof SimulationFailure ? cause.getMessage() : "a rank threw " + cause);
        text.append("\n  ").append(topology).append("; calls:");
        for (int rank = 0; rank < callOf.length; rank++) {
            text.append("\n  rank ").append(rank).append(" on node ").append(topology.nodeOf(rank));
            text.append(callOf[rank] < calls.size()
                    ? " is in call " + callOf[rank] + ", " + calls.get(callOf[rank])
                    : " has ended");
        }
        return new SimulationFailure(text.append('\n').append(world.lastSteps()).toString(), cause);
    }

    private void runRank(int rank) {
        Area source = new Area();
        Area target = new Area();
        for (int index = 0; index < calls.size(); index++) {
            callOf[rank] = index;
            entered[index]++;
            run(rank, index, calls.get(index), source, target);
        }
        callOf[rank] = calls.size();
    }

    private void run(int rank, int index, Call call, Area source, Area target) {
        int heap = call.isOnHeap(rank) ? 1 : 0;
        MemorySegment from = sources[rank][heap].asSlice(0, call.bytes());
        MemorySegment to = call.inPlace() || call.collective() == Collective.BROADCAST ? from
                : targets[rank][heap].asSlice(0, call.bytes());
        byte[] contribution = call.contribution(rank);
        fill(rank, from, contribution);
        if (!to.equals(from)) {
            fill(rank, to, new byte[call.bytes()]);
        }
        source.set(from, 0);
        target.set(to, 0);
        execute(teams[rank], call, source, target);
        world.read(rank, from, 0, call.bytes());
        world.read(rank, to, 0, call.bytes());
        if (call.collective() == Collective.BARRIER && entered[index] < topology.size()) {
            throw new SimulationFailure("rank " + rank + " has left barrier " + index + " when only " + entered[index]
                    + " ranks had entered it");
        }
        if (call.receives(rank)) {
            check(rank, call, "its result", to,
                    expected.computeIfAbsent(index, _ -> call.expected(topology.size())));
        }
        if (!to.equals(from) || !call.receives(rank)) {
            check(rank, call, "its source, which must stay as it was,", from, contribution);
        }
        if (!to.equals(from) && !call.receives(rank)) {
            check(rank, call, "its target, which must stay as it was,", to, new byte[call.bytes()]);
        }
    }

    private void fill(int rank, MemorySegment memory, byte[] bytes) {
        world.write(rank, memory, 0, bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, 0, bytes.length);
    }

    private static void check(int rank, Call call, String what, MemorySegment actual, byte[] expected) {
        long wrong = actual.mismatch(MemorySegment.ofArray(expected));
        if (wrong >= 0) {
            throw new SimulationFailure("rank " + rank + " has a wrong byte in " + what + " after " + call + ": byte "
                    + wrong + " is " + actual.get(ValueLayout.JAVA_BYTE, wrong) + " instead of "
                    + expected[(int) wrong]);
        }
    }

    /** A rank's call, as a communicator does it. */
    static void execute(Team team, Call call, Area source, Area target) {
        Kernel kernel = call.collective() == Collective.REDUCE || call.collective() == Collective.ALLREDUCE
                ? Kernel.of(call.operation().reduction(), call.operation().type())
                : null;
        boolean barrier = call.collective() == Collective.BARRIER;
        team.enter(call.collective(), call.algorithm().label(), barrier ? null : call.operation().type(),
                kernel == null ? Label.NONE : kernel.label(), call.bytes() / call.operation().type().bytes(),
                call.root(), Long.MAX_VALUE);
        switch (call.algorithm()) {
            case Barrier algorithm -> algorithm.run(team);
            case Broadcast algorithm -> algorithm.run(team, source, call.bytes(), call.root());
            case Reduce algorithm -> algorithm.run(team, source, target, call.bytes(), kernel, call.root());
            case Allreduce algorithm -> algorithm.run(team, source, target, call.bytes(), kernel);
            default -> throw new IllegalStateException("the simulator cannot call " + call);
        }
        team.leave();
    }

    /** What a node may claim: the ring, and for each rank an outbox of its first and of its full size. */
    private void checkMemory() {
        for (int node = 0; node < memories.length; node++) {
            int ranks = topology.ranksOf(node).length;
            long bound = new RingLayout(topology.nodes(), ranks).bytes()
                    + ranks * (OUTBOX_SMALL_BYTES + 2 * Outbox.windowBytesMax(ranks));
            if (memories[node].bytes() > bound) {
                throw new SimulationFailure("node " + node + " has claimed " + memories[node].bytes()
                        + " bytes, more than its bound of " + bound);
            }
        }
    }
}
