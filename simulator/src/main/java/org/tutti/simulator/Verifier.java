/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.AnyBlocksAlgorithm;
import org.tutti.collective.blocks.BlockExchange;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.collective.window.WindowPool;
import org.tutti.memory.Words;

/**
 * Runs a list of calls on all ranks of a simulated job, without a pause, and checks the results, the order of accesses,
 * words that shrink, endless waiting, and the memory of the nodes.
 *
 * <p>With several stages, a rank's calling thread draws all calls in their order, as in a real job. It runs one call of
 * sixteen itself, as a blocking call. An idle stage, which is another thread of the rank, runs each of the other calls
 * as a non-blocking one, while the caller goes on. Each rank draws for itself which calls block and which stage runs a
 * call. At most as many operations are in flight as there are stages, and they end in any order. Two words of each
 * stage count the calls that the caller has given to it, and the calls that the stage has ended. A {@link HeldBackPlan}
 * decides itself which calls block.
 */
public final class Verifier {
    /** Makes the machine of a thread. The machine of a test may have a fault. */
    @FunctionalInterface
    interface Machines {
        VerifyingMachine of(World world, int thread);
    }

    private static final long RING_SMALL_BYTES = 64 << 10;
    private static final long BLOCK_SMALL_BYTES = 32 << 10;
    private static final int MIX_SHIFT = 33;
    private static final int BLOCKS_ONE_OF = 16;

    // the two words of a stage: the number of calls that were given to it, and the number that it has ended
    private static final long STAGE_BYTES = 2L * Words.LINE_BYTES;
    private static final long ENDED = Words.LINE_BYTES;

    private final Topology topology;
    private final List<PlannedCall> calls;
    private final int stages;
    private final HeldBackPlan heldBack; // null if no rank is held back
    private final World world;
    private final NodeMemory[] memories;
    private final Caller[] callers;
    private final MemorySegment[] requests;
    private final Team[] teams;
    private final Expectations expectations = new Expectations();
    private final int[] entered;
    private final int[] givenIndex;

    private Verifier(Topology topology, List<PlannedCall> calls, int stages, HeldBackPlan heldBack, long seed,
            boolean recorded, Machines machines, RunMemory memory) {
        int size = topology.size();
        int threads = size * stages;
        this.topology = topology;
        this.calls = calls;
        this.stages = stages;
        this.heldBack = heldBack;
        this.world = new World(size, stages, seed, recorded);
        if (heldBack != null) {
            world.holdBack(world.thread(heldBack.rank(), 1));
        }
        if (stages == 1) {
            world.checkArrivals();
        }
        this.memories = new NodeMemory[topology.nodes()];

        this.callers = new Caller[threads];
        this.requests = new MemorySegment[size];
        this.teams = new Team[threads];
        this.entered = new int[calls.size()];
        this.givenIndex = new int[threads];
        MemorySegment[] rings = new MemorySegment[topology.nodes()];
        long[] ringAddresses = new long[topology.nodes()];
        NodeView[] views = new NodeView[topology.nodes()];
        for (int node = 0; node < topology.nodes(); node++) {
            int here = node;
            views[node] = new NodeView(topology, node);
            RingLayout layout = new RingLayout(topology.nodes(), topology.ranksOf(node).length);
            memories[node] = new NodeMemory(world, memory, seed % 2 == 0, (block, purpose) -> {
                String owner = world.actor();
                boolean eager = purpose.equals(RingLayout.EAGER_BUFFERS_PURPOSE);
                world.places().name(block, eager ? offset -> layout.describeEagerBuffers(offset) + " on node " + here
                        : offset -> "byte " + offset + " of what " + owner + " shows");
                world.memoryUse().add(here, world.places().address(block, 0), block,
                        eager ? layout::isEagerBuffer : _ -> true);
            });
            ringAddresses[node] = memories[node].claim(layout.bytes(), "ring");
            rings[node] = memories[node].block(ringAddresses[node], layout.bytes());
            world.places().name(rings[node], offset -> layout.describe(offset) + " on node " + here);
            world.memoryUse().add(here, world.places().address(rings[node], 0), rings[node], _ -> false);
        }
        int[] processes = new int[size];
        long[] handles = new long[size];
        for (int rank = 0; rank < size; rank++) {
            int owner = rank;
            processes[rank] = rank;
            handles[rank] = world.register(rank, rings[topology.nodeOf(rank)], true);
            requests[rank] = memory.allocate(stages * STAGE_BYTES);
            world.places().name(requests[rank], offset -> "the word by which rank " + owner + " and its stage "
                    + offset / STAGE_BYTES + " tell of calls that are "
                    + (offset % STAGE_BYTES == 0 ? "drawn" : "ended"));
        }
        EndpointTable endpoints = new EndpointTable(processes, handles);
        for (int thread = 0; thread < threads; thread++) {
            int rank = world.rankOf(thread);
            int node = topology.nodeOf(rank);
            VerifyingMachine machine = machines.of(world, thread);
            callers[thread] = new Caller(world, thread, memory, memories[node]);
            teams[thread] = thread == rank
                    ? new Team(machine, HealthyMembers.INSTANCE,
                            new WindowPool(memories[node], views[node].windowBytesMax()),
                            ringAddresses[node], rank, views[node], endpoints)
                    : teams[rank].forBackground(machine);
        }
    }

