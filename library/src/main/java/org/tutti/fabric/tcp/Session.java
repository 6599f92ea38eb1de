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
 * The session with another process, which lasts from the creation of its buffers to the loss of the process. It holds
 * the rails, the receiving lock, and the state of the good-byes. A session outlives the loss of single rails, and ends
 * when its last rail is lost. The layers above, {@link Inbound}, {@link Outbound} and the calls, report events to the
 * session and read its state.
 *
 * <p><b>Losing a rail.</b> With several rails, frames are kept until they are acked. When a rail is lost, its unacked
 * frames are retransmitted on the other rails. When the last rail is lost, the other process is lost. News and the
 * good-bye are sent on all rails that have room. Otherwise the sender could be gone before the loss of a rail that has
 * died silently is noticed.
 *
 * <p><b>A rail that comes back.</b> A lost rail can get a new wire. Each side begins to use the wire when it holds both
 * locks, and bytes that arrive earlier stay in the wire. No frame is lost. All frames that this side has sent on the
 * old wire, and the other side has not acked, are retransmitted on any rail. They are marked for retransmission before
 * the sending lock is released, so no frame of the old wire is ever considered under way on the new one. No frame takes
 * effect twice. Frames keep their numbers, so a frame that has arrived on the old wire is dropped as a duplicate when
 * it arrives again. The same is true of any lost rail. The old wire is closed and never read again. If the old wire
 * broke in the middle of a frame, the part that arrived is forgotten, and the whole frame arrives again before the
 * count passes it. The two sides need not notice the loss of a rail at the same time. A side that brings a rail back
 * makes the other side lose it, too. A rail that is about to come back counts as connected, so the last other rail may
 * be lost meanwhile.
 *
 * <p><b>Locks.</b> The sending lock guards outgoing frames, and the receiving lock guards incoming frames. A thread
 * that needs both locks acquires the sending lock first. No thread acquires the sending lock while it holds the
 * receiving lock. A thread that sends a reply holds the sending lock and the reading lock of {@link Outbound}, and may
 * then acquire the receiving lock. A holder of the sending lock may wait for room for as long as the other process
 * stands still. A holder of one of the other two locks never waits for the other process. A thread therefore tries the
 * sending lock, or runs its check while it waits for the lock. Only {@link Peer#connect} does neither, because no
 * thread waits for room before the process is connected. Volatile fields record that a process is connected, or gone.
 * Each is written after all data on which calls rely, so calls read it without a lock. A process that is gone stays
 * gone. Any thread may notice a loss. The monitor of this object decides which thread handles the loss, and no thread
 * waits inside the monitor.
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

    /** Returns the first rank of the other process. */
    int process() {
        return process;
    }

    /** Returns the receiving lock, under which arriving frames are taken in. */
    ReentrantLock receiving() {
        return receiving;
    }

    // ---- beginning and buffers

    /**
     * Creates the rails and buffers of a connection, unless they exist. Must be called before the other side may
     * consider the connection open.
     */
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
     * Connects the rails with their wires. Called under both locks; {@link #open} must be called afterwards.
     *
     * @param wires the wires of all rails, in the same order on both sides
     * @param whatArrives receives the frames that arrive over the wires
     * @return whether the wires are used; if not, this method has closed them
     */
    synchronized boolean begin(Wire[] wires, Rail.Receiver whatArrives) {
        if (lost || connected) { // a thread that loses the process closes its rails; later wires are closed here
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

    /** Lets calls use the rails. Must be called when all layers have the rails. */
    void open() {
        connected = true;
    }

    /** Returns whether the process is gone, and its buffers have not been released. */
    boolean hasLeftovers() {
        return gone && prepared.length > 0;
    }

    /** Releases the buffers. Called under both locks. */
    void release() {
        prepared = NO_RAILS;
        preparedRetransmits = null;
        rails = NO_RAILS;
    }

    /** Returns the rails, which include lost rails. */
    Rail[] rails() {
        return rails;
    }

    /** Returns the buffer that keeps frames until they are acked; null if there is only one rail. */
    RetransmitBuffer retransmits() {
        return preparedRetransmits;
    }

    // ---- state

    boolean isConnected() {
        return connected;
    }

    /** Returns whether frames can be sent to the other process. */
    boolean isOpen() {
        return connected && !gone;
    }

    /** Returns whether the process is gone, so that nothing can be sent to it any more. */
    boolean isGone() {
        return gone;
    }

    /**
     * Returns whether frames that have arrived still take effect. They do while the process is not gone, and also
     * afterwards if it has said good-bye.
     */
    boolean isHeeded() {
        return !gone || heardGoodbye;
    }

    /** Returns whether either side has said good-bye, or the process is gone. */
    boolean isEnding() {
        return gone || saidGoodbye || heardGoodbye;
    }

    /** Returns why the process is gone, in one clause; empty if it is not. */
    String whyLost() {
        return whyLost;
    }

    /** Returns whether frames of a lost rail may have to be retransmitted. */
    boolean isResendDue() {
        return resendDue;
    }

    void setResendDue(boolean due) {
        resendDue = due;
    }

    /** Returns whether a lost rail has a new connection that is not in use. */
    boolean isReturnDue() {
        return returnDue;
    }

    void setReturnDue(boolean due) {
        returnDue = due;
    }

    // ---- receiving

    /**
     * Takes in the bytes that have arrived over a rail. Called under the receiving lock.
     *
     * @return whether any bytes had arrived
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

    /** Returns whether a rail holds a frame. Any thread may call this method. */
    boolean isHolding() {
        for (Rail rail : rails) {
            if (rail.isHolding()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Tries deferred frames again. Called under the receiving lock.
     *
     * @return whether a frame has taken effect
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
        if (failure instanceof Error error) { // such as a lack of memory, which no bytes of the other side cause
            listener.failed(error);
            lose(Loss.ENDED, "this process cannot go on: " + error);
        } else {
            refusals.incrementAndGet();
            lose(Loss.NONSENSE, failure instanceof ProtocolException
                    ? "it has sent what makes no sense: " + failure.getMessage()
                    : "what it has sent could not be taken in: " + failure);
        }
    }

    /** Passes a piece of news from the other side on to the listener. */
    void hearNews(Frame news) {
        listener.news((int) news.word, news.offset, news.value);
    }

    /** Notes that a good-bye has arrived. A later loss of the connection is then no failure. */
    void noteGoodbye() {
        heardGoodbye = true;
    }

    /**
     * Passes the good-bye of the other side on to the listener. All puts of the other side to this process must have
     * taken effect.
     */
    void hearGoodbye(Frame goodbye) {
        listener.hear(process, new Farewell((int) goodbye.word, goodbye.offset, goodbye.value, goodbye.tag));
        listener.left(process);
    }

    /** Notes that the good-bye of this process is sent. A later loss of the connection is then no failure. */
    void sayGoodbye() {
        saidGoodbye = true;
    }

    // ---- losses

    /** Notes that the process cannot be reached, or has left. */
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
        gone = true; // calls end here: their callers may ask the listener for the reason
        requests.giveUp();
        acks.giveUp();
        progress.arrived();
    }

    /** Loses a rail. If it is the last one, the process is lost. */
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
            resendDue = true; // a sender, or the service thread, retransmits its frames
        } else {
            lose(Loss.ENDED, reason);
        }
    }

    /**
     * Reads the last bytes of a rail, and then loses the rail. A process that has closed the connection may have sent
     * news and a good-bye before.
     */
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

    /** Gives a lost rail a new wire. If only the other side has noticed the loss, this side loses the rail first. */
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

    /** Begins to use the new wire of a lost rail. Called under the sending lock. Returns whether that was possible. */
    boolean resume(Rail rail) {
        if (receiving.isHeldByCurrentThread()) { // this thread is in the midst of a frame, perhaps of that rail
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
