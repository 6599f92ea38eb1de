/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

import org.tutti.fabric.Loss;

/**
 * The other processes of a job, by their first ranks, and an array of those with which this process is or was
 * connected.
 *
 * <p>Any thread may get a peer; the first one creates it. Only the service thread adds a peer to the array, which it
 * replaces by a new one. Threads therefore read the array without a lock. A peer is added before it is connected, so a
 * thread that sees a peer connected also finds it in the array.
 */
final class Peers {
    private static final int PEERS_PER_POLL = 8;

    private final AtomicReferenceArray<Peer> peers;
    private final IntFunction<Peer> maker;
    private volatile Peer[] connected = {};
    private volatile int turn;

    /** @param maker creates the peer of a process; if two threads create it, one of the two objects is dropped */
    Peers(int size, IntFunction<Peer> maker) {
        this.peers = new AtomicReferenceArray<>(size);
        this.maker = maker;
    }

    boolean isProcess(int process) {
        return process >= 0 && process < peers.length();
    }

    Peer get(int process) {
        Peer peer = peers.get(process);
        if (peer == null) {
            peers.compareAndSet(process, null, maker.apply(process));
            peer = peers.get(process);
        }
        return peer;
    }

    /** Returns the processes that are connected, are about to be, or were connected before they were gone. */
    Peer[] connected() {
        return connected;
    }

    void addConnected(Peer peer) {
        Peer[] more = Arrays.copyOf(connected, connected.length + 1);
        more[connected.length] = peer;
        connected = more;
    }

    /**
     * Takes in the frames of all connected processes, or of the next few if there are many.
     *
     * @return whether anything had arrived
     */
    boolean poll() {
        Peer[] current = connected;
        boolean any = false;
        if (current.length <= PEERS_PER_POLL) {
            for (Peer peer : current) {
                any |= peer.poll();
            }
        } else {
            int from = turn;
            turn = (from + PEERS_PER_POLL) % current.length;
            for (int i = 0; i < PEERS_PER_POLL; i++) {
                any |= current[(from + i) % current.length].poll();
            }
        }
        return any;
    }

    /** Sends to each of them as much as is possible without waiting. */
    void pump() {
        for (Peer peer : connected) {
            peer.pump();
        }
    }

    /** Returns whether a thread is sending to one of them, or taking in its frames. */
    boolean isAnyInUse() {
        for (Peer peer : connected) {
            if (peer.isInUse()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the number of bytes that are missing from a frame that has begun to arrive; the largest of all processes'
     * numbers.
     */
    int missingBytes() {
        int most = 0;
        for (Peer peer : connected) {
            most = Math.max(most, peer.missingBytes());
        }
        return most;
    }

    /** Tries their deferred frames again; returns whether some are still deferred. */
    boolean tryAgain() {
        boolean any = false;
        for (Peer peer : connected) {
            if (peer.isHolding()) {
                peer.poll();
                any |= peer.isHolding();
            }
        }
        return any;
    }

    /** Frees the buffers of the processes that are gone. */
    void release() {
        for (int process = 0; process < peers.length(); process++) {
            Peer peer = peers.get(process);
            if (peer != null) {
                peer.release();
            }
        }
    }

    /** Loses all connected processes. */
    void lose(String reason) {
        for (Peer peer : connected) {
            peer.lose(Loss.ENDED, reason);
        }
    }
}
