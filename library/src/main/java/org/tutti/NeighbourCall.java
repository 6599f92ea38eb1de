/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.List;

/**
 * A prepared call between a rank and its neighbours. Each run starts all receives, and then all sends. The receives are
 * first, so that blocks go straight into the target.
 */
final class NeighbourCall implements PreparedCall {
    /** The receive of a block that has a number of elements. */
    record Receive(PreparedReceive call, int block, long count) {}

    private final NeighbourCalls calls;
    private final int rank;
    private final List<Receive> receives;
    private final List<PreparedCall> sends;
    private @Nullable Request latest;

    NeighbourCall(NeighbourCalls calls, int rank, List<Receive> receives, List<PreparedCall> sends) {
        this.calls = calls;
        this.rank = rank;
        this.receives = receives;
        this.sends = sends;
    }

    @Override
    public void run() {
        try {
            start().await();
        } catch (CallInterruptedException interrupt) {
            calls.breakOff(interrupt);
            throw interrupt;
        }
    }

    @Override
    public synchronized Request start() {
        if (latest != null && !latest.isDone()) {
            throw new IllegalStateException("rank " + rank + " started a prepared call between neighbours that is in "
                    + "flight; await it first, or prepare another one");
        }
        calls.checkUsable(); // after the question whether the latest run has ended, which may find that it has failed
        latest = startAll();
        return latest;
    }

    private Request startAll() {
        ReceiveRequest[] received = new ReceiveRequest[receives.size()];
        Request[] requests = new Request[receives.size() + sends.size()];
        int started = 0;
        try {
            for (Receive receive : receives) {
                received[started] = receive.call.start();
                requests[started] = received[started];
                started++;
            }
            for (PreparedCall send : sends) {
                requests[started++] = send.start();
            }
        } catch (RuntimeException failure) {
            calls.breakOff(failure);
            throw failure;
        }
        return new AllRequests(requests, () -> checkCounts(received), calls::breakOff);
    }

    private void checkCounts(ReceiveRequest[] received) {
        for (int i = 0; i < received.length; i++) {
            Receive receive = receives.get(i);
            Message message = received[i].message();
            if (message.count() != receive.count) {
                throw new MessageMismatchException("rank " + rank + " has received " + message.count()
                        + " elements from its neighbour, rank " + message.source() + ", in block " + receive.block
                        + ", which has " + receive.count + "; give the block one length at both ranks");
            }
        }
    }
}
