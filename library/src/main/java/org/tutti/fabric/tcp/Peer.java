/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Farewell;
import org.tutti.fabric.Loss;
import org.tutti.fabric.Regions;
import org.tutti.memory.Waiter;

/**
 * Another process, as this one is connected with it: the life of the connection, from its buffers to its loss, and what
 * arrives. Its {@link Sender} and {@link Requester} have the calls, {@link Departures} and {@link Arrivals} the two
 * directions of the protocol. All of them know no sockets, no clock and no threads, so that tests can run them over
 * wires of their own.
 *
 * <p><b>Numbers and counts.</b> The frames of a direction are numbered 1, 2, 3, …, whatever rails they take. The
 * receiver counts how many have arrived without a gap, and every frame of the other direction carries that count. A
 * frame takes effect (raises its word, is answered) when the count passes it: so effects keep the order of calls, a
 * word is raised only when all frames of its put, and of all earlier ones, have arrived, and a frame that comes twice
 * takes effect once. With one rail, frames arrive in order and take effect as they come. (Accumulates do not wait for
 * the count: {@link Deliveries}.)
 *
 * <p><b>Losing a rail.</b> With several rails, frames are kept until they are counted. When a rail is lost, those of
 * its frames that are not counted go again on the others. When the last rail is lost, so is the other process. News and
 * the good-bye go on all rails that have room: who says them may be gone before a rail that has died silently is lost.
 *
 * <p><b>A rail that comes back.</b> A lost rail can be given a new wire. Each side begins to use it when it has both
 * locks and no frame of that rail is held; what arrives before that stays in the wire. Nothing is lost: all that this
 * side has sent on the old wire, and the other side has not counted, goes again, on any rail. It is noted as to be sent
 * again before the locks are given back, so no frame of the old wire is ever taken for one that is under way on the
 * new one. Nothing is delivered twice: frames keep their numbers, so one that has arrived on the old wire is dropped as
 * a duplicate when it comes again, as with any lost rail. The old wire is closed and never read again, and what has
 * arrived of a frame that it broke off is forgotten; its bytes come again before the count passes it. The sides need
 * not agree when a rail was lost: one that brings it back has the other one lose it as well. A rail that is about to
 * come back counts as one that is there, so the last other one may be lost meanwhile.
 *
 * <p><b>Locks.</b> What goes out is under the sending lock, what comes in under the receiving lock. Whoever needs both
 * takes the sending lock first; nobody takes it under the other one. That a process is connected, or gone, is said in a
 * volatile field when all else is done that belongs to it: so calls look without a lock, and it is for good that one is
 * gone. Any thread may notice a loss; the monitor of this object decides who has, and nobody waits in it.
 *
 * <p><b>Memory</b> for each connected process: {@value Rail#IN_BYTES} + {@value Rail#OUT_BYTES} bytes a rail, and
 * {@value FrameLayout#PAYLOAD_BYTES_MAX} more a rail once it has accumulated something here or sent packed runs;
 * {@value Requests#PLACES} · {@value Fabric#REQUEST_BYTES_MAX} more once it has asked for packed runs; with several
 * rails {@value Retention#BYTES} bytes and {@value Retention#FRAMES_MAX} frame headers more.
 *
 * They are given back when that process is gone.
 *
 * <p><b>Memory ordering.</b> A payload is written, by the kernel or by a plain copy, by the thread that then raises the
 * word with release order, or before that by another thread under the same receiving lock.
 */
final class Peer {
    private static final Rail[] NO_RAILS = {};

    private final int process;
    private final FabricListener listener;
    private final Waiter.Progress progress;
    private final AtomicLong refusals;
    private final CountedFrames counted;
    private final Requests requests;
    private final Answers answers;
    private final Arrivals arrivals;
    private final Departures departures;
    private final ReentrantLock receiving = new ReentrantLock();
    private final SendingSide sending;
    private final Sender sender;
    private final Requester requester;

