/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Farewell;
import org.tutti.fabric.Loss;
import org.tutti.memory.Waiter;

/**
 * The session with another process, from its buffers to its loss: the rails, the receiving lock, and the good-byes. A
 * session outlives the loss of rails; it ends when its last rail is lost. The layers above, {@link Inbound}, {@link
 * Outbound} and the calls, tell the session what they notice and ask it what holds.
 *
 * <p><b>Losing a rail.</b> With several rails, frames are kept until they are counted. When a rail is lost, those of
 * its frames that are not counted go again on the others. When the last rail is lost, so is the other process. News and
 * the good-bye go on all rails that have room, because the sender may be gone before a rail that has died silently is
 * lost.
 *
 * <p><b>A rail that comes back.</b> A lost rail can be given a new wire. Each side begins to use it when it has both
 * locks; what arrives before that stays in the wire. Nothing is lost: all that this
 * side has sent on the old wire, and the other side has not counted, goes again, on any rail. It is noted as to be sent
 * again before the locks are given back, so no frame of the old wire is ever taken for one that is under way on the
 * new one. Nothing is delivered twice: frames keep their numbers, so one that has arrived on the old wire is dropped as
 * a duplicate when it comes again, as with any lost rail. The old wire is closed and never read again, and what has
 * arrived of a frame that it broke off is forgotten; its bytes come again before the count passes it. The sides need
 * not agree when a rail was lost: one that brings it back has the other one lose it as well. A rail that is about to
 * come back counts as one that is there, so the last other one may be lost meanwhile.
 *
 * <p><b>Locks.</b> What goes out is under the sending lock, what comes in under the receiving lock. A thread that needs
 * both takes the sending lock first; no thread takes it under the other one. That a process is connected, or gone, is
 * said in a volatile field when all else is done that belongs to it: so calls look without a lock, and it is for good
 * that a process is gone. Any thread may notice a loss; the monitor of this object decides which one has, and no thread
 * waits in it.
 */
final class Session {
    private static final Rail[] NO_RAILS = {};

    private final int process;
    private final FabricListener listener;
    private final Waiter.Progress progress;
    private final AtomicLong refusals;
    private final AckCounter acks;
    private final Requests requests;
    private final ReentrantLock receiving = new ReentrantLock();

    private Rail[] prepared = NO_RAILS;
    private RetransmitBuffer preparedRetransmits;
    private Rail[] rails = NO_RAILS;
    private Rail.Receiver receiver;
    private volatile boolean connected;
    private boolean lost;
    private volatile boolean gone;
    private volatile boolean saidGoodbye;
    private volatile boolean heardGoodbye;
    private volatile boolean resendDue;
    private volatile boolean returnDue;
    private volatile String whyLost = "";

    Session(int process, FabricListener listener, Waiter.Progress progress, AtomicLong refusals,
            AckCounter acks, Requests requests) {
        this.process = process;
        this.listener = listener;
        this.progress = progress;
        this.refusals = refusals;
        this.acks = acks;
        this.requests = requests;
    }

    /** The first rank of the other process. */
    int process() {
        return process;
    }

    /** The lock under which what arrives is taken in. */
    ReentrantLock receiving() {
        return receiving;
    }

    // ---- its beginning, and its buffers

    /** Makes the buffers of a connection, unless they are there: before the other side may take it for open. */
    void prepare(int count) {
        if (prepared.length != count) {
            prepared = NO_RAILS;
            preparedRetransmits = count > 1 ? new RetransmitBuffer() : null;
            Rail[] made = new Rail[count];
            for (int i = 0; i < count; i++) {
                made[i] = new Rail(i);
            }
            prepared = made;
        }
    }

    /**
     * Takes the wires, under both locks; {@link #open} is to follow.
     *
     * @param wires of the rails, all of them, in the same order on both sides
     * @param whatArrives takes in what they bring
     * @return whether they are used; else they are closed
     */
    synchronized boolean begin(Wire[] wires, Rail.Receiver whatArrives) {
        if (lost || connected) { // a thread that loses it closes what is here; what comes later is closed here
            for (Wire wire : wires) {
                wire.close();
            }
            return false;
        }
        prepare(wires.length);
        for (int i = 0; i < wires.length; i++) {
            prepared[i].connect(wires[i]);
        }
        rails = prepared;
        receiver = whatArrives;
        return true;
    }

    /** All is ready: calls may use the rails. */
    void open() {
        connected = true;
    }

