/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.communicator.GroupCreation;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.collective.window.WindowPool;
import org.tutti.simulator.GroupScript.Calling;
import org.tutti.simulator.GroupScript.Close;
import org.tutti.simulator.GroupScript.Make;
import org.tutti.simulator.GroupScript.Members;

/**
 * Runs a script with groups on all ranks of a simulated job. It checks the same as a {@link Verifier}: results, the
 * order of accesses, words that shrink, and endless waiting. The code that makes groups and gives them back is that of
 * a real job. The memory of a closed group becomes that of the next one, so every access that comes too late is found.
 */
final class GroupVerifier {
    private static final long WORLD = 0;

    private final GroupScript script;
    private final World world;
    private final NodeMemory[] memories;
    private final Expectations expectations = new Expectations();
    private final Part[] parts;

    /** One rank of the run. */
    private final class Part {
        private final int rank;
        private final NodeMemory memory;
        private final VerifyingMachine machine;
        private final WindowPool pool;
        private final Caller caller;
        private final Team[] teams = new Team[script.communicators().size()];
        private final Runnable[] revokes = new Runnable[teams.length];
        private final List<Integer> closed = new ArrayList<>(); // but not yet released

        Part(int rank, RunMemory runMemory, VerifyingMachine machine) {
            this.rank = rank;
            this.memory = memories[script.communicators().getFirst().topology().nodeOf(rank)];
            this.machine = machine;
            this.pool = new WindowPool(memory, view(0).windowBytesMax());
            this.caller = new Caller(world, rank, runMemory, memory);
        }

        private NodeView view(int number) {
            Members members = script.communicators().get(number);
            Topology topology = members.topology();
            NodeView job = new NodeView(script.communicators().getFirst().topology(), 0);
            return new NodeView(topology, topology.nodeOf(members.rank(rank)), job.windowBytesMax());
        }

        private Team team(int number, NodeView view, long ringAddress) {
            Members members = script.communicators().get(number);
            EndpointTable endpoints = view.topology().nodes() == 1 ? null
                    : number == WORLD ? new EndpointTable(members.ranks(), worldHandles())
                            : new EndpointTable(members.ranks(), process -> handle(number, process));
            return new Team(machine, HealthyMembers.INSTANCE, pool, ringAddress, members.rank(rank), view, endpoints);
        }

        void run() {
            for (int i = 0; i < script.steps().size(); i++) {
                GroupScript.Step step = script.steps().get(i);
                int self = script.communicators().get(step.on()).rank(rank);
                if (self >= 0) {
                    world.enter(rank, i);
                    closed.removeIf(number -> teams[number].ending().tryRelease(revokes[number]));
                    switch (step) {
                        case Make make -> make(make.on());
                        case Calling calling -> call(i, calling, self);
                        case Close close -> {
                            teams[close.on()].ending().leave();
                            closed.add(close.on());
                        }
                    }
                }
            }
            world.enter(rank, script.steps().size());
        }

        private void make(int number) {
            Members members = script.communicators().get(number);
            Members parent = script.communicators().get(members.parent());
            NodeView view = view(number);
            int[] ofParent = new int[members.ranks().length];
            for (int i = 0; i < ofParent.length; i++) {
                ofParent[i] = parent.rank(members.ranks()[i]);
            }
            var creation = new GroupCreation(teams[members.parent()].context(), "create", number, ofParent,
                    Long.MAX_VALUE);
            creation.begin();
            long handle = handle(number, rank);
            long address = creation.findBlock(memory, ofParent[view.master()], view.layout().bytes(),
                    claimed -> open(view, claimed, handle));
            if (members.ranks()[view.master()] != rank) {
                open(view, address, handle);
            }
            teams[number] = team(number, view, address);
            creation.join(teams[number].context());
            revokes[number] = () -> {
                if (view.topology().nodes() > 1) {
                    world.revoke(handle);
                }
            };
            boolean together = members.ranks().length == parent.ranks().length;
            if (together) {
                creation.allowCallOfParent();
            }
            barrier(teams[together ? members.parent() : number]);
            creation.complete();
            creation.leave();
        }

        private void open(NodeView view, long address, long handle) {
            if (view.topology().nodes() > 1) {
                world.registerRing(rank, memory.block(address, view.layout().bytes()), handle);
            }
        }

