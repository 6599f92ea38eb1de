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
 * The thread that serves a process while its ranks compute, makes its connections, and watches whether connected
 * processes are alive. Only this thread uses connections that are not complete, and the probes of silent hosts. Other
 * threads queue errands for this thread, and wake it.
 *
 * <p><b>Polling is a lease.</b> A waiting rank polls the connections of its process itself. A message then takes a few
 * microseconds, while waking a thread takes some forty. The service thread serves ranks that compute. It sleeps in its
 * selector, with interest in all connections. When it wakes and a rank has polled within the last {@value #LEASE_NANOS}
 * ns, it leaves the data to that rank. It then parks for {@value #LOOK_NANOS} ns at a time, until no rank polls any
 * more, and does not return to the selector, which would wake it for every message. A rank that begins to compute is
 * therefore served less than a millisecond after its last poll, and immediately from then on. A rank that sends or
 * takes in a long transfer also has the lease, for at most {@value #USE_NANOS} ns. After that time the service thread
 * polls the other connections between its parks, because their processes would otherwise consider this one failed. A
 * rank that begins to sleep until a message arrives ends the lease. With {@link Service#POLL}, the service thread never
 * sleeps, and polls whenever no other thread has polled for {@value #LEASE_NANOS} ns.
 *
 * <p><b>Pace.</b> Frames that arrive more slowly than they can be read would wake the thread for every packet, at the
 * cost of computing ranks. The thread therefore lets more of a frame arrive ({@link ArrivalRate}) before it returns to
 * its selector.
 *
 * <p><b>Gathering.</b> While the service thread wakes every {@value #LOOK_NANOS} ns, it also sends the bytes in the
 * rails' buffers. A put that is not urgent can stay in a buffer, so that later puts share its system call. Meanwhile,
 * the field {@code looks} is true. A put writes to the buffer (and to its peer's volatile {@code dirty}) before it
 * reads {@code looks}. The service thread clears {@code looks} before it reads {@code dirty}, and then sleeps.
 * Therefore, either the put finds {@code looks} cleared, and sends by itself, or the service thread finds the put.
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
    private volatile boolean looks; // the thread will send the rails' buffers soon
    private boolean retiring; // for the thread itself
    private final ArrivalRate arrivalRate = new ArrivalRate();
    private volatile long retireByNanos;
    private volatile boolean retired;
    private volatile boolean closed;

    /**
     * Creates and starts the thread, and begins to listen.
     *
     * @throws JobStartException if the process cannot listen at its addresses, or cannot open a selector
     */
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

    /** Returns the acceptor of connections. Any thread may read its addresses and counters. */
    Acceptor acceptor() {
        return connections.acceptor();
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Lets the service thread begin to connect with a process, unless an attempt is under way.
     *
     * @param onlyForNews whether only news needs the connection; if all attempts fail, the process is then not reported
     *            as lost
     */
    void connect(Peer peer, boolean onlyForNews) {
        errands.add(() -> connections.connect(peer, onlyForNews));
        call();
    }

    /** Wakes the thread, so that it begins a new round immediately. */
    void call() {
        if (called.compareAndSet(false, true)) {
            selector.wakeup();
            LockSupport.unpark(thread);
        }
    }

    /** Returns whether this thread will soon send the bytes in the rails' buffers. */
    boolean looks() {
        return looks;
    }

    /** Notes that a rank polls, so that it has the lease. */
    void takeLease() {
        polledNanos = System.nanoTime();
    }

    /**
     * Ends the lease, the time in which this thread leaves arriving data to a rank that polls. This method is called
     * when a rank that may have polled recently goes to sleep. This thread then serves the process immediately.
     */
    void endLease() {
        if (service == Service.SLEEP) {
            polledNanos = System.nanoTime() - LEASE_NANOS;
            if (looks) {
                call();
            }
        }
    }

    /**
     * Waits until bytes arrive over any connection, but only for a short time. The calling thread sleeps in another
     * selector than the service thread. An arriving answer therefore wakes it directly, and no core has to poll
     * meanwhile.
     *
     * @return whether the calling thread has waited; false if another thread is waiting, or the calling thread is
     *            virtual
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
     * Stops making connections with further processes, and waits for those that another process may already consider
     * open. When this method returns, each of them is open on this side, too, or a timeout has expired.
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

    /** Ends the thread, and closes all connections. */
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

    // ---- rounds

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
                } else if (leased || holding) { // deferred frames are tried again soon
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
        } catch (Throwable e) { // a failure of one connection ends only that one
            fail(e);
        } finally {
            looks = false;
        }
    }

    /**
     * Ends this thread after an error from which this process cannot recover. All connections are closed, so that the
     * other processes notice it without a timeout.
     */
    private void fail(Throwable cause) {
        closed = true;
        listener.failed(cause);
        peers.lose("this process cannot go on: " + cause);
        connections.close();
    }

    /**
     * Returns whether a rank has the lease, so that it takes in arriving data and this thread need not. A rank in a
     * long transfer also has it, although it may not have polled for a while.
     */
    private boolean isLeased() {
        return System.nanoTime() - polledNanos < LEASE_NANOS || peers.isAnyInUse();
    }

    /**
     * Polls the connections on behalf of ranks that do not poll, for a limited number of turns, because this thread has
     * other work to do afterwards.
     */
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
        Thread.yield(); // lets ranks run if this thread has no core of its own
    }

    private void see(boolean leased) {
        boolean others = leased && System.nanoTime() - polledNanos > USE_NANOS; // one in use delays the rest
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

    /**
     * Checks whether connected processes or their rails are lost. A closed channel leaves a selector only when the
     * selector selects again. This method therefore also selects once with the selector of {@link #awaitArrival},
     * unless a thread is waiting in it.
     */
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

    /** Sleeps while a long frame arrives, because the frame cannot take effect before it is complete. */
    private void awaitMore() {
        long nanos = arrivalRate.sleepNanos(peers.missingBytes(), System.nanoTime());
        if (nanos > 0) {
            LockSupport.parkNanos(nanos);
        }
    }

    /** Lets the selector wake when a socket has room, but only for connections with frames to send. */
    private void armWrites() {
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof Peer peer) {
                int wanted = peer.wantsToSend() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
                try {
                    if (key.interestOps() != wanted) {
                        key.interestOps(wanted);
                    }
                } catch (CancelledKeyException _) {
                    continue; // a polling rank has just seen the end of the connection
                }
            }
        }
    }

    /** Lets a peer read from a channel from this moment on, and returns the wire of the channel. */
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
        peers.addConnected(peer); // before a thread can send to it, so that fenceAll finds it
        peer.connect(wires);
        listener.connected(peer.process());
    }
}
