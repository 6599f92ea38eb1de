/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.tutti.JobStartException;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Service;

/**
 * The thread that serves a process while its ranks compute, makes its connections, and looks whether those it is
 * connected with are there. Connections and what asks silent hosts are touched by this thread alone; others leave it
 * errands, and call it.
 *
 * <p><b>Polling is a lease.</b> A rank that waits polls the connections of its process itself, which takes a message a
 * few microseconds, where waking a thread takes some forty. The service thread is for ranks that compute. It sleeps in
 * its selector, with interest in everything; when it wakes and sees that a rank has polled within the last {@value
 * #LEASE_NANOS} ns, it leaves the data to that rank and does not go back to the selector, which would wake it for every
 * message, until {@value #LOOK_NANOS} ns later nobody has polled any more. So a rank that begins to compute is served
 * from below a millisecond after its last poll on, and at once after that. A rank that is inside a connection, sending
 * or taking in much, has the lease as well, but for {@value #USE_NANOS} ns only: then the others are looked at between
 * the service thread's parks, or they would take this process for failed. A rank that begins to sleep until something
 * arrives ends the lease. A service thread that is to poll never sleeps, and polls whenever nobody else has for {@value
 * #LEASE_NANOS} ns.
 *
 * <p><b>Pace.</b> What comes slower than it can be read would wake the thread for every packet, at the cost of ranks
 * that compute. So the thread lets more of a frame arrive ({@link ArrivalRate}) before it goes back to its selector.
 *
 * <p><b>Gathering.</b> While the service thread comes by every {@value #LOOK_NANOS} ns it also sends what it finds in
 * the rails' buffers, so a put that need not leave at once stays there for others to share its system call. {@code
 * looks} says so. A put writes to the buffer (and to its peer's volatile {@code dirty}) before it reads {@code looks};
 * the service thread clears {@code looks} before it reads {@code dirty}, and then sleeps. So a put either finds it
 * cleared, and sends by itself, or is found.
 */
final class ServiceThread {
    private static final System.Logger LOG = System.getLogger(ServiceThread.class.getName());
    private static final long LEASE_NANOS = 50_000;
    private static final long LOOK_NANOS = 700_000;
    private static final long USE_NANOS = 10_000_000;
    private static final long TICK_MILLIS_MAX = 500;
    private static final long BUSY_MILLIS = 20;
    private static final int TICKS_PER_LIMIT = 4;
    private static final int POLLS_PER_ROUND = 64;
    private static final long ARRIVAL_MILLIS_MAX = 1;
    private static final long RETIRE_NANOS_MAX = 2_000_000_000L;
    private static final long RETIRE_TURN_NANOS = 50_000;
    private static final Consumer<SelectionKey> SEEN = _ -> {
    };

    private final LocalProcess local;
    private final Service service;
    private final Peers peers;
    private final FabricListener listener;
    private final Selector selector;
    private final Selector arrivals;
    private final Lock arrivalsLock = new ReentrantLock();
    private final Connections connections;
    private final HeartbeatMonitor heartbeats;
    private final Thread thread;
    private final Queue<Runnable> errands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean called = new AtomicBoolean();
    private volatile long polledNanos = System.nanoTime() - LOOK_NANOS;
    private volatile boolean looks; // it comes by before long
    private boolean retiring; // its own
    private final ArrivalRate arrivalRate = new ArrivalRate();
    private volatile long retireByNanos;
    private volatile boolean retired;
    private volatile boolean closed;

    /** @throws JobStartException when the process cannot listen at its addresses */
    ServiceThread(LocalProcess local, Service service, Peers peers, FabricListener listener) {
        this.local = local;
        this.service = service;
        this.peers = peers;
        this.listener = listener;
        this.selector = open();
        this.arrivals = open(selector);
        try {
            this.connections = new Connections(local, selector, peers, this::read, this::connected);
        } catch (RuntimeException e) {
            close(selector);
            close(arrivals);
            throw e;
        }
        this.heartbeats = new HeartbeatMonitor(local, connections.routes());
        this.thread = Thread.ofPlatform().daemon().name("tutti service").start(this::run);
    }

