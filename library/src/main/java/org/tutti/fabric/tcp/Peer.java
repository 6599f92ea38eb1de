/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.Regions;
import org.tutti.memory.Waiter;

/**
 * Another process, as this one is connected with it: puts the layers together, and drives them for threads that poll
 * and for the service thread. From the wire up, each layer uses the ones before it only:
 *
 * <ol>
 * <li>Frames: {@link Frame}, {@link FrameLayout}, {@link PackedRuns}.
 * <li>Rails take frames apart and write them: {@link Rail} with its {@link Batch} and {@link PayloadTarget}, and
 * {@link RailChoice}, which deals frames to rails.
 * <li>What is remembered of frames: {@link Requests}, {@link RequestServer}, {@link RegionWriter},
 * {@link DeferredFrames}, {@link RetransmitBuffer}, {@link AckCounter}.
 * <li>The {@link Session}: which rails are there, and whether the other process is.
 * <li>The two directions of the protocol: {@link Inbound}, {@link Outbound}.
 * <li>Calls, under the sending lock: {@link SendingSide}, {@link Sender}, {@link Requester}.
 * </ol>
 *
 * <p>None of them knows sockets, a clock or threads, so that tests can run them over wires of their own.
 *
 * <p><b>Numbers and counts.</b> The frames of a direction are numbered 1, 2, 3, …, whatever rails they take. The
 * receiver counts how many have arrived without a gap, and every frame of the other direction carries that count. A
 * frame takes effect (raises its word, is answered) when the count passes it: so effects keep the order of calls, a
 * word is raised only when all frames of its put, and of all earlier ones, have arrived, and a frame that comes twice
 * takes effect once. With one rail, frames arrive in order and take effect as they come. (Active messages do not wait
 * for the count: {@link RegionWriter}. What their handlers cannot do yet is set aside: {@link DeferredFrames}.)
 *
 * <p><b>Memory</b> for each connected process: {@value Rail#IN_BYTES} + {@value Rail#OUT_BYTES} bytes a rail, and
 * {@value FrameLayout#PAYLOAD_BYTES_MAX} more a rail once it has sent an active message or packed runs; at most
 * {@value DeferredFrames#BYTES_MAX} more while messages are deferred;
 * {@value Requests#PLACES} · {@value FrameLayout#REQUEST_BYTES_MAX} more once it has asked for packed runs; with
 * several rails {@value RetransmitBuffer#BYTES} bytes and {@value RetransmitBuffer#FRAMES_MAX} frame headers more.
 * They are given back when that process is gone.
 *
 * <p><b>Memory ordering.</b> A payload is written, by the kernel or by a plain copy, by the thread that then raises the
 * word with release order, or before that by another thread under the same receiving lock.
 */
final class Peer {
    private final Session session;
    private final Waiter.Progress progress;
    private final RailChoice choice;
    private final RequestServer server;
    private final Inbound inbound;
    private final Outbound outbound;
    private final SendingSide sending;
    private final Sender sender;
    private final Requester requester;
    private volatile long silentNanos;
    private volatile int missingBytes;
    private volatile String hindrance;

    /**
     * @param process the first rank of the other process
     * @param regions what it may address here
     * @param listener is told what it tells
     * @param refusals counts what was refused
     * @param progress takes in what arrives, from all processes, while a call waits
     * @param choice which rail takes what
     * @param arena for a few words
     */
    Peer(int process, Regions regions, FabricListener listener, AtomicLong refusals, Waiter.Progress progress,
            RailChoice choice, Arena arena) {
        this.progress = progress;
        this.choice = choice;
        this.server = new RequestServer(regions);
        Requests requests = new Requests(arena);
        AckCounter acks = new AckCounter(arena);
        this.session = new Session(process, listener, progress, refusals, acks, requests);
        this.inbound = new Inbound(session, requests, server, new RegionWriter(regions, refusals), acks, choice,
                refusals);
        this.outbound = new Outbound(session, regions, acks, server, inbound, refusals, choice);
        this.sending = new SendingSide(session, outbound, progress);
        this.sender = new Sender(session, sending, outbound, acks);
        this.requester = new Requester(session, sending, outbound, requests, inbound);
    }

    int process() {
        return session.process();
    }

    /** What sends puts, accumulates, fences and news to it. */
    Sender sender() {
        return sender;
    }

    /** What asks it for bytes and atomic operations. */
    Requester requester() {
        return requester;
    }

    // ---- life

    /** Makes the buffers of a connection, unless they are there: before the other side may take it for open. */
    void prepare(int count) {
        session.prepare(count);
    }

    /** Begins: these are the rails, all of them, in the same order on both sides. */
    void connect(Wire[] wires) {
        sending.lock();
        session.receiving().lock();
        try {
            if (session.begin(wires, inbound)) {
                choice.connect(session.rails());
                inbound.connect(session.rails());
                outbound.connect(session.rails(), session.retransmits());
                session.open();
            }
        } finally {
            session.receiving().unlock();
            sending.unlock();
        }
    }

