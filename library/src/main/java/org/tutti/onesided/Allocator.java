/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.RemoteMemory;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.Members;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Memory;

/**
 * Allocates remote memory for a communicator. From the top down, each layer uses the ones below it only:
 *
 * <ol>
 * <li>This class, which a job has for each communicator.
 * <li>{@link LiveRemoteMemory} and {@link LiveMutexes}: what a rank does with all parts, and together with others.
 * <li>Parts, as one rank uses another one's: {@link NearPart}, {@link FarPart}, {@link LiveNonBlockingPart}.
 * <li>{@link RemoteAccess} and {@link Fences}: what the calls on all parts of a memory share.
 * <li>Requests that are not waited for: {@link PendingGets}, {@link OneSidedRequest}.
 * <li>{@link PartAllocator}: where parts come from.
 * <li>The state of a call while it lasts: {@link OneSidedCall}, {@link CallCheck}.
 * <li>What lies in the memory, and what is done there: {@link PartLayout}, {@link PartAccumulator},
 * {@link MutexKeeper}.
 * </ol>
 */
public final class Allocator {
    private final PartAllocator parts;
    private final Members members;

    /**
     * @param memory the node's memory
     * @param fabric how other nodes are reached, or null when there are none
     * @param members what is known of the ranks' lives
     * @param endpoints how ranks on other nodes are reached; null when there are none
     * @param coreForEach whether every rank of the node has a core of its own
     * @param ended tells whether the rank has left its job: then none of its remote memory can be used any more
     */
    public Allocator(Memory memory, SectionTransport fabric, Members members, EndpointTable endpoints,
            boolean coreForEach,
            BooleanSupplier ended) {
        this.parts = new PartAllocator(memory, fabric, members, endpoints, coreForEach, ended);
        this.members = members;
    }

    /**
     * Allocates; all ranks of the communicator call this.
     *
     * @param communicator the communicator
     * @param sum adds up the numbers of all ranks, by which each tells the others where its part is
     * @param type the type of this rank's elements
     * @param count how many this rank gives
     * @param notifications how many words of this rank's part count notifications
     * @param deadlineNanos says when a call that begins now must end
     * @return the memory
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
        return new LiveRemoteMemory(parts, communicator, made, type, deadlineNanos);
    }

    /**
     * {@return how many remote memories and sets of mutexes this rank has not closed}
     */
    public int open() {
        return parts.open();
    }
}
