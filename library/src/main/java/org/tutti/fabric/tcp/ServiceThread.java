/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

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
 * selector, with interest in all connections. When it wakes and a rank has the lease, it leaves the data to that rank.
 * It then parks until no rank has the lease any more, and does not return to the selector, which would wake it for
 * every message. A rank has the lease for {@value #LEASE_NANOS} ns after each poll. A thread that polls again and again
 * keeps it for {@value #USE_NANOS} ns after its latest poll, because it may lack a core. A thread that sends or takes
 * in a long transfer keeps it as long as the transfer lasts. After {@value #USE_NANOS} ns without a poll the service
 * thread polls the other connections after each park, because their processes would otherwise consider this one failed.
 * A rank that begins to sleep until a message arrives ends the lease, unless another thread polls again and again. With
 * {@link Service#POLL}, the service thread never sleeps, and polls whenever no other thread has the lease.
 *
 * <p><b>Sleep.</b> A rank that begins to compute does not tell the service thread, which serves it after its present
 * park. A park takes a sixteenth of the time since this thread last read for a computing rank, from
 * {@value #LOOK_NANOS} to {@value #SLEEP_NANOS_MAX} ns. A message to a rank that computes waits for at most a park. On
 * a host with more processes than cores, each park costs the ranks two switches of processes.
 *
 * <p><b>Pace.</b> Frames that arrive more slowly than they can be read would wake the thread for every packet, at the
 * cost of computing ranks. The thread therefore lets more of a frame arrive ({@link ArrivalRate}) before it returns to
 * its selector.
 *
 * <p><b>Gathering.</b> While the service thread parks for {@value #LOOK_NANOS} ns at a time, it also sends the bytes in
 * the rails' buffers. A put that is not urgent can stay in a buffer, so that later puts share its system call.
 * Meanwhile, the field {@code looks} is true. In a longer park, {@code sleepsLong} is true instead, and a put wakes the
 * thread. A put writes to the buffer (and to its peer's volatile {@code dirty}) before it reads the two fields. The
 * service thread changes them before it reads {@code dirty}, and then sleeps. Therefore, either the put finds a field
 * that is still true, or the service thread finds the put. In the first case the thread looks soon, or is woken.
 */
final class ServiceThread {
    private static final System.Logger LOG = System.getLogger(ServiceThread.class.getName());
    private static final long LEASE_NANOS = 50_000;
    private static final long LOOK_NANOS = 700_000;
    private static final long SLEEP_NANOS_MAX = 10_000_000;
    private static final int SLEEP_FRACTION = 16;
    private static final long USE_NANOS = 10_000_000;
    private static final long TICK_MILLIS_MAX = 500;
    private static final long BUSY_MILLIS = 20;
    private static final int TICKS_PER_LIMIT = 4;
    private static final int POLLS_PER_ROUND = 64;
    private static final long ARRIVAL_MILLIS_MAX = 1;
    private static final long RETIRE_NANOS_MAX = 2_000_000_000L;
    private static final long RETIRE_TURN_NANOS = 50_000;

    private final LocalProcess local;
    private final Service service;
    private final Peers peers;
    private final FabricListener listener;
    private final Selector selector;
    private final Arrivals arrivals;
    private final Connections connections;
    private final HeartbeatMonitor heartbeats;
    private final Thread thread;
    private final Queue<Runnable> errands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean called = new AtomicBoolean();
    private volatile long polledNanos = System.nanoTime() - LOOK_NANOS;
    private final AtomicInteger pollers = new AtomicInteger();
    private volatile boolean looks; // the thread will send the rails' buffers soon
    private volatile boolean sleepsLong; // the thread will send them soon if it is woken
    private boolean retiring; // for the thread itself, like the next two
    private boolean gathered; // there was something to send after the last park
    private long neededNanos = polledNanos;
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
        this.arrivals = new Arrivals(open(selector));
        try {
            this.connections = new Connections(local, selector, peers, this::read, this::connected, listener);
        } catch (RuntimeException e) {
            close(selector);
            arrivals.close();
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

    /**
     * Wakes this thread if it sleeps for longer because a rank has the lease.
     *
     * @return whether this method has woken the thread, which then sends the bytes in the rails' buffers
     */
    boolean endLongSleep() {
        boolean sleeps = sleepsLong;
        if (sleeps) {
            sleepsLong = false; // so that the next caller need not wake the thread
            LockSupport.unpark(thread);
        }
        return sleeps;
    }

    /**
     * Takes in the frames that have arrived, and gives the lease to the rank that polls.
     *
     * @return whether anything had arrived
     */
    boolean poll() {
        polledNanos = System.nanoTime();
        boolean any = peers.poll(arrivals);
        if (sleepsLong && peers.isAnyToSend()) { // there was no room, and the calling thread may begin to compute
            endLongSleep();
        }
        return any;
    }

    /** Notes that the calling thread polls again and again until {@link #endPolling}. */
    void beginPolling() {
        pollers.incrementAndGet();
    }

    /**
     * Notes that the calling thread no longer polls.
     *
     * @param sleeps whether the thread goes to sleep, so that its lease ends
     */
    void endPolling(boolean sleeps) {
        int left = pollers.decrementAndGet();
        assert left >= 0 : left + " threads poll";
        if (sleeps) {
            endLease();
        }
    }

    /**
     * Ends the lease, the time in which this thread leaves arriving data to a rank that polls. This method is called
     * when a rank that may have polled recently goes to sleep. This thread then serves the process immediately, unless
     * another thread polls again and again.
     */
    void endLease() {
        if (service == Service.SLEEP && pollers.get() == 0) {
            polledNanos = System.nanoTime() - USE_NANOS; // also for noteNeeded: no rank polls
            if (looks || sleepsLong) {
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
        if (Thread.currentThread().isVirtual()) {
            return false;
        }
        return arrivals.await(ARRIVAL_MILLIS_MAX);
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
            arrivals.close();
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
                    sleepLeased(holding || busy ? LOOK_NANOS : leasedSleepNanos(tickMillis), holding);
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
        return System.nanoTime() - polledNanos < (pollers.get() > 0 ? USE_NANOS : LEASE_NANOS) || peers.isAnyInUse();
    }

    /** Returns for how many nanoseconds this thread may sleep while a rank has the lease. */
    private long leasedSleepNanos(long tickMillis) {
        long most = Math.clamp(tickMillis * 1_000_000, LOOK_NANOS, SLEEP_NANOS_MAX);
        return gathered ? LOOK_NANOS
                : Math.clamp((System.nanoTime() - neededNanos) / SLEEP_FRACTION, LOOK_NANOS, most);
    }

    /**
     * Sleeps while a rank has the lease or frames are held, and then sends the bytes in the rails' buffers. A thread
     * that ends the lease or calls this thread writes its field before it reads {@code looks} and {@code sleepsLong}.
     * This method writes these two before it reads that field. It therefore finds the end of the lease or the call, or
     * the other thread wakes it.
     */
    private void sleepLeased(long nanos, boolean holding) {
        boolean isLong = nanos > LOOK_NANOS;
        looks = !isLong;
        sleepsLong = isLong;
        if (isLong && peers.isAnyToSend()) {
            sleepsLong = false;
            looks = true;
        }
        if (!called.get() && (holding || isLeased())) {
            LockSupport.parkNanos(looks ? LOOK_NANOS : nanos);
        }
        sleepsLong = false;
        gathered = peers.isAnyToSend();
        peers.pump();
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
                peers.poll(arrivals);
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
                    noteNeeded();
                    peer.poll();
                }
            }
        }
        selector.selectedKeys().clear();
        connections.acceptor().accept();
    }

    /** Notes that a rank that computes needs this thread. A rank that has just polled may only lack a core. */
    private void noteNeeded() {
        long nowNanos = System.nanoTime();
        if (nowNanos - polledNanos > LOOK_NANOS) {
            neededNanos = nowNanos;
        }
    }

    /**
     * Checks whether connected processes or their rails are lost.
     */
    private void look(long elapsedNanos) throws IOException {
        long nowNanos = System.nanoTime();
        for (Peer peer : peers.connected()) {
            heartbeats.look(peer, elapsedNanos);
            connections.lookAtRails(peer, nowNanos);
        }
        peers.release();
        arrivals.look();
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
            arrivals.add(channel, peer::markReadable);
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
