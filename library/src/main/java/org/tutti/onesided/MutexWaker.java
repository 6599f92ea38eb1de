/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

import org.tutti.Topology;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Transport;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * Wakes a rank that sleeps until it is given a mutex, by raising the WAKE word in that rank's memory. If the rank is on
 * another node, a put without data raises the word. A thread that receives messages must not send such a put itself, so
 * it starts a virtual thread for it. There is at most one such thread for a mutex, because a mutex is given to one rank
 * at a time.
 */
final class MutexWaker {
    private final PartAllocator allocator;
    private final Topology topology;
    private final int rank;
    private final Waiter.Check check;
    private final CompletableFuture<PutTarget[]> shared = new CompletableFuture<>();
    private final MemorySegment[] near;

    /**
     * Creates the waker with which a rank wakes ranks that wait for a mutex.
     *
     * @param allocator the access to the fabric and the node's memory
     * @param topology the nodes on which the ranks run
     * @param rank the rank that wakes others
     * @param check decides whether a put that waits for room in a send buffer must end
     */
    MutexWaker(PartAllocator allocator, Topology topology, int rank, Waiter.Check check) {
        this.allocator = allocator;
        this.topology = topology;
        this.rank = rank;
        this.check = check;
        this.near = new MemorySegment[topology.size()];
    }

    boolean isNear(int other) {
        return topology.nodeOf(other) == topology.nodeOf(rank);
    }

    /** Sets the parts of all ranks. Other ranks may already have begun to use the mutexes. */
    void complete(Part[] parts) {
        PutTarget[] far = new PutTarget[parts.length];
        for (int other = 0; other < parts.length; other++) {
            if (isNear(other)) {
                near[other] = PartLayout.data(allocator.block(parts[other]), parts[other].bytes());
            } else {
                far[other] = new PutTarget().at(allocator.process(other), parts[other].handle(), 0)
                        .add(MutexLayout.WAKE, 1);
            }
        }
        shared.complete(far);
    }

    /** Records that the parts could not be created. */
    void fail(RuntimeException failure) {
        shared.completeExceptionally(failure);
    }

    /** Returns the memory of the mutexes of a rank on this node. */
    MemorySegment near(int other) {
        return near[other];
    }

    /** Wakes a rank. A thread that runs a program may call this method. */
    void wake(int other) {
        if (isNear(other)) {
            Words.add(near[other], MutexLayout.WAKE, 1);
            allocator.waiter().wake(near[other], MutexLayout.WAKE);
            return;
        }
        Transport fabric = allocator.fabric();
        // the result is ignored: if the process is gone, no rank there waits, and other waiting ranks notice it
        fabric.put(shared.join()[other], MemorySegment.NULL, 0, 0, check);
        fabric.flush();
    }

    /** Wakes a rank. A thread that receives messages may call this method. */
    void wakeFromFabric(int other) {
        if (shared.isDone() && isNear(other)) {
            wake(other);
        } else {
            Thread.ofVirtual().name("tutti mutex of rank " + rank).start(() -> wakeWhenShared(other));
        }
    }

    private void wakeWhenShared(int other) {
        try {
            shared.join();
            wake(other);
        } catch (RuntimeException e) { // the waiting rank has learnt of the failure as well
            System.getLogger(MutexWaker.class.getName()).log(System.Logger.Level.DEBUG, "rank " + other
                    + " was not told that it holds a mutex", e);
        }
    }
}
