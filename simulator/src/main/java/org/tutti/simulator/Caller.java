/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.collective.Call;
import org.tutti.collective.Team;

/**
 * What a thread of a verification run calls operations with: memory of its own, on the heap, off it or in the node's,
 * filled with its contribution before a call, and checked after it.
 */
final class Caller {
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[Calls.BYTES_MAX]).asReadOnly();

    private final World world;
    private final int thread;
    private final RunMemory memory;
    private final NodeMemory nodeMemory;
    private final MemorySegment[] buffers = new MemorySegment[2 * MemoryKind.values().length];
    private Call prepared;

    /**
     * @param world what goes on around it
     * @param thread which thread it is
     * @param memory what its memory is taken from
     * @param nodeMemory what it takes memory from that its node shares
     */
    Caller(World world, int thread, RunMemory memory, NodeMemory nodeMemory) {
        this.world = world;
        this.thread = thread;
        this.memory = memory;
        this.nodeMemory = nodeMemory;
    }

    /** Memory that is used again in all calls; larger one when the first is too small. */
    private MemorySegment buffer(PlannedCall call, boolean isTarget) {
        MemoryKind kind = call.kind(world.rankOf(thread), isTarget);
        int index = 2 * kind.ordinal() + (isTarget ? 1 : 0);
        MemorySegment buffer = buffers[index];
        if (buffer == null || buffer.byteSize() < call.bytes()) {
            int bytes = Math.max(1, call.bytes());
            buffer = switch (kind) {
                case HEAP -> memory.allocateOnHeap(bytes);
                case NATIVE -> memory.allocate(bytes);
                case SHARED -> nodeMemory.allocate(bytes);
            };
            String name = " of the " + (isTarget ? "target" : "source") + " of " + world.name(thread) + ", "
                    + kind.description();
            world.places().name(buffer, offset -> "byte " + offset + name);
            buffers[index] = buffer;
        }
        return buffer.asSlice(0, call.bytes());
    }

    /** Draws a call, as a communicator does, for this thread or another one of its rank to run. */
    void draw(Team team, PlannedCall call) {
        MemorySegment from = buffer(call, false);
        MemorySegment to = call.inPlace() || !call.collective().combines() ? from : buffer(call, true);
        prepared = call.prepare(from, to);
        team.draw(prepared);
    }

    /**
     * Runs the call that was drawn, and checks it.
     *
     * @param team the communicator
     * @param call the call
     * @param rank this rank in it
     * @param expected what a rank that receives something must hold afterwards
     */
    void run(Team team, PlannedCall call, int rank, MemorySegment expected) {
        MemorySegment from = prepared.source().segment();
        MemorySegment to = prepared.target().segment();
        MemorySegment contribution = call.contribution(rank);
        MemorySegment zeros = ZEROS.asSlice(0, call.bytes());
        fill(from, contribution);
        if (!to.equals(from)) {
            fill(to, zeros);
        }
        team.run(prepared);
        world.write(thread, from, 0, call.bytes()); // now the caller may do so, and nobody may still use its memory
        world.write(thread, to, 0, call.bytes());
        if (call.receives(rank)) {
            check(call, "its result", to, expected);
        }
        if (!to.equals(from) || !call.receives(rank)) {
            check(call, "its source, which must stay as it was,", from, contribution);
        }
        if (!to.equals(from) && !call.receives(rank)) {
            check(call, "its target, which must stay as it was,", to, zeros);
        }
    }

    private void fill(MemorySegment target, MemorySegment bytes) {
        world.write(thread, target, 0, bytes.byteSize());
        target.copyFrom(bytes);
    }

    private void check(PlannedCall call, String what, MemorySegment actual, MemorySegment expected) {
        long wrong = actual.mismatch(expected);
        if (wrong >= 0) {
            throw new SimulationFailure("rank " + world.rankOf(thread) + " has a wrong byte in " + what + " after "
                    + call + ": byte " + wrong + " is " + actual.get(ValueLayout.JAVA_BYTE, wrong) + " instead of "
                    + expected.get(ValueLayout.JAVA_BYTE, wrong));
        }
    }
}
