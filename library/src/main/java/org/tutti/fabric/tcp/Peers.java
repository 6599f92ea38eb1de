/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

import org.tutti.fabric.Loss;

/**
 * The other processes of a job, by their first ranks, and those among them that this one is or was connected with.
 *
 * <p>Any thread may ask for a peer, which is made by the first who does. The service thread alone adds to the connected
 * ones, and puts a new array in the place of the old: so whoever goes through them needs no lock, and whoever sees a
 * peer among them sees it connected.
 */
final class Peers {
    private static final int PEERS_PER_POLL = 8;

    private final AtomicReferenceArray<Peer> peers;
    private final IntFunction<Peer> maker;
    private volatile Peer[] connected = {};
    private volatile int turn;

    /** @param maker makes the peer of a process; perhaps one too many, of which nothing is heard then */
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

    /** Those that are connected, are about to be, or were before they were gone. */
    Peer[] connected() {
        return connected;
    }

    void addConnected(Peer peer) {
        Peer[] more = Arrays.copyOf(connected, connected.length + 1);
        more[connected.length] = peer;
        connected = more;
    }

    /**
     * Takes in what has arrived of all connected processes, or of the next few of many.
     *
     * @return whether anything had
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

    /** Sends what is there to send, without waiting. */
    void pump() {
        for (Peer peer : connected) {
            peer.pump();
        }
    }

    /** Whether somebody sends to one of them, or takes in what has arrived. */
    boolean isAnyInUse() {
        for (Peer peer : connected) {
            if (peer.isInUse()) {
                return true;
            }
        }
        return false;
    }

    /** How many bytes have not arrived of frames that have begun to, the longest of all. */
    int missingBytes() {
        int most = 0;
        for (Peer peer : connected) {
            most = Math.max(most, peer.missingBytes());
        }
        return most;
    }

    /** Tries again what they hold; returns whether they still do. */
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

    /** Gives the buffers of those back that are gone. */
    void release() {
        for (int process = 0; process < peers.length(); process++) {
            Peer peer = peers.get(process);
            if (peer != null) {
                peer.release();
            }
        }
    }

    /** None of the connected processes is to be reached any more. */
    void lose(String reason) {
        for (Peer peer : connected) {
            peer.lose(Loss.ENDED, reason);
        }
    }
}
