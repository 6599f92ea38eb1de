/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.Regions;
import org.tutti.memory.Waiter;

/**
 * Another process, as this process sees it. A peer assembles the layers of the connection between the two processes.
 * Polling threads and the service thread drive the layers through the peer. From the wire up, each layer uses only the
 * layers before it:
 *
 * <ol>
 * <li>Frames: {@link Frame}, {@link FrameLayout}, {@link PackedRuns}.
 * <li>Rails, which parse and write frames: {@link Rail} with its {@link Batch} and {@link PayloadTarget}, and {@link
 * RailChoice}, which distributes frames over rails. A rail is one of the parallel TCP connections of the two processes.
 * <li>State of unfinished frames and requests: {@link Requests}, {@link RequestServer}, {@link RegionWriter}, {@link
 * DeferredFrames}, {@link RetransmitBuffer}, {@link AckCounter}.
 * <li>The {@link Session}: the rails, and whether the other process is connected or gone.
 * <li>The two directions of the protocol: {@link Inbound}, {@link Outbound}.
 * <li>Calls, under the sending lock: {@link SendingSide}, {@link Sender}, {@link Requester}.
 * </ol>
 *
 * <p>No layer knows sockets, clocks or threads, so tests can run the layers over wires of their own.
 *
 * <p><b>Numbers and counts.</b> The frames of a direction are numbered 1, 2, 3, …, independent of the rails that they
 * take. The receiver counts the frames that have arrived without a gap, and every frame of the other direction carries
 * this count as an ack. A frame takes effect (for example, raises its word or is answered) when the count passes it.
 * Effects therefore keep the order of calls. A word is raised only when all frames of its put, and of all earlier puts,
 * have arrived, and a frame that arrives twice takes effect once. With one rail, frames arrive in order and take effect
 * as they arrive. Active messages are an exception and do not wait for the count ({@link RegionWriter}). Messages that
 * their handler cannot handle yet are deferred ({@link DeferredFrames}).
 *
 * <p><b>Memory.</b> Each connected process needs the following memory, which is released when that process is gone:
 *
 * <ul>
 * <li>{@value Rail#IN_BYTES} + {@value Rail#OUT_BYTES} bytes for each rail. {@value FrameLayout#DIRECT_BYTES_MAX} bytes
 * take the place of the latter once a call has ended amid a long frame.
 * <li>{@value FrameLayout#PAYLOAD_BYTES_MAX} bytes for each rail over which that process has sent an active message or
 * packed runs.
 * <li>At most {@value DeferredFrames#BYTES_MAX} bytes while messages are deferred.
 * <li>{@value Requests#ENTRIES} · {@value FrameLayout#REQUEST_BYTES_MAX} bytes once that process has asked for packed
 * runs.
 * <li>{@value RetransmitBuffer#BYTES} bytes and {@value RetransmitBuffer#FRAMES_MAX} frame headers if there are several
 * rails.
 * </ul>
 *
 * <p><b>Memory ordering.</b> A thread that holds the receiving lock writes a payload, either through the kernel or with
 * a plain copy. The same thread, or a later holder of that lock, then raises the word with release order. A thread that
 * loads the word with acquire order therefore sees the payload.
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
    private volatile boolean readable;
    private volatile long silentNanos;
    private volatile int missingBytes;
    private volatile String hindrance;

    /**
     * Creates the peer of a process that is not connected.
     *
     * @param process the first rank of the other process
     * @param regions the regions of this process
     * @param listener receives the events of the other process
     * @param refusals counts refused accesses
     * @param progress polls all processes while a call waits
     * @param choice chooses the rails for frames
     * @param arena the arena of a few words for which threads wait
     */
    Peer(int process, Regions regions, FabricListener listener, AtomicLong refusals, Waiter.Progress progress,
            RailChoice choice, Arena arena) {
        this.progress = progress;
        this.choice = choice;
        this.server = new RequestServer(regions);
        Requests requests = new Requests(arena);
        AckCounter acks = new AckCounter(arena);
        this.session = new Session(process, listener, progress, refusals, acks, requests);
        this.inbound =
                new Inbound(session, requests, server, new RegionWriter(process, regions, listener, refusals), acks,
                        choice,
                        refusals);
        this.outbound = new Outbound(session, regions, acks, server, inbound, refusals, choice);
        this.sending = new SendingSide(session, outbound, progress);
        this.sender = new Sender(session, sending, outbound, acks);
        this.requester = new Requester(session, sending, outbound, requests, inbound);
    }

    int process() {
        return session.process();
    }

    /** Returns the sender, which executes the calls that send puts, active messages, fences and news to the process. */
    Sender sender() {
        return sender;
    }

    /** Returns the requester, which executes the calls that request bytes and atomic operations from the process. */
    Requester requester() {
        return requester;
    }

    // ---- life

    /**
     * Creates the rails and buffers of a connection, unless they exist. Must be called before the other side may
     * consider the connection open.
     */
    void prepare(int count) {
        session.prepare(count);
    }

    /**
     * Begins to use the wires of a new connection.
     *
     * @param wires the wires of all rails, in the same order on both sides
     */
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

    /** Releases the buffers if the process is gone and no thread uses them. Called by the service thread. */
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

    /** Returns whether frames can be sent to the process. */
    boolean isOpen() {
        return session.isOpen();
    }

    /** Returns whether the process is gone, so that nothing can be sent to it any more. */
    boolean isGone() {
        return session.isGone();
    }

    /** Returns whether either side has said good-bye, or the process is gone. */
    boolean isEnding() {
        return session.isEnding();
    }

    /** Returns why the process is gone, in one clause; empty if it is not. */
    String whyLost() {
        return session.whyLost();
    }

    /** Notes that the process cannot be reached, or has left. */
    void lose(Loss loss, String reason) {
        session.lose(loss, reason);
    }

    /** Notes the reason why this process itself cannot connect with the other one. */
    void hinder(String reason) {
        hindrance = reason;
    }

    /** Returns and clears the reason that {@link #hinder} has noted. Returns null if there is none. */
    String takeHindrance() {
        String reason = hindrance;
        hindrance = null;
        return reason;
    }

    /** Returns the number of rails, which includes lost rails. */
    int railsInAll() {
        return session.rails().length;
    }

    Rail rail(int index) {
        return session.rails()[index];
    }

    /** Gives a lost rail a new wire. */
    void bringBack(int index, Wire wire) {
        session.bringBack(index, wire);
        sending.pump();
    }

    /**
     * Requests an ack on the rails that were silent, and loses the rails that have been silent for too long while other
     * rails are heard. If no rail is heard, the process may stand still, and no rail is to blame.
     *
     * @param elapsedNanos the time in nanoseconds since the last call, at most the time for which this process was
     *            surely awake
     * @param limitNanos the longest time for which a rail may be silent, in nanoseconds
     * @return the time in nanoseconds for which nothing was heard on any rail
     */
    long look(long elapsedNanos, long limitNanos) {
        boolean anyHeard = false;
        for (Rail rail : session.rails()) {
            boolean heard = rail.wasHeard();
            anyHeard |= heard;
            if (heard || rail.isLost()) {
                rail.silentNanos = 0;
            } else {
                rail.askAck(true); // sent by the pump, or by a call that waits with the lock held
            }
            if (inbound.isAnyDeferred() && !rail.isLost()) {
                rail.oweAck(true); // a rail that holds a frame is not read; the other side may have asked there
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

    /** Returns the time in nanoseconds for which the process had been silent at the last call of {@link #look}. */
    long silentNanos() {
        return silentNanos;
    }

    // ---- sending, for the service thread and polling threads

    /** Returns whether there is something to send. */
    boolean wantsToSend() {
        return sending.isWanted();
    }

    /** Sends as much as is possible without waiting. */
    void pump() {
        sending.pump();
    }

    /** Returns whether a thread is sending to the process, or taking in its frames. */
    boolean isInUse() {
        return sending.isLocked() || session.receiving().isLocked();
    }

    // ---- receiving

    /**
     * Takes in the frames that have arrived, unless another thread is doing so.
     *
     * @return whether any bytes had arrived, or a deferred frame has taken effect
     */
    boolean poll() {
        boolean any = false;
        if ((session.isOpen() || isHolding()) && session.receiving().tryLock()) {
            long awaited = inbound.awaited();
            readable = false; // before the reads, because a thread that looks meanwhile may have found later bytes
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

    /** Notes that bytes have arrived from the process. */
    void markReadable() {
        readable = true;
    }

    /**
     * Does the same as {@link #poll} if bytes are known to have arrived, or frames are deferred or held. Otherwise this
     * method only sends as much as is possible without waiting.
     */
    boolean pollIfReadable() {
        if (readable || isHolding()) {
            return poll();
        }
        sending.pump();
        return false;
    }

    /**
     * Notes the number of missing bytes. Most frames arrive whole, so the volatile field is written only if the number
     * has changed.
     */
    private void noteMissing() {
        int most = 0;
        for (Rail rail : session.rails()) {
            most = Math.max(most, rail.missingBytes());
        }
        if (most != missingBytes) {
            missingBytes = most;
        }
    }

    /**
     * Returns the number of bytes that are missing from a frame that has begun to arrive. If several rails have such a
     * frame, the result is the largest number; 0 if none has.
     */
    int missingBytes() {
        return isGone() ? 0 : missingBytes;
    }

    /**
     * Returns whether frames are deferred or held, so that a poll must try them again. A held frame may stay in the
     * buffer of its rail after all deferred frames have taken effect, and no selector reports it.
     */
    boolean isHolding() {
        return (inbound.isAnyDeferred() || session.isHolding()) && session.isHeeded();
    }

    /**
     * Waits until no thread uses a region that has been revoked, and forgets the region. A thread that takes in frames
     * uses regions under the receiving lock, and a thread that sends replies uses them under the reading lock of {@link
     * Outbound}. A holder of either lock waits neither for room nor for an answer. This method therefore returns soon,
     * even if the other process stands still.
     */
    void settle() {
        session.receiving().lock();
        try {
            for (Rail rail : session.rails()) {
                rail.forgetRevoked();
            }
        } finally {
            session.receiving().unlock();
        }
        outbound.awaitReads();
    }
}
