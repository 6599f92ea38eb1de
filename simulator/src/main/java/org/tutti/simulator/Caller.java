/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;

/**
 * The caller's side of the operations of one thread in a verification run. It has memory on the heap, in native memory
 * and in the node's memory, fills it with the thread's contribution before a call, and checks it after the call.
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
     * @param world the run
     * @param thread the thread
     * @param memory the source of heap and native memory
     * @param nodeMemory the shared memory of the thread's node
     */
    Caller(World world, int thread, RunMemory memory, NodeMemory nodeMemory) {
        this.world = world;
        this.thread = thread;
        this.memory = memory;
        this.nodeMemory = nodeMemory;
    }

    /** Returns memory that all calls use again; it is allocated anew when it is too small. */
    private MemorySegment buffer(PlannedCall call, boolean isTarget, int length) {
        MemoryKind kind = call.kind(world.rankOf(thread), isTarget);
        int index = 2 * kind.ordinal() + (isTarget ? 1 : 0);
        MemorySegment buffer = buffers[index];
        if (buffer == null || buffer.byteSize() < length) {
            int bytes = Math.max(1, length);
            buffer = switch (kind) {
                case HEAP -> memory.allocateOnHeap(bytes);
                case NATIVE -> memory.allocateArbitrary(bytes);
                case SHARED -> nodeMemory.allocateArbitrary(bytes);
            };
            String name = " of the " + (isTarget ? "target" : "source") + " of " + world.name(thread) + ", "
                    + kind.description();
            world.places().name(buffer, offset -> "byte " + offset + name);
            buffers[index] = buffer;
        }
        return buffer.asSlice(0, length);
    }

    /**
     * Draws a call's operation numbers, as a communicator does. This thread or another thread of its rank runs the
     * call.
     */
    void draw(Team team, PlannedCall call) {
        int sourceBytes = call.sourceBytes(team.rank(), team.size());
        int targetBytes = call.targetBytes(team.rank(), team.size());
        boolean inPlace = call.isInPlace();
        MemorySegment from = buffer(call, false, inPlace ? Math.max(sourceBytes, targetBytes) : sourceBytes);
        MemorySegment to = inPlace ? from : buffer(call, true, targetBytes);
        prepared = call.prepare(from, to, team.rank(), team.size());
        prepared.draw(team);
    }

    /**
     * Runs the call that {@link #draw} has drawn, and checks its results.
     *
     * @param team the communicator
     * @param call the call
     * @param rank this rank in the communicator
     * @param expected the bytes that a receiving rank must hold afterwards
     */
    void run(Team team, PlannedCall call, int rank, MemorySegment expected) {
        MemorySegment from = prepared.source().segment();
        MemorySegment to = prepared.target().segment();
        boolean receives = call.receives(rank);
        MemorySegment contribution = call.contribution(rank, team.size());
        MemorySegment before = from.byteSize() == contribution.byteSize() ? contribution
                : with(ZEROS.asSlice(0, from.byteSize()), call.ownBlock(rank), contribution);
        MemorySegment zeros = ZEROS.asSlice(0, to.byteSize());
        fill(from, before);
        if (!to.equals(from)) {
            fill(to, zeros);
        }
        prepared.run(team);
        world.write(thread, from, 0, from.byteSize()); // a later access of another rank to this memory is a race
        world.write(thread, to, 0, to.byteSize());
        if (!to.equals(from)) {
            check(call, "its source, which must stay as it was,", from, before);
            if (receives) {
                check(call, "its result", to, expected);
            } else {
                check(call, "its target, which must stay as it was,", to, zeros);
            }
        } else if (receives) {
            check(call, "its result", to, expected.byteSize() == to.byteSize() ? expected
                    : call.collective() == Collective.SCATTER ? before
                            : with(before, call.ownBlock(rank), expected));
        } else {
            check(call, "its source, which must stay as it was,", from, before);
        }
    }

    /** {@return a copy of bytes in which some, from an offset on, are replaced} */
    private static MemorySegment with(MemorySegment all, long at, MemorySegment some) {
        MemorySegment copy = MemorySegment.ofArray(all.toArray(ValueLayout.JAVA_BYTE));
        MemorySegment.copy(some, 0, copy, at, some.byteSize());
        return copy;
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
