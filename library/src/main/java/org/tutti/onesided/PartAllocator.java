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
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;

/**
 * Claims the parts of a rank in its node's memory, tells the other ranks where they are, and takes them back; and knows
 * how a rank reaches the parts of others, and waits for them.
 *
 * <p>Ranks tell each other where their parts are by one allreduce of a table, to which each adds its own line; it is
 * also the barrier after which parts may be used. A rank that has found no memory says so in its line, and all end
 * alike.
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
    private final Waiter waiter;
    private final Waiter answers;
    private final BooleanSupplier ended;
    private final AtomicInteger open = new AtomicInteger();
    private Spares<OneSidedCall> spareCalls;

    /**
     * @param memory the node's memory
     * @param fabric how other nodes are reached, or null when there are none
     * @param members what is known of the ranks' lives
     * @param endpoints how ranks on other nodes are reached; null when there are none
     * @param coreForEach whether every rank of the node has a core of its own
     * @param ended tells whether the rank has left its job: then none of its remote memory can be used any more
     */
    PartAllocator(Memory memory, SectionTransport fabric, Members members, EndpointTable endpoints, boolean coreForEach,
            BooleanSupplier ended) {
        this.memory = memory;
        this.fabric = fabric;
        this.members = members;
        this.endpoints = endpoints;
        this.coreForEach = coreForEach;
        this.ended = ended;
        this.waiter = new Waiter(coreForEach, fabric);
        this.answers = fabric == null ? waiter : Waiter.forAnswers(coreForEach, fabric);
    }

    /**
     * Makes a part at every rank of a communicator, and tells all where they are.
     *
     * @param sum adds up the numbers of all ranks
     * @param handler makes what handles the messages of others to this rank's part, when it knows its block
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
                    free(own); // nobody uses what all know that it was not made
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

    /** What was allocated is there, to be closed. */
    void noteOpen() {
        open.incrementAndGet();
    }

    /** It is closed, together with the other ranks or not. */
    void noteClosed() {
        int left = open.decrementAndGet();
        assert left >= 0 : left + " remote memories are open";
    }

    /** How many remote memories and sets of mutexes this rank has not closed. */
    int open() {
        return open.get();
    }

    boolean hasEnded() {
        return ended.getAsBoolean();
    }

    /** Ends that other processes reach a part of this rank. */
    void revoke(Part own) {
        if (fabric != null) {
            fabric.revoke(own.handle());
        }
    }

    /** Takes a part back that nobody uses any more. */
    void free(Part own) {
        memory.release(own.address(), PartLayout.bytes(own.bytes(), own.notifications()));
    }

    SectionTransport fabric() {
        return fabric;
    }

    Members members() {
        return members;
    }

    /** The block of a part of this node. */
    MemorySegment block(Part part) {
        return memory.block(part.address(), PartLayout.bytes(part.bytes(), part.notifications()));
    }

    /** What the threads of this rank need for calls on all remote memory of the communicator. */
    synchronized Spares<OneSidedCall> spareCalls(int size, int rank) {
        if (spareCalls == null) {
            spareCalls = new Spares<>(() -> new OneSidedCall(members, rank, size));
        }
        return spareCalls;
    }

    /** How a rank waits for words of its node. */
    Waiter waiter() {
        return waiter;
    }

    /** How a rank waits for words that another node raises. */
    Waiter answers() {
        return answers;
    }

    boolean hasCoreForEach() {
        return coreForEach;
    }

    /** Greater than the number of any process that a rank of the communicator is in. */
    int processesEnd() {
        int last = 0;
        for (int rank = 0; rank < endpoints.size(); rank++) {
            last = Math.max(last, endpoints.process(rank));
        }
        return last + 1;
    }

    /** The process of a rank, by its first rank. */
    int process(int rank) {
        return endpoints.process(rank);
    }
}