    /** Gives the buffers back if the process is gone and nobody uses them; the same thread calls this and connects. */
    void release() {
        if (session.hasLeftovers() && !isHolding() && sending.tryLock()) {
            try {
                if (session.receiving().tryLock()) {
                    try {
                        session.release();
                        choice.connect(session.rails());
                        inbound.connect(session.rails());
                        outbound.connect(session.rails(), null);
                        server.release();
                    } finally {
                        session.receiving().unlock();
                    }
                }
            } finally {
                sending.unlock();
            }
        }
    }

    boolean isConnected() {
        return session.isConnected();
    }

    /** Whether something can be sent to it. */
    boolean isOpen() {
        return session.isOpen();
    }

    /** Whether nothing can be sent to it any more. */
    boolean isGone() {
        return session.isGone();
    }

    /** Whether a good-bye was said, by either side, or the process is gone. */
    boolean isEnding() {
        return session.isEnding();
    }

    /** Why the process is gone, in one clause; empty if it is not. */
    String whyLost() {
        return session.whyLost();
    }

    /** Takes note that the process cannot be reached, or has left. */
    void lose(Loss loss, String reason) {
        session.lose(loss, reason);
    }

    /** Says why this process cannot connect with the other one, which is not to blame. */
    void hinder(String reason) {
        hindrance = reason;
    }

    /** What was said so since this was last asked, or null. */
    String takeHindrance() {
        String reason = hindrance;
        hindrance = null;
        return reason;
    }

    /** How many rails it is connected by, lost ones too. */
    int railsInAll() {
        return session.rails().length;
    }

    Rail rail(int index) {
        return session.rails()[index];
    }

    /** A lost rail has a new wire. */
    void bringBack(int index, Wire wire) {
        session.bringBack(index, wire);
        sending.pump();
    }

    /**
     * Asks on rails that were silent whether the other side is there, and gives up those that are silent for too long
     * while others are heard: as long as none is, the process may stand still, and no rail is to blame.
     *
     * @param elapsedNanos since the last look, but not more than this process was surely awake
     * @param limitNanos how long a rail may be silent
     * @return for how long nothing was heard on any rail
     */
    long look(long elapsedNanos, long limitNanos) {
        boolean anyHeard = false;
        for (Rail rail : session.rails()) {
            boolean heard = rail.wasHeard();
            anyHeard |= heard;
            if (heard || rail.isLost()) {
                rail.silentNanos = 0;
            } else {
                rail.askCount(true); // a call that waits with the lock held sends it, or the pump does
            }
            if (inbound.isAnyDeferred() && !rail.isLost()) {
                rail.oweCount(true); // a rail that holds a frame is not read, and the other side may have asked
            }
        }
        silentNanos = anyHeard ? 0 : silentNanos + elapsedNanos;
        for (Rail rail : session.rails()) {
            rail.silentNanos += anyHeard ? elapsedNanos : 0;
            if (rail.silentNanos > limitNanos && !rail.isLost()) {
                session.loseRail(rail, "nothing was heard from it for " + limitNanos / 1_000_000 + " ms");
            }
        }
        sending.pump();
        return silentNanos;
    }

    /** For how long nothing was heard of the process when that was last looked at. */
    long silentNanos() {
        return silentNanos;
    }

    // ---- sending, for the service thread and whoever polls

    /** Whether there is something to send that nobody is about to send. */
    boolean wantsToSend() {
        return sending.isWanted();
    }

    /** Sends what is there to send, without waiting. */
    void pump() {
        sending.pump();
    }

    /** Whether somebody sends, or takes in what has arrived. */
    boolean isInUse() {
        return sending.isLocked() || session.receiving().isLocked();
    }

    // ---- receiving

    /**
     * Takes in what has arrived, unless somebody else is doing so.
     *
     * @return whether anything had
     */
    boolean poll() {
        boolean any = false;
        if ((session.isOpen() || isHolding()) && session.receiving().tryLock()) {
            long awaited = inbound.awaited();
            try {
                for (Rail rail : session.rails()) {
                    any |= session.receive(rail);
                }
                if (isHolding()) {
                    any |= session.retry();
                }
            } finally {
                boolean wasAwaited = inbound.awaited() > awaited;
                if (any) {
                    noteMissing();
                }
                session.receiving().unlock();
                if (wasAwaited) {
                    progress.arrived();
                }
            }
        }
        sending.pump();
        return any;
    }

    /** Written only when it changes: most frames arrive whole. */
    private void noteMissing() {
        int most = 0;
        for (Rail rail : session.rails()) {
            most = Math.max(most, rail.missingBytes());
        }
        if (most != missingBytes) {
            missingBytes = most;
        }
    }

    /** How many bytes have not arrived of a frame that has begun to, the longest of the rails'. */
    int missingBytes() {
        return isGone() ? 0 : missingBytes;
    }

    /** Whether frames have arrived that have to be tried again, by a poll. */
    boolean isHolding() {
        return inbound.isAnyDeferred() && session.isHeeded();
    }

    /** Waits until nobody uses a region that has just been revoked, and lets go of it. */
    void settle() {
        session.receiving().lock();
        try {
            for (Rail rail : session.rails()) {
                rail.forgetRevoked();
            }
        } finally {
            session.receiving().unlock();
        }
        sending.lock();
        sending.unlock();
    }
}
