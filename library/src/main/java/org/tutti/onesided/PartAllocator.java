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
 * Claims the parts of a rank in its node's memory, tells the other ranks where they are, and frees them. It also has
 * the means by which a rank reaches the parts of others, and waits.
 *
 * <p>The ranks tell each other where their parts are by one allreduce of a table, in which each rank fills in its own
 * line. The allreduce is also the barrier after which parts may be used. A rank that has found too little memory says
 * so in its line, and the call then fails at all ranks.
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
     * @param fabric the transport to other nodes, or null with one node
     * @param members the states of the ranks
     * @param endpoints the endpoints of ranks on other nodes, or null with one node
     * @param coreForEach whether every rank of the node has a core of its own
     * @param ended tells whether the rank has left its job; after that its remote memory cannot be used any more
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
     * Makes a part at every rank of a communicator, and tells all ranks where the parts are.
     *
     * @param sum adds up the numbers of all ranks
     * @param handler makes the handler of other ranks' messages to this rank's part, from the part's block
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

    /** Counts an allocation that is open. */
    void noteOpen() {
        open.incrementAndGet();
    }

    /** Counts an allocation that is closed, with or without the other ranks. */
    void noteClosed() {
        int left = open.decrementAndGet();
        assert left >= 0 : left + " remote memories are open";
    }

    /** The number of remote memories and sets of mutexes that this rank has not closed. */
    int open() {
        return open.get();
    }

    boolean hasEnded() {
        return ended.getAsBoolean();
    }

    /** Revokes a part of this rank, so that other processes cannot reach it any more. */
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

    /** The block of a part of this node. */
    MemorySegment block(Part part) {
        return memory.block(part.address(), PartLayout.bytes(part.bytes(), part.notifications()));
    }

    /** The pool of call states for calls of this rank's threads on all remote memory of the communicator. */
    synchronized Spares<OneSidedCall> spareCalls(int size, int rank) {
        if (spareCalls == null) {
            spareCalls = new Spares<>(() -> new OneSidedCall(members, rank, size));
        }
        return spareCalls;
    }

    /** The waiter for words of this node. */
    Waiter waiter() {
        return waiter;
    }

    /** The waiter for words that another node raises. */
    Waiter answers() {
        return answers;
    }

    boolean hasCoreForEach() {
        return coreForEach;
    }

    /** A number greater than that of any process with a rank of the communicator. */
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