        private static void barrier(Team team) {
            var barrier = new Call();
            barrier.set(Catalogue.of(Collective.BARRIER).getFirst(), 0, Long.MAX_VALUE);
            barrier.draw(team);
            barrier.run(team);
        }

        private void call(int index, Calling calling, int self) {
            PlannedCall call = calling.call();
            Team team = teams[calling.on()];
            caller.draw(team, call);
            caller.run(team, call, self, expectations.of(index, call, self, team.size()));
        }
    }

    private GroupVerifier(GroupScript script, long seed, boolean recorded, Verifier.Machines machines,
            RunMemory memory) {
        Topology topology = script.communicators().getFirst().topology();
        this.script = script;
        this.world = new World(topology.size(), 1, seed, recorded);
        this.memories = new NodeMemory[topology.nodes()];
        this.parts = new Part[topology.size()];
        long[] ringAddresses = new long[topology.nodes()];
        for (int node = 0; node < topology.nodes(); node++) {
            int here = node;
            memories[node] = new NodeMemory(world, memory, seed % 2 == 0, (block, purpose) -> world.places()
                    .name(block, offset -> "byte " + offset + " of " + purpose + " on node " + here));
            ringAddresses[node] = memories[node].claim(
                    new RingLayout(topology.nodes(), topology.ranksOn(node)).bytes(), "the slots of the world");
        }
        for (int rank = 0; rank < topology.size(); rank++) {
            parts[rank] = new Part(rank, memory, machines.of(world, rank));
            NodeView view = parts[rank].view(0);
            long address = ringAddresses[topology.nodeOf(rank)];
            world.registerRing(rank, parts[rank].memory.block(address, view.layout().bytes()), handle(0, rank));
            parts[rank].teams[0] = parts[rank].team(0, view, address);
        }
    }

    private long[] worldHandles() {
        long[] handles = new long[parts.length];
        for (int rank = 0; rank < handles.length; rank++) {
            handles[rank] = handle(0, rank);
        }
        return handles;
    }

    /**
     * Returns the handle of a communicator's block at a process. It is negative; handles that {@link World} counts are
     * positive.
     */
    private static long handle(int communicator, int process) {
        return Long.MIN_VALUE | ((long) communicator << Integer.SIZE | process) * Fingerprint.GOLDEN;
    }

    /**
     * Runs a script and checks it.
     *
     * @param script the script
     * @param seed decides the order of all steps
     * @return the failure, with the last steps of every rank; empty when the run is right
     */
    static Optional<SimulationFailure> verify(GroupScript script, long seed) {
        return verify(script, seed, VerifyingMachine::new);
    }

    static Optional<SimulationFailure> verify(GroupScript script, long seed, Verifier.Machines machines) {
        if (run(script, seed, false, machines).isEmpty()) {
            return Optional.empty();
        }
        Optional<SimulationFailure> again = run(script, seed, true, machines);
        if (again.isEmpty()) {
            throw new IllegalStateException("a run with seed " + seed + " failed, and did not when it was repeated");
        }
        return again;
    }

    private static Optional<SimulationFailure> run(GroupScript script, long seed, boolean recorded,
            Verifier.Machines machines) {
        RunMemory memory = RunMemory.take();
        var verifier = new GroupVerifier(script, seed, recorded, machines, memory);
        try {
            verifier.world.ranks().run(rank -> verifier.parts[rank].run());
            verifier.world.drain();
        } catch (RuntimeException | AssertionError e) {
            return Optional.of(verifier.failure(e)); // the memory is not clear, so it is not given back
        }
        verifier.world.clear(memory);
        memory.give();
        return Optional.empty();
    }

    private SimulationFailure failure(Throwable cause) {
        var text = new StringBuilder(
                cause instanceof SimulationFailure ? cause.getMessage() : "a rank threw " + cause);
        text.append("\n  ").append(script.communicators().getFirst().topology()).append("; groups:");
        for (int number = 1; number < script.communicators().size(); number++) {
            Members group = script.communicators().get(number);
            text.append("\n  ").append(number).append(", made from ").append(group.parent()).append(", of ranks ")
                    .append(group);
        }
        for (int rank = 0; rank < parts.length; rank++) {
            int step = world.callOf(rank);
            text.append("\n  rank ").append(rank)
                    .append(step < script.steps().size() ? " is in step " + step + ", " + script.steps().get(step)
                            : " has ended");
        }
        return new SimulationFailure(text.append('\n').append(world.lastSteps()).toString(), cause);
    }
}