    private Selector open(Selector... before) {
        try {
            return Selector.open();
        } catch (IOException e) {
            List.of(before).forEach(ServiceThread::close);
            throw new JobStartException("rank " + local.rank() + " cannot open a selector (" + e.getMessage()
                    + "); allow more open files (ulimit -n)");
        }
    }

    private static void close(Selector selector) {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the selector could not be closed", e);
        }
    }

    // ---- for any thread

    /** What accepts connections; its addresses and counters are for any thread. */
    Acceptor acceptor() {
        return connections.acceptor();
    }

    boolean isClosed() {
        return closed;
    }

    /** Has it begin to connect with a process, unless that is under way. */
    void connect(Peer peer, boolean onlyForNews) {
        errands.add(() -> connections.connect(peer, onlyForNews));
        call();
    }

    /** Has it look around, whatever it does. */
    void call() {
        if (called.compareAndSet(false, true)) {
            selector.wakeup();
            LockSupport.unpark(thread);
        }
    }

    /** Whether what is left in the rails' buffers is sent before long. */
    boolean looks() {
        return looks;
    }

    /** A rank polls now. */
    void takeLease() {
        polledNanos = System.nanoTime();
    }

    /** A rank that may have polled a moment ago sleeps from now on: it is to be served at once. */
    void endLease() {
        if (looks && service == Service.SLEEP) {
            polledNanos = System.nanoTime() - LEASE_NANOS;
            call();
        }
    }

    /**
     * Waits for a short while as the service thread does, for the same connections: when an answer comes it wakes the
     * one who waits for it, and no core has to poll meanwhile.
     *
     * @return whether that could be done: one thread at a time can
     */
    boolean awaitArrival() {
        if (Thread.currentThread().isVirtual() || !arrivalsLock.tryLock()) {
            return false;
        }
        try {
            polledNanos = System.nanoTime() + ARRIVAL_MILLIS_MAX * 1_000_000;
            arrivals.select(SEEN, ARRIVAL_MILLIS_MAX);
            return true;
        } catch (IOException | ClosedSelectorException e) {
            LOG.log(Level.DEBUG, "waiting for arrivals failed", e);
            return false;
        } finally {
            polledNanos = System.nanoTime();
            arrivalsLock.unlock();
        }
    }

    /**
     * Connects with nobody any more. When this returns, every process that takes itself for connected with this one is,
     * or the time for that is over.
     */
    void retire() {
        errands.add(() -> {
            retiring = true;
            connections.retire();
        });
        call();
        synchronized (this) {
            retireByNanos = retireByNanos != 0 ? retireByNanos
                    : System.nanoTime() + Math.min(RETIRE_NANOS_MAX, local.silenceNanosMax());
        }
        while (!retired && !closed && System.nanoTime() - retireByNanos < 0) {
            LockSupport.parkNanos(RETIRE_TURN_NANOS);
        }
    }

    /** Ends the thread, and all connections. */
    void close() {
        closed = true;
        selector.wakeup();
        LockSupport.unpark(thread);
        join();
        try {
            peers.lose("this process has closed its job");
        } finally {
            connections.close();
            heartbeats.close();
            close(selector);
            close(arrivals);
        }
    }

    private void join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- its rounds

    private void run() {
        long tickMillis = Math.clamp(local.silenceNanosMax() / 1_000_000 / TICKS_PER_LIMIT, 1, TICK_MILLIS_MAX);
        long lookedNanos = System.nanoTime();
        try {
            while (!closed) {
                called.set(false);
                for (Runnable errand = errands.poll(); errand != null; errand = errands.poll()) {
                    errand.run();
                }
                boolean leased = isLeased();
                boolean holding = peers.tryAgain();
                boolean busy = connections.isBusy();
                retired = retiring && !busy;
                if (service == Service.POLL) {
                    looks = true;
                    pollForRanks();
                    peers.pump();
                    selector.selectNow();
                } else if (leased || holding) { // what is deferred is tried again before long
                    looks = true;
                    LockSupport.parkNanos(LOOK_NANOS);
                    peers.pump();
                    selector.selectNow();
                } else {
                    looks = false;
                    armWrites();
                    awaitMore();
                    selector.select(busy ? BUSY_MILLIS : tickMillis);
                }
                see(leased);
                long nowNanos = System.nanoTime();
                boolean isTick = nowNanos - lookedNanos >= tickMillis * 1_000_000;
                if (isTick) {
                    look(Math.min(nowNanos - lookedNanos, 2 * tickMillis * 1_000_000));
                    lookedNanos = nowNanos;
                }
                if (busy || isTick) {
                    connections.look(nowNanos);
                }
            }
        } catch (Throwable e) { // what concerns one connection has ended that one
            fail(e);
        } finally {
            looks = false;
        }
    }

    /** This process cannot go on, which whoever loses it now need not find out by silence. */
    private void fail(Throwable cause) {
        closed = true;
        listener.failed(cause);
        peers.lose("this process cannot go on: " + cause);
        connections.close();
    }

    /** Whoever sends or takes in much at a time has not polled for a while, and yet needs no help at once. */
    private boolean isLeased() {
        return System.nanoTime() - polledNanos < LEASE_NANOS || peers.isAnyInUse();
    }

    /** A while, after which others have to be seen to as well. */
    private void pollForRanks() {
        for (int turn = 0; turn < POLLS_PER_ROUND && !called.get(); turn++) {
            if (isLeased()) {
                Thread.onSpinWait();
            } else {
                for (Peer peer : peers.connected()) {
                    peer.poll();
                }
            }
        }
        Thread.yield(); // whoever has given it no core of its own still gets on
    }

    private void see(boolean leased) {
        boolean others = leased && System.nanoTime() - polledNanos > USE_NANOS; // one is in use, and holds up the rest
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid()) {
                if (!(key.attachment() instanceof Peer peer)) {
                    ((Runnable) key.attachment()).run();
                } else if (others || !leased && !isLeased()) {
                    peer.poll();
                }
            }
        }
        selector.selectedKeys().clear();
        connections.acceptor().accept();
    }

    /** What was closed leaves a selector with the next selection, and nobody may wait for arrivals for long. */
    private void look(long elapsedNanos) throws IOException {
        long nowNanos = System.nanoTime();
        for (Peer peer : peers.connected()) {
            heartbeats.look(peer, elapsedNanos);
            connections.lookAtRails(peer, nowNanos);
        }
        peers.release();
        if (arrivalsLock.tryLock()) {
            try {
                arrivals.selectNow(SEEN);
            } finally {
                arrivalsLock.unlock();
            }
        }
    }

    /** Sleeps while nothing can take effect that arrives. */
    private void awaitMore() {
        long nanos = arrivalRate.sleepNanos(peers.missingBytes(), System.nanoTime());
        if (nanos > 0) {
            LockSupport.parkNanos(nanos);
        }
    }

    /** Wakes for room only where something has to be sent. */
    private void armWrites() {
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof Peer peer) {
                int wanted = peer.wantsToSend() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
                try {
                    if (key.interestOps() != wanted) {
                        key.interestOps(wanted);
                    }
                } catch (CancelledKeyException _) {
                    continue; // a rank that polls has just seen the end of the connection
                }
            }
        }
    }

    /** What arrives at a channel is for a peer from now on. */
    private Wire read(Peer peer, SocketChannel channel) {
        SelectionKey key = channel.keyFor(selector);
        key.attach(peer);
        try {
            key.interestOps(SelectionKey.OP_READ);
            channel.register(arrivals, SelectionKey.OP_READ);
        } catch (ClosedChannelException | CancelledKeyException e) {
            LOG.log(Level.DEBUG, "a connection was lost at once", e);
        }
        return new SocketWire(channel);
    }

    private void connected(Peer peer, Wire[] wires) {
        if (peer.isConnected()) {
            List.of(wires).forEach(Wire::close);
            return;
        }
        peers.addConnected(peer); // before anybody can send to it, or who fences all would pass it over
        peer.connect(wires);
        listener.connected(peer.process());
    }
}
