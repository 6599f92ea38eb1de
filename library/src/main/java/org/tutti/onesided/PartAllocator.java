/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.tutti.Communicator;
import org.tutti.NodeMemoryException;
import org.tutti.Topology;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.Members;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Bytes;
import org.tutti.memory.Futexes;
import org.tutti.memory.Memory;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.Spares;
import org.tutti.memory.Waiter;

/**
 * Allocates and frees a rank's parts of remote memory. It claims a part in the memory of the node, and publishes its
 * address to the other ranks. It also holds the resources with which a rank accesses the parts of others, and waits.
 *
 * <p>The ranks exchange the addresses of their parts by one allreduce of a table, in which each rank fills in its own
 * line. The allreduce is also the barrier after which parts may be used. If a rank finds too little memory, it marks
 * its line, and the call then fails at all ranks.
 */
final class PartAllocator {
    private static final int FIELDS = 5;
    private static final int ADDRESS = 0;
    private static final int BYTES = 1;
    private static final int HANDLE = 2;
    private static final int NOTIFICATIONS = 3;
    private static final int FAILED = 4;

    private final Memory memory;
    private final SectionTransport fabric;
    private final Members members;
    private final EndpointTable endpoints;
    private final boolean coreForEach;
    private final Waiter.Progress progress;
    private final Waiter waiter;
    private final Waiter answers;
    private final ProgressPolicy policy;
    private final BooleanSupplier ended;
    private final AtomicInteger open = new AtomicInteger();
    private Spares<OneSidedCall> spareCalls;

    /**
     * Creates the object that allocates a rank's parts of remote memory for one communicator.
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
    PartAllocator(Memory memory, SectionTransport fabric, Waiter.Progress progress, Members members,
            EndpointTable endpoints, Futexes futexes, boolean coreForEach, ProgressPolicy policy,
            BooleanSupplier ended) {
        this.memory = memory;
        this.fabric = fabric;
        this.members = members;
        this.endpoints = endpoints;
        this.coreForEach = coreForEach;
        this.policy = policy;
        this.ended = ended;
        this.progress = progress;
        this.waiter = new Waiter(coreForEach, progress, futexes);
        this.answers = fabric == null ? waiter : Waiter.forAnswers(coreForEach, progress, futexes);
    }

    /**
     * Allocates memory at every rank of a communicator, a part at each, and exchanges the addresses of the parts. All
     * ranks call this method.
     *
     * @param communicator the communicator whose ranks share the memory
     * @param sum a function that sums a table over all ranks, element by element. Each rank enters the address of its
     *            own part, so the sum holds the addresses of all parts.
     * @param bytes the size of this rank's part, in bytes
     * @param notifications the number of words of this rank's part that count notifications
     * @param handler a function that creates the handler of other ranks' messages to this rank's part, given the memory
     *            of the part
     * @return the locations of all parts, in the order of ranks
     * @throws NodeMemoryException if the node of any rank has too little memory
     */
    Part[] share(Communicator communicator, Consumer<long[]> sum, long bytes, int notifications,
            Function<MemorySegment, RegionHandler> handler) {
        int rank = communicator.rank();
        long[] table = new long[FIELDS * communicator.size()];
        Part own = null;
        NodeMemoryException failure = null;
        table[FIELDS * rank + BYTES] = bytes;
        table[FIELDS * rank + NOTIFICATIONS] = notifications;
        try {
            own = claim(bytes, notifications, handler);
            table[FIELDS * rank + ADDRESS] = own.address();
            table[FIELDS * rank + HANDLE] = own.handle();
        } catch (NodeMemoryException e) {
            table[FIELDS * rank + FAILED] = 1;
            failure = e;
        }
        boolean shared = false;
        try {
            sum.accept(table);
            if (failure != null) {
                throw new NodeMemoryException(failure.getMessage() + "; the ranks of this node wanted "
                        + Bytes.text(wantedOnNode(communicator, table)) + " together", failure);
            }
            Part[] parts = new Part[communicator.size()];
            for (int each = 0; each < parts.length; each++) {
                int line = FIELDS * each;
                if (table[line + FAILED] != 0) {
                    free(own); // all ranks know of the failure, so no rank uses the part
                    throw new NodeMemoryException(members.describe(rank) + " allocated no memory with the others: "
                            + members.describe(each)
                            + " found too little for its " + Bytes.text(table[line + BYTES]) + "; see its message",
                            null);
                }
                parts[each] = each == rank ? own
                        : new Part(table[line + ADDRESS], table[line + BYTES], (int) table[line + NOTIFICATIONS],
                                table[line + HANDLE]);
            }
            shared = true;
            return parts;
        } finally {
            if (!shared && own != null) {
                revoke(own);
            }
        }
    }