    /**
     * Runs calls and checks them.
     *
     * @param topology where the ranks are
     * @param calls the calls
     * @param stages the number of operations that a rank may have in flight; 1 for blocking calls only
     * @param seed decides the order of all steps
     * @return the failure, with the last steps of every rank; empty when the run is right
     */
    static Optional<SimulationFailure> verify(Topology topology, List<PlannedCall> calls, int stages, long seed) {
        return verify(topology, calls, stages, seed, VerifyingMachine::new);
    }

    static Optional<SimulationFailure> verify(Topology topology, List<PlannedCall> calls, int stages, long seed,
            Machines machines) {
        return verify(topology, calls, stages, null, seed, machines);
    }

    /** Runs the calls of a plan that holds requests of one rank back, and checks them. */
    static Optional<SimulationFailure> verify(HeldBackPlan plan, Machines machines) {
        return verify(plan.topology(), plan.calls(), 2, plan, plan.seed(), machines);
    }

    private static Optional<SimulationFailure> verify(Topology topology, List<PlannedCall> calls, int stages,
            HeldBackPlan heldBack, long seed, Machines machines) {
        if (run(topology, calls, stages, heldBack, seed, false, machines).isEmpty()) {
            return Optional.empty();
        }
        Optional<SimulationFailure> again = run(topology, calls, stages, heldBack, seed, true, machines);
        if (again.isEmpty()) {
            throw new IllegalStateException("a run with seed " + seed + " failed, and did not when it was repeated");
        }
        return again;
    }

    private static Optional<SimulationFailure> run(Topology topology, List<PlannedCall> calls, int stages,
            HeldBackPlan heldBack, long seed, boolean recorded, Machines machines) {
        RunMemory memory = RunMemory.take();
        Verifier verifier = new Verifier(topology, calls, stages, heldBack, seed, recorded, machines, memory);
        try {
            verifier.world.ranks().run(verifier::runThread);
            verifier.world.drain();
            verifier.checkClaimed();
            verifier.checkUsed();
        } catch (RuntimeException | AssertionError e) {
            return Optional.of(verifier.failure(e)); // the memory is not clear, so it is not given back
        }
        verifier.world.clear(memory);
        memory.give();
        return Optional.empty();
    }

    private SimulationFailure failure(Throwable cause) {
        StringBuilder text = new StringBuilder(
                cause instanceof SimulationFailure ? cause.getMessage() : "a rank threw " + cause);
        text.append("\n  ").append(topology).append("; calls:");
        for (int thread = 0; thread < topology.size() * stages; thread++) {
            int call = world.callOf(thread);
            text.append("\n  ").append(world.name(thread)).append(" on node ")
                    .append(topology.nodeOf(world.rankOf(thread)));
            text.append(call < calls.size() ? " is in call " + call + ", " + calls.get(call) : " has ended");
        }
        return new SimulationFailure(text.append('\n').append(world.lastSteps()).toString(), cause);
    }

    private void runThread(int thread) {
        if (world.stageOf(thread) == 0) {
            runCaller(thread);
        } else {
            runStage(thread);
        }
        world.enter(thread, calls.size());
    }

    /**
     * Runs the calling thread of a rank: it draws all calls, runs those that block, and at the end waits for the
     * others.
     */
    private void runCaller(int rank) {
        int[] given = new int[stages];
        for (int index = 0; index < calls.size(); index++) {
            world.enter(rank, index);
            long drawn = random(rank, index);
            if (blocks(rank, index, drawn)) {
                draw(rank, index);
                run(rank, index);
            } else {
                int stage = awaitIdleStage(rank, given, (int) (drawn % (stages - 1)));
                draw(world.thread(rank, stage), index);
                give(rank, stage, given, index);
            }
        }
        for (int stage = 1; stage < stages; stage++) {
            world.await(rank, requests[rank], stage * STAGE_BYTES + ENDED, given[stage]);
            give(rank, stage, given, calls.size());
        }
    }

