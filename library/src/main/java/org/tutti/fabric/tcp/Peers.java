/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

import org.tutti.fabric.Loss;

/**
 * The peers of this process, objects that stand for the other processes of the job. A peer is found by the first rank
 * of its process. One array holds all peers, and a second array only the peers with which this process is or was
 * connected.
 *
 * <p>Any thread may get a peer, and the first such thread creates it. Only the service thread adds a peer to the second
 * array, by replacing the array with a longer one. Threads therefore read the array without a lock. A peer is added
 * before it is connected, so a thread that sees a connected peer also finds it in the array.
 */
final class Peers {
    private final AtomicReferenceArray<Peer> peers;
    private final IntFunction<Peer> maker;
    private volatile Peer[] connected = {};

    /**
     * Creates the table of the peers of this process. A peer is created when it is first used.
     *
     * @param size the number of ranks of the job
     * @param maker creates the peer of a process; if two threads create it, one of the two objects is dropped
     */
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

    /**
     * Returns the peers that are connected, are about to be connected, or were connected before their processes were
     * gone.
     */
    Peer[] connected() {
        return connected;
    }

    void addConnected(Peer peer) {
        Peer[] more = Arrays.copyOf(connected, connected.length + 1);
        more[connected.length] = peer;
        connected = more;
    }

    /**
     * Takes in the frames that have arrived from connected processes, and sends to each of them as much as is possible
     * without waiting. The connection with a single process is read without a look, which saves a system call. All
     * connections are read if no look is possible, because the thread that is looking may lack a core.
     *
     * @return whether anything had arrived
     */
    boolean poll(Arrivals arrivals) {
        Peer[] current = connected;
        if (current.length == 1) {
            return current[0].poll();
        }
        boolean any = false;
        if (current.length > 1) {
            boolean looked = arrivals.look();
            for (Peer peer : current) {
                any |= looked ? peer.pollIfReadable() : peer.poll();
            }
        }
        return any;
    }

    /** Sends to each connected process as much as is possible without waiting. */
    void pump() {
        for (Peer peer : connected) {
            peer.pump();
        }
    }

    /** Returns whether there is something to send to a connected process. */
    boolean isAnyToSend() {
        for (Peer peer : connected) {
            if (peer.wantsToSend()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a thread is sending to a connected process, or taking in its frames. */
    boolean isAnyInUse() {
        for (Peer peer : connected) {
            if (peer.isInUse()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the number of bytes that are missing from a frame that has begun to arrive. If several frames have begun
     * to arrive, the result is the largest such number. If none has, the result is 0.
     */
    int missingBytes() {
        int most = 0;
        for (Peer peer : connected) {
            most = Math.max(most, peer.missingBytes());
        }
        return most;
    }

    /** Tries the deferred and held frames of all processes again. Returns whether there are any afterwards. */
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

    /** Releases the buffers of the processes that are gone. */
    void release() {
        for (int process = 0; process < peers.length(); process++) {
            Peer peer = peers.get(process);
            if (peer != null) {
                peer.release();
            }
        }
    }

    /**
     * Loses all connected processes.
     *
     * @param reason the reason, one clause
     */
    void lose(String reason) {
        for (Peer peer : connected) {
            peer.lose(Loss.ENDED, reason);
        }
    }
}