    private static long wantedOnNode(Communicator communicator, long[] table) {
        Topology topology = communicator.topology();
        int here = topology.nodeOf(communicator.rank());
        return IntStream.range(0, topology.size()).filter(rank -> topology.nodeOf(rank) == here)
                .mapToLong(rank -> table[FIELDS * rank + BYTES]).sum();
    }

    private Part claim(long bytes, int notifications, Function<MemorySegment, RegionHandler> handler) {
        long length = PartLayout.bytes(bytes, notifications);
        long address = memory.claim(length, Bytes.text(bytes) + " of remote memory");
        MemorySegment own = memory.block(address, length);
        long handle = fabric == null ? 0 : fabric.register(PartLayout.region(own, bytes), handler.apply(own));
        return new Part(address, bytes, notifications, handle);
    }

    /** Counts an allocation that this rank has opened. */
    void noteOpen() {
        open.incrementAndGet();
    }

    /** Counts an allocation that this rank has closed, with or without the other ranks. */
    void noteClosed() {
        int left = open.decrementAndGet();
        assert left >= 0 : left + " remote memories are open";
    }

    /** Returns the number of remote memories and sets of mutexes that this rank has not closed. */
    int open() {
        return open.get();
    }

    boolean hasEnded() {
        return ended.getAsBoolean();
    }

    /** Revokes a part of this rank, so that other processes can no longer reach it. */
    void revoke(Part own) {
        if (fabric != null) {
            fabric.revoke(own.handle());
        }
    }

    /** Frees a part that no rank uses any more. */
    void free(Part own) {
        memory.release(own.address(), PartLayout.bytes(own.bytes(), own.notifications()));
    }

    SectionTransport fabric() {
        return fabric;
    }

    Members members() {
        return members;
    }

    /** Returns the block of a part of this node. */
    MemorySegment block(Part part) {
        return memory.block(part.address(), PartLayout.bytes(part.bytes(), part.notifications()));
    }

    /** Returns the pool of call states that this rank's threads use for all remote memory of the communicator. */
    synchronized Spares<OneSidedCall> spareCalls(int size, int rank) {
        if (spareCalls == null) {
            spareCalls = new Spares<>(() -> new OneSidedCall(members, rank, size));
        }
        return spareCalls;
    }

    /** Returns the progress that a waiting thread of the rank makes. */
    Waiter.Progress progress() {
        return progress;
    }

    /** Returns the waiter for words that ranks of this node raise. The waiter also wakes ranks that sleep there. */
    Waiter waiter() {
        return waiter;
    }

    /** Returns the waiter for words that another node raises. */
    Waiter answers() {
        return answers;
    }

    /** Returns the record of whether the rank waits for its requests. */
    ProgressPolicy policy() {
        return policy;
    }

    boolean hasCoreForEach() {
        return coreForEach;
    }

    /** Returns a number greater than that of any process with a rank of the communicator. */
    int processesEnd() {
        int last = 0;
        for (int rank = 0; rank < endpoints.size(); rank++) {
            last = Math.max(last, endpoints.process(rank));
        }
        return last + 1;
    }

    /** Returns the number of a rank's process, which is the number of the process's first rank. */
    int process(int rank) {
        return endpoints.process(rank);
    }
}