    /** Whether there are buffers of a process that is gone. */
    boolean hasLeftovers() {
        return gone && prepared.length > 0;
    }

    /** Gives the buffers back, under both locks. */
    void release() {
        prepared = NO_RAILS;
        preparedRetransmits = null;
        rails = NO_RAILS;
    }

    /** The rails, lost ones too. */
    Rail[] rails() {
        return rails;
    }

    /** Where frames are kept until they are counted; null with one rail. */
    RetransmitBuffer retransmits() {
        return preparedRetransmits;
    }

    // ---- what holds

    boolean isConnected() {
        return connected;
    }

    /** Whether something can be sent to the other process. */
    boolean isOpen() {
        return connected && !gone;
    }

    /** Whether nothing can be sent to it any more. */
    boolean isGone() {
        return gone;
    }

    /** Whether what has arrived of the process still counts: it is there, or has said good-bye. */
    boolean isHeeded() {
        return !gone || heardGoodbye;
    }

    /** Whether a good-bye was said, by either side, or the process is gone. */
    boolean isEnding() {
        return gone || saidGoodbye || heardGoodbye;
    }

    /** Why the process is gone, in one clause; empty if it is not. */
    String whyLost() {
        return whyLost;
    }

    /** Whether frames of a lost rail may have to be sent again. */
    boolean isResendDue() {
        return resendDue;
    }

    void setResendDue(boolean due) {
        resendDue = due;
    }

    /** Whether a lost rail has a new connection that is not used yet. */
    boolean isReturnDue() {
        return returnDue;
    }

    void setReturnDue(boolean due) {
        returnDue = due;
    }

    // ---- what comes in

    /**
     * Takes in what has arrived over a rail, under the receiving lock.
     *
     * @return whether anything had
     */
    boolean receive(Rail rail) {
        assert receiving.isHeldByCurrentThread() : "what " + process + " sends is taken in without the lock";
        if (rail.isLost()) {
            return false;
        }
        try {
            return rail.receive(receiver);
        } catch (ProtocolException | RuntimeException | Error e) {
            endBy(e);
        } catch (IOException e) {
            loseRail(rail, e.getMessage());
        }
        return false;
    }

    /**
     * Tries again what has been deferred, under the receiving lock.
     *
     * @return whether anything has taken effect
     */
    boolean retry() {
        try {
            return receiver.retry();
        } catch (ProtocolException | RuntimeException | Error e) {
            endBy(e);
            return false;
        }
    }

    private void endBy(Throwable failure) {
        if (failure instanceof Error error) { // memory was short, say: nothing that the other side could have sent
            listener.failed(error);
            lose(Loss.ENDED, "this process cannot go on: " + error);
        } else {
            refusals.incrementAndGet();
            lose(Loss.NONSENSE, failure instanceof ProtocolException
                    ? "it has sent what makes no sense: " + failure.getMessage()
                    : "what it has sent could not be taken in: " + failure);
        }
    }

    /** The other side has sent a piece of news. */
    void hearNews(Frame news) {
        listener.news((int) news.word, news.offset, news.value);
    }

    /** A good-bye has arrived: what is lost afterwards is no loss. */
    void noteGoodbye() {
        heardGoodbye = true;
    }

    /** The other side has said good-bye, and all that it had put here before has taken effect. */
    void hearGoodbye(Frame goodbye) {
        listener.hear(process, new Farewell((int) goodbye.word, goodbye.offset, goodbye.value, goodbye.tag));
        listener.left(process);
    }

    /** The good-bye goes out: what is lost afterwards is no loss. */
    void sayGoodbye() {
        saidGoodbye = true;
    }

    // ---- losses

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
        acks.giveUp();
        progress.arrived();
    }

    /** A rail cannot be used any more; the last one takes the process with it. */
    void loseRail(Rail rail, String reason) {
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
            resendDue = true; // a sender, or the service thread, sees to its frames
        } else {
            lose(Loss.ENDED, reason);
        }
    }

    /** A process that has closed the connection may have said why: news and a good-bye may be there, nothing after. */
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
        resendDue = true;
        returnDue = true;
    }

    /** Begins to use the new wire of a lost rail, under the sending lock; returns whether that could be done. */
    boolean resume(Rail rail) {
        if (receiving.isHeldByCurrentThread()) { // in the midst of a frame, perhaps of that rail
            return false;
        }
        receiving.lock();
        try {
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
}