    private boolean blocks(int rank, int index, long drawn) {
        return heldBack == null ? stages == 1 || drawn % BLOCKS_ONE_OF == 0
                : rank != heldBack.rank() || !heldBack.isRequest(index);
    }

    private void give(int rank, int stage, int[] given, int index) {
        given[stage]++;
        givenIndex[world.thread(rank, stage)] = index;
        world.store(rank, requests[rank], stage * STAGE_BYTES, given[stage]);
    }

    /** Waits for an idle stage, because a team is in one operation at a time. The search begins at a drawn stage. */
    private int awaitIdleStage(int rank, int[] given, int first) {
        while (true) {
            for (int i = 0; i < stages - 1; i++) {
                int stage = 1 + (first + i) % (stages - 1);
                if (world.load(rank, requests[rank], stage * STAGE_BYTES + ENDED) == given[stage]) {
                    return stage;
                }
            }
            world.pause(rank);
        }
    }

    private void runStage(int thread) {
        int rank = world.rankOf(thread);
        long words = world.stageOf(thread) * STAGE_BYTES;
        for (int ended = 0;; ended++) {
            world.store(thread, requests[rank], words + ENDED, ended);
            world.await(thread, requests[rank], words, ended + 1L);
            if (givenIndex[thread] == calls.size()) {
                return;
            }
            world.enter(thread, givenIndex[thread]);
            run(thread, givenIndex[thread]);
        }
    }

    private long random(int rank, int index) {
        return (calls.get(index).salt() + ((long) index << Integer.SIZE) + rank + 1) * Fingerprint.GOLDEN >>> MIX_SHIFT;
    }

    private void draw(int thread, int index) {
        callers[thread].draw(teams[thread], calls.get(index));
    }

    private void run(int thread, int index) {
        PlannedCall call = calls.get(index);
        int rank = world.rankOf(thread);
        entered[index]++;
        callers[thread].run(teams[thread], call, rank, expectations.of(index, call, rank, topology.size()));
        if (call.collective() == Collective.BARRIER && entered[index] < topology.size()) {
            throw new SimulationFailure("rank " + rank + " has left barrier " + index + " when only " + entered[index]
                    + " ranks had entered it");
        }
    }

    /**
     * Checks that each node claims at most: the slots; eager buffers if a message needs them; for each rank a ring of
     * windows of its first and of its full size and, with several stages, a block of either size for each operation
     * that may be between its steps; the memory that exchanges of long blocks show to other nodes, and their inbox.
     */
    private void checkClaimed() {
        for (int node = 0; node < memories.length; node++) {
            int ranks = topology.ranksOf(node).length;
            long window = teams[topology.firstRankOf(node)].windowBytesMax();
            long blocks = stages == 1 ? 0 : RingLayout.SLOTS_MIN * (BLOCK_SMALL_BYTES + window);
            long inboxes = topology.nodes() == 1 ? 0 : stages * Flow.INBOX_BYTES;
            boolean exchanges = topology.nodes() > 1
                    && calls.stream().anyMatch(
                            call -> call.running() instanceof AnyBlocksAlgorithm || call.isUnequal());
            long exchanged =
                    exchanges ? BlockExchange.claimedBytesMax(window, teams[topology.firstRankOf(node)].ranksMax()) : 0;
            RingLayout layout = new RingLayout(topology.nodes(), ranks);
            boolean eager = calls.stream().anyMatch(call -> call.running().mayUseEagerBuffers(call.bytes()));
            long bound = layout.bytes() + (eager ? layout.eagerBuffersBytes() : 0)
                    + ranks * (RING_SMALL_BYTES + 2 * window + blocks) + inboxes + exchanged;
            if (memories[node].bytes() > bound) {
                throw new SimulationFailure("node " + node + " has claimed " + memories[node].bytes()
                        + " bytes, more than its bound of " + bound);
            }
        }
    }

    /** Checks that each call keeps to the bound of its algorithm on each node. */
    private void checkUsed() {
        for (int index = 0; index < calls.size(); index++) {
            PlannedCall call = calls.get(index);
            for (int node = 0; node < topology.nodes(); node++) {
                long used = world.memoryUse().bytes(index, node);
                long bound = call.running().memoryBytes(topology, node, call.bytes());
                if (used > bound) {
                    throw new SimulationFailure("node " + node + " has put data into " + used
                            + " bytes of its shared memory in call " + index + ", " + call
                            + ", more than the bound of " + bound + " that the algorithm states");
                }
            }
        }
    }
}
