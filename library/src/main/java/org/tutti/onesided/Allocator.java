/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.RemoteMemory;
import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.Members;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Futexes;
import org.tutti.memory.Memory;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.Waiter;

/**
 * Allocates remote memory for a communicator, memory at every rank that all ranks can access. Each layer of this
 * package uses only the layers below it. From the top down:
 *
 * <ol>
 * <li>This class; a rank has one for each communicator.
 * <li>{@link LiveRemoteMemory} and {@link LiveMutexes}: calls on the memory of all ranks, and collective calls.
 * <li>The part of one rank as another rank uses it: {@link NearPart}, {@link FarPart}, {@link LiveNonBlockingPart}.
 * <li>{@link RemoteAccess} and {@link Fences}: the state that calls on all parts of a memory share.
 * <li>Non-blocking calls: {@link PendingCalls}, {@link CallQueue}, {@link OneSidedRequest}.
 * <li>{@link PartAllocator}: allocation of parts.
 * <li>The state of one call: {@link OneSidedCall}, {@link CallCheck}.
 * <li>The layout of the memory, and operations inside it: {@link PartLayout}, {@link PartAccumulator}, {@link
 * MutexKeeper}.
 * </ol>
 */
public final class Allocator {
    private final PartAllocator parts;
    private final Members members;
    private final List<LiveRemoteMemory> memories = new ArrayList<>(); // closed ones are dropped at the next call

    /**
     * Creates the allocator with which a rank allocates remote memory and mutexes for one communicator.
     *
     * @param memory the shared memory of this node
     * @param fabric the transport to other nodes, or null if all ranks are on one node
     * @param progress takes messages while a thread of the rank waits
     * @param members the states of the communicator's ranks: joined, left or failed
     * @param endpoints the addresses of ranks on other nodes, or null if all ranks are on one node
     * @param futexes the futexes of this node, or null if the writers of words wake no threads
     * @param coreForEach whether every rank of the node has a core of its own, so that a waiting rank may spin
     * @param policy the record of whether the rank waits for its requests
     * @param ended a function that returns whether the rank has left its job. Once it has, its remote memory cannot be
     *            used.
     */
    public Allocator(Memory memory, SectionTransport fabric, Waiter.Progress progress, Members members,
            EndpointTable endpoints, Futexes futexes, boolean coreForEach, ProgressPolicy policy,
            BooleanSupplier ended) {
        this.parts =
                new PartAllocator(memory, fabric, progress, members, endpoints, futexes, coreForEach, policy, ended);
        this.members = members;
    }

    /**
     * Allocates remote memory, which consists of one part in the memory of each rank. All ranks of the communicator
     * call this method.
     *
     * @param communicator the communicator whose ranks share the memory
     * @param sum a function that sums a table over all ranks, element by element. Each rank enters the address of its
     *            own part, so the sum holds the addresses of all parts.
     * @param type the type of the elements of this rank's part
     * @param count the number of elements of this rank's part
     * @param notifications the number of words of this rank's part that count notifications
     * @param deadlineNanos a function that returns the time of {@link System#nanoTime()} by which a call that begins
     *            now must end
     * @return the remote memory, as this rank uses it
     */
    public RemoteMemory allocate(Communicator communicator, Consumer<long[]> sum, DataType type, long count,
            int notifications, LongSupplier deadlineNanos) {
        int rank = communicator.rank();
        if (count < 0 || count > RemoteMemory.BYTES_MAX / Objects.requireNonNull(type, "type").bytes()) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot allocate " + count + " elements of"
                    + " type " + type + ": a rank gives 0 to " + RemoteMemory.BYTES_MAX + " bytes");
        }
        if (notifications < 0 || notifications > RemoteMemory.NOTIFICATIONS_MAX) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot allocate " + notifications
                    + " notification words: a part has 0 to " + RemoteMemory.NOTIFICATIONS_MAX);
        }
        long bytes = count * type.bytes();
        Part[] made = parts.share(communicator, sum, bytes, notifications,
                block -> new PartAccumulator(block, bytes, members, rank));
        LiveRemoteMemory memory = new LiveRemoteMemory(parts, communicator, made, type, deadlineNanos);
        synchronized (memories) {
            memories.removeIf(LiveRemoteMemory::isClosed);
            memories.add(memory);
        }
        return memory;
    }

    /** Waits until this rank's puts into all open memories of the communicator are visible there. */
    public void fenceAll() {
        List<LiveRemoteMemory> open;
        synchronized (memories) {
            memories.removeIf(LiveRemoteMemory::isClosed);
            open = List.copyOf(memories);
        }
        open.forEach(LiveRemoteMemory::fenceAll);
    }

    /** {@return the number of remote memories and sets of mutexes that this rank has not closed} */
    public int open() {
        return parts.open();
    }
}
