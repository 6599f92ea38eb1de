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
 * Tells ranks that they hold the mutex that they have waited for, by the WAKE word of their own part. On other nodes
 * that is a put without bytes. A thread that takes in what arrives must not call the fabric; it leaves that to a
 * virtual thread. There is one at a time for a mutex at most, as a mutex is given to one rank at a time.
 */
final class MutexWaker {
    private final PartAllocator allocator;
    private final Topology topology;
    private final int rank;
    private final Waiter.Check check;
    private final CompletableFuture<PutTarget[]> shared = new CompletableFuture<>();
    private final MemorySegment[] near;

    /**
     * @param allocator knows the fabric and the node's memory
     * @param topology which ranks are on this node
     * @param rank this rank
     * @param check ends a put that waits for room
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

    /** All parts are known: others may have begun to use them a little earlier. */
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

    /** The parts were not made. */
    void fail(RuntimeException failure) {
        shared.completeExceptionally(failure);
    }

    /** The mutexes of a rank on this node. */
    MemorySegment near(int other) {
        return near[other];
    }

    /** For threads that run a program. */
    void wake(int other) {
        if (isNear(other)) {
            Words.add(near[other], MutexLayout.WAKE, 1);
            return;
        }
        Transport fabric = allocator.fabric();
        // nobody to wake when its process is gone: those who wait notice that
        fabric.put(shared.join()[other], MemorySegment.NULL, 0, 0, check);
        fabric.flush();
    }

    /** For threads that take in what arrives. */
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
        } catch (RuntimeException e) { // the rank that waits has learnt of that as well
            System.getLogger(MutexWaker.class.getName()).log(System.Logger.Level.DEBUG, "rank " + other
                    + " was not told that it holds a mutex", e);
        }
    }
}