    private Rail[] prepared = NO_RAILS;
    private Retention preparedRetention;
    private Rail[] rails = NO_RAILS;
    private volatile boolean connected;
    private boolean lost;
    private volatile boolean gone;
    private volatile boolean saidGoodbye;
    private volatile boolean heardGoodbye;
    private volatile long silentNanos;
    private volatile int missingBytes;
    private volatile String hindrance;
    private volatile String whyLost = "";

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
        this.process = process;
        this.listener = listener;
        this.progress = progress;
        this.refusals = refusals;
        this.counted = new CountedFrames(arena);
        this.requests = new Requests(arena);
        this.answers = new Answers(regions);
        this.arrivals = new Arrivals(this, requests, answers, new Deliveries(regions, refusals), refusals);
        this.departures = new Departures(this, regions, counted, answers, arrivals, refusals, choice);
        this.sending = new SendingSide(this, departures, progress);
        this.sender = new Sender(this, sending, departures, counted);
        this.requester = new Requester(this, sending, departures, requests, arrivals, receiving);
    }

    int process() {
        return process;
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
        if (prepared.length != count) {
            prepared = NO_RAILS;
            preparedRetention = count > 1 ? new Retention() : null;
            Rail[] made = new Rail[count];
            for (int i = 0; i < count; i++) {
                made[i] = new Rail(i);
            }
            prepared = made;
        }
    }

    /** Begins: these are the rails, all of them, in the same order on both sides. */
    void connect(Wire[] wires) {
        sending.lock();
        receiving.lock();
        try {
            synchronized (this) { // who loses it closes what is here; what comes later is closed here
                if (lost || connected) {
                    for (Wire wire : wires) {
                        wire.close();
                    }
                    return;
                }
                prepare(wires.length);
                for (int i = 0; i < wires.length; i++) {
                    prepared[i].connect(wires[i]);
                }
                rails = prepared;
            }
            arrivals.connect(rails);
            departures.connect(rails, preparedRetention);
            connected = true;
        } finally {
            receiving.unlock();
            sending.unlock();
        }
    }

    /** Gives the buffers back if the process is gone and nobody uses them; the same thread calls this and connects. */
    void release() {
        if (gone && prepared.length > 0 && sending.tryLock()) {
            try {
                if (receiving.tryLock()) {
                    try {
                        prepared = NO_RAILS;
                        preparedRetention = null;
                        rails = NO_RAILS;
                        arrivals.connect(NO_RAILS);
                        departures.connect(NO_RAILS, null);
                        answers.release();
                    } finally {
                        receiving.unlock();
                    }
                }
            } finally {
                sending.unlock();
            }
        }
    }

    boolean isConnected() {
        return connected;
    }

    /** Whether something can be sent to it. */
    boolean isOpen() {
        return connected && !gone;
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

    /** Whether nothing can be sent to it any more. */
    boolean isGone() {
        return gone;
    }

    /** Whether a good-bye was said, by either side, or the process is gone. */
    boolean isEnding() {
        return gone || saidGoodbye || heardGoodbye;
    }

    /** The good-bye goes out: what is lost afterwards is no loss. */
    void sayGoodbye() {
        saidGoodbye = true;
    }

    /** Why the process is gone, in one clause; empty if it is not. */
    String whyLost() {
        return whyLost;
    }

    /** Takes note that the process cannot be reached, or has left. */
    void lose(Loss loss, String reason) {
        Rail[] all;
        synchronized (this) {
            if (lost) {
                return;
            }
            lost = true;
            whyLost = reason;
            all = rails;
        }
        for (Rail rail : all) {
            rail.close();
        }
        if (!heardGoodbye && !saidGoodbye) {
            listener.lost(process, loss, reason);
        }
        gone = true; // calls end now: their callers may ask what the listener was told
        requests.giveUp();
        counted.giveUp();
        progress.arrived();
    }

    private void loseRail(Rail rail, String reason) {
        boolean others = false;
        synchronized (this) {
            if (rail.isLost()) {
                return;
            }
            rail.lose(reason);
            for (Rail other : rails) {
                others |= !other.isLost() || other.isComingBack();
            }
        }
        if (others && !heardGoodbye) {
            departures.loseRail();
        } else {
            lose(Loss.ENDED, reason);
        }
    }

    /** How many rails it is connected by, lost ones too. */
    int railsInAll() {
        return rails.length;
    }

    Rail rail(int index) {
        return rails[index];
    }

    /** A lost rail has a new wire. If only the other side has lost it so far, this one does now. */
    void bringBack(int index, Wire wire) {
        synchronized (this) {
            if (lost) {
                wire.close();
                return;
            }
            rails[index].lose("the other side has lost it");
            rails[index].bringBack(wire);
        }
        departures.returnRail();
        sending.pump();
    }

    /** Begins to use the new wire of a lost rail, under the sending lock; returns whether that could be done. */
    boolean resume(Rail rail) {
        if (receiving.isHeldByCurrentThread()) { // in the midst of a frame, perhaps of that rail
            return false;
        }
        receiving.lock();
        try {
            if (rail.isHeld()) {
                return false;
            }
            synchronized (this) {
                if (!lost) {
                    rail.resume();
                }
            }
            return true;
        } finally {
            receiving.unlock();
        }
    }

    /** Who has closed the connection may have said why: news and a good-bye may be there, and nothing after them. */
    void loseAfterReading(Rail rail, String reason) {
        receiving.lock();
        try {
            while (receive(rail)) {
                Thread.onSpinWait();
            }
        } finally {
            receiving.unlock();
        }
        progress.arrived();
        loseRail(rail, reason);
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
        for (Rail rail : rails) {
            boolean heard = rail.wasHeard();
            anyHeard |= heard;
            if (heard || rail.isLost()) {
                rail.silentNanos = 0;
            } else {
                rail.askCount(true); // a call that waits with the lock held sends it, or the pump does
            }
            if (arrivals.isAnyHeld() && !rail.isLost()) {
                rail.oweCount(true); // who asks for it is not read, and has to hear that this side is there
            }
        }
        silentNanos = anyHeard ? 0 : silentNanos + elapsedNanos;
        for (Rail rail : rails) {
            rail.silentNanos += anyHeard ? elapsedNanos : 0;
            if (rail.silentNanos > limitNanos && !rail.isLost()) {
                loseRail(rail, "nothing was heard from it for " + limitNanos / 1_000_000 + " ms");
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
        return sending.isLocked() || receiving.isLocked();
    }

    // ---- receiving

    /**
     * Takes in what has arrived, unless somebody else is doing so.
     *
     * @return whether anything had
     */
    boolean poll() {
        boolean any = false;
        if (isOpen() && receiving.tryLock()) {
            long awaited = arrivals.awaited();
            try {
                for (Rail rail : rails) {
                    any |= receive(rail);
                }
            } finally {
                boolean wasAwaited = arrivals.awaited() > awaited;
                if (any) {
                    noteMissing();
                }
                receiving.unlock();
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
        for (Rail rail : rails) {
            most = Math.max(most, rail.missingBytes());
        }
        if (most != missingBytes) {
            missingBytes = most;
        }
    }

    /** How many bytes have not arrived of a frame that has begun to, the longest of the rails'. */
    int missingBytes() {
        return gone ? 0 : missingBytes;
    }

    /** Whether a frame has arrived that has to be tried again, by a poll. */
    boolean isHolding() {
        return !gone && arrivals.isAnyHeld();
    }

    private boolean receive(Rail rail) {
        if (rail.isLost() && !rail.isHeld()) {
            return false;
        }
        try {
            return rail.receive(arrivals);
        } catch (ProtocolException e) {
            refusals.incrementAndGet();
            lose(Loss.NONSENSE, "it has sent what makes no sense: " + e.getMessage());
        } catch (IOException e) {
            loseRail(rail, e.getMessage());
        } catch (RuntimeException e) {
            refusals.incrementAndGet();
            lose(Loss.NONSENSE, "what it has sent could not be taken in: " + e);
        } catch (Error e) { // memory was short, say: nothing that the other side could have sent
            listener.failed(e);
            lose(Loss.ENDED, "this process cannot go on: " + e);
        }
        return false;
    }

    /** Waits until nobody uses a region that has just been revoked, and lets go of it. */
    void settle() {
        receiving.lock();
        try {
            for (Rail rail : rails) {
                rail.forgetRevoked();
            }
        } finally {
            receiving.unlock();
        }
        sending.lock();
        sending.unlock();
    }

    // ---- what arrivals tell

    /** The other side has counted so many frames. */
    void noteCount(long count) throws ProtocolException {
        if (count > departures.sent()) {
            throw new ProtocolException("it has counted " + count + " frames of " + departures.sent());
        }
        counted.note(count);
    }

    /** The other side has told how many bytes have come over a rail. */
    void noteArrived(long rail, long bytes) {
        departures.choice().noteArrived(rail, bytes);
    }

    /** The other side has sent a piece of news. */
    void hearNews(Frame news) {
        listener.news((int) news.word, news.offset, news.value);
    }

    /** The other side has said good-bye. */
    void hearGoodbye(Frame goodbye) {
        heardGoodbye = true;
        listener.hear(process, new Farewell((int) goodbye.word, goodbye.offset, goodbye.value, goodbye.tag));
        listener.left(process);
    }
}
