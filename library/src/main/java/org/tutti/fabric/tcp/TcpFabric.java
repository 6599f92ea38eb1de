/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import org.tutti.JobStartException;
import org.tutti.TuttiException;
import org.tutti.fabric.Accumulator;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Service;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Waiter;

/**
 * The fabric over TCP: a connection for each pair of processes that have something to tell each other, and rail.
 *
 * <p><b>Polling is a lease.</b> A rank that waits polls the connections of its process itself, which takes a message a
 * few microseconds, where waking a thread takes some forty. The service thread is for ranks that compute. It sleeps in
 * its selector, with interest in everything; when it wakes and sees that a rank has polled within the last {@value
 * #LEASE_NANOS} ns, it leaves the data to that rank and does not go back to the selector, which would wake it for every
 * message, until {@value #LOOK_NANOS} ns later nobody has polled any more. So a rank that begins to compute is served
 * from below a millisecond after its last poll on, and at once after that. A rank that is inside a connection, sending
 * or taking in much, has the lease as well, but for {@value #USE_NANOS} ns only: then the others are looked at between
 * the service thread's parks, or they would take this process for failed. A service thread that is to poll never
 * sleeps, and polls whenever nobody else has for {@value #LEASE_NANOS} ns.
 *
 * <p><b>Gathering.</b> While the service thread comes by every {@value #LOOK_NANOS} ns it also sends what it finds in
 * the rails' buffers, so a put that need not leave at once stays there for others to share its system call. {@code
 * looks} says so. A put writes to the buffer (and to its peer's volatile {@code dirty}) before it reads {@code looks};
 * the service thread clears {@code looks} before it reads {@code dirty}, and then sleeps. So a put either finds it
 * cleared, and sends by itself, or is found.
 */
public final class TcpFabric implements Fabric {
    private static final System.Logger LOG = System.getLogger(TcpFabric.class.getName());
    private static final long LEASE_NANOS = 50_000;
    private static final long LOOK_NANOS = 700_000;
    private static final long USE_NANOS = 10_000_000;
    private static final long TICK_MILLIS_MAX = 500;
    private static final long BUSY_MILLIS = 20;
    private static final int TICKS_PER_LIMIT = 4;
    private static final int SILENT_PARTS = 3; // more than a tick, and less than half of the limit
    private static final int PEERS_PER_POLL = 8;
    private static final int SERVICE_POLLS = 64;
    private static final int VISIT_TURNS = 200;
    private static final long ARRIVAL_MILLIS_MAX = 1;
    private static final Consumer<SelectionKey> SEEN = _ -> {
    };
    private static final long GOODBYE_NANOS_MAX = 2_000_000_000L;
    private static final long RETIRE_NANOS_MAX = 2_000_000_000L;
    private static final long TURN_NANOS = 50_000;

    private final int self;
    private final Service service;
    private final Regions regions = new Regions();
    private final FabricListener listener;
    private final IntFunction<List<InetSocketAddress>> directory;
    private final long silenceNanosMax;
    private final long standstillNanosMax;
    private final Waiter waiter;
    private final Arena arena = Arena.ofAuto();
    private final AtomicReferenceArray<Peer> peers;
    private final AtomicLong refusals = new AtomicLong();
    private final Selector selector;
    private final Selector arrivals;
    private final Lock arrivalsLock = new ReentrantLock();
    private final Doorman doorman;
    private final Silence silence; // of the service thread
    private final Thread thread;
    private final Queue<Runnable> errands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean called = new AtomicBoolean();
    private volatile Peer[] connected = {};
    private volatile long polledNanos = System.nanoTime() - LOOK_NANOS;
    private volatile int turn;
    private volatile boolean looks; // the service thread comes by before long
    private boolean retiring; // of the service thread
    private volatile long retireByNanos;
    private volatile boolean retired;
    private volatile boolean closing;
    private volatile boolean closed;

    /**
     * Opens the doors of a process.
     *
     * @param self the first rank of this process
     * @param size the ranks of the job
     * @param secret what opens connections, 32 bytes
     * @param rails this host's addresses to listen on and to connect from, a rail each, with the port to listen at, or
     *            0 for any
     * @param directory finds where a process listens, by its first rank
     * @param listener is told what other processes tell
     * @param silenceMillisMax how long a host may be silent
     * @param standstillMillisMax how long a process may be silent whose host answers
     * @param coreForEach whether every rank that may wait here has a core of its own
     * @param service what the service thread does while no rank polls
     * @throws JobStartException when it cannot listen there
     */
    public TcpFabric(int self, int size, byte[] secret, List<InetSocketAddress> rails,
            IntFunction<List<InetSocketAddress>> directory, FabricListener listener, long silenceMillisMax,
            long standstillMillisMax, boolean coreForEach, Service service) {
        this.self = self;
        this.service = service;
        this.directory = directory;
        this.listener = listener;
        this.silenceNanosMax = silenceMillisMax * 1_000_000;
        this.standstillNanosMax = Math.max(silenceMillisMax, standstillMillisMax) * 1_000_000;
        this.waiter = Waiter.forAnswers(coreForEach, this);
        this.peers = new AtomicReferenceArray<>(size);
        Selector first = null;
        try {
            first = Selector.open();
            this.selector = first;
            this.arrivals = Selector.open();
        } catch (IOException e) {
            close(first);
            throw new JobStartException("rank " + self + " cannot open a selector (" + e.getMessage()
                    + "); allow more open files (ulimit -n)");
        }
        this.doorman = openDoors(secret, rails);
        this.silence = new Silence(rails.stream().map(InetSocketAddress::getAddress).toList(), directory,
                silenceNanosMax, standstillNanosMax);
        this.thread = Thread.ofPlatform().daemon().name("tutti service").start(this::serve);
    }

    private Doorman openDoors(byte[] secret, List<InetSocketAddress> rails) {
        try {
            return new Doorman(self, secret, rails, selector, new House(), silenceNanosMax, standstillNanosMax);
        } catch (RuntimeException e) {
            close(selector);
            close(arrivals);
            throw e;
        }
    }

    private static void close(Selector selector) {
        try {
            if (selector != null) {
                selector.close();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the selector could not be closed", e);
        }
    }

    /**
     * Adds a region whose handle all processes of the job know.
     *
     * @param memory its memory
     * @param handle its handle, with zeros in the low 16 bits
     */
    public void registerKnown(MemorySegment memory, long handle) {
        regions.addFirst(memory, handle);
    }

    /**
     * {@return where this process listens, a rail each}
     */
    public List<InetSocketAddress> addresses() {
        return doorman.addresses();
    }

    // ---- calls

    @Override
    public long register(MemorySegment memory) {
        return regions.add(memory).handle();
    }

    @Override
    public long register(MemorySegment memory, Accumulator accumulator) {
        return regions.add(memory, accumulator).handle();
    }

    @Override
    public void revoke(long handle) {
        Region region = regions.find(handle);
        if (region != null) {
            regions.remove(handle);
            for (Peer peer : connected) {
                peer.settle();
            }
        }
    }

    @Override
    public boolean put(int process, long region, long offset, MemorySegment source, long sourceOffset, long bytes,
            WordAction action, long word, long value, long tag, Waiter.Check check) {
        Peer peer = connect(process, check);
        return peer != null
                && peer.sender().put(region, offset, source, sourceOffset, bytes, action, word, value, tag, check);
    }

    @Override
    public boolean send(int process, long region, SectionPieces pieces, int operation, long scale, long imaginary,
            Waiter.Check check) {
        Peer peer = connect(process, check);
        return peer != null && peer.sender().send(region, pieces, operation, scale, imaginary, check);
    }

    @Override
    public boolean sendPacked(int process, long region, SectionPieces pieces, long bytes, int operation, long scale,
            long imaginary, Waiter.Check check) {
        Peer peer = connect(process, check);
        return peer != null && peer.sender().sendPacked(region, pieces, bytes, operation, scale, imaginary, check);
    }

    @Override
    public boolean get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check) {
        Peer peer = connect(process, check);
        int request = peer == null ? -1 : peer.requester().get(region, offset, target, targetOffset, bytes, check);
        return request >= 0 && awaitGet(process, request, check);
    }

    @Override
    public int beginGet(int process, long region, SectionPieces pieces, long bytes, MemorySegment target,
            long targetOffset, boolean waits, Waiter.Check check) {
        Peer peer = connect(process, check);
        return peer == null ? -1 : peer.requester().get(region, pieces, bytes, target, targetOffset, waits, check);
    }

    @Override
    public boolean awaitGet(int process, int request, Waiter.Check check) {
        Peer peer = peer(process);
        if (!awaitAnswer(peer, request, check)) {
            return false;
        }
        peer.requester().take(request);
        return true;
    }

    @Override
    public boolean isAnswered(int process, int request) {
        return peer(process).requester().isAnswered(request);
    }

    @Override
    public void forgetGet(int process, int request) {
        peer(process).requester().forget(request);
    }

    @Override
    public boolean atomic(int process, long region, long offset, AtomicOperation operation, long operand,
            long expected, long[] result, Waiter.Check check) {
        Peer peer = connect(process, check);
        int request = peer == null ? -1 : peer.requester().atomic(region, offset, operation, operand, expected, check);
        if (request < 0 || !awaitAnswer(peer, request, check)) {
            return false;
        }
        result[0] = peer.requester().take(request);
        return true;
    }

    private boolean awaitAnswer(Peer peer, int request, Waiter.Check check) {
        try {
            peer.requester().await(request, waiter, check);
            if (peer.isGone()) {
                peer.requester().forget(request); // nobody writes to the caller's memory then
                return false;
            }
            return true;
        } catch (RuntimeException e) {
            peer.requester().forget(request);
            throw e;
        }
    }

    @Override
    public long beginFence(int process, Waiter.Check check) {
        return peer(process).sender().askCount(check);
    }

    @Override
    public boolean awaitFence(int process, long all, Waiter.Check check) {
        return peer(process).sender().awaitCount(all, waiter, check);
    }

    /** Ends a wait that takes too long; never leaves this class. */
    private static final class ImpatientException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ImpatientException() {
            super("it takes too long", null, false, false);
        }
    }

    @Override
    public boolean fenceAll(long timeoutMillis) {
        Waiter.Check patience = patience(System.nanoTime() + standstillNanosMax + timeoutMillis * 1_000_000);
        try {
            boolean there = true;
            for (Peer peer : connected) {
                there &= peer.sender().awaitCount(peer.sender().askCount(patience), waiter, patience);
            }
            return there;
        } catch (ImpatientException _) {
            return false;
        }
    }

    private static Waiter.Check patience(long deadlineNanos) {
        return () -> {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new ImpatientException();
            }
        };
    }

    @Override
    public void flush() {
        for (Peer peer : connected) {
            if (peer.wantsToSend()) {
                peer.pump();
                if (peer.wantsToSend()) { // no room: the service thread goes on when there is
                    call();
                }
            }
        }
    }

    @Override
    public void flushSoon() {
        if (!looks) {
            flush();
        }
    }

    @Override
    public boolean tell(int process, int kind, long index, long value) {
        Peer peer = peer(process);
        if (!peer.isConnected() && !peer.isGone() && !closing) {
            errands.add(() -> doorman.visit(peer, true));
            call();
            return false;
        }
        return peer.sender().tell(FrameLayout.NEWS, kind, index, value);
    }

    @Override
    public void abandon(int process, String reason) {
        peer(process).lose(Loss.ENDED, reason);
    }

    @Override
    public boolean isGone(int process) {
        return peer(process).isGone();
    }

    @Override
    public boolean isSilent(int process) {
        return peer(process).silentNanos() > silenceNanosMax / SILENT_PARTS;
    }

    @Override
    public boolean tellAll(int kind, long index, long value) {
        boolean all = true;
        for (Peer peer : connected) {
            all &= peer.sender().tell(FrameLayout.NEWS, kind, index, value) || peer.isGone();
        }
        return all;
    }

    private Peer peer(int process) {
        Peer peer = peers.get(process);
        if (peer == null) {
            peers.compareAndSet(process, null, new Peer(process, regions, listener, refusals, this, arena));
            peer = peers.get(process);
        }
        return peer;
    }

    /** The other process, connected; or null when it is gone. */
    private Peer connect(int process, Waiter.Check check) {
        Peer peer = peer(process);
        if (!peer.isConnected() && !peer.isGone()) {
            errands.add(() -> doorman.visit(peer, false));
            call();
            for (int turns = 1; !peer.isConnected() && !peer.isGone(); turns++) {
                check.check();
                String hindrance = peer.takeHindrance();
                if (hindrance != null) {
                    throw new TuttiException("rank " + self + " cannot open a connection with the process of rank "
                            + process + ": " + hindrance + "; see the limits of this host, such as ulimit -n");
                }
                if (turns % VISIT_TURNS == 0) { // the other side's own attempt may have come to nothing
                    errands.add(() -> doorman.visit(peer, false));
                    call();
                }
                if (closed) {
                    return null;
                }
                LockSupport.parkNanos(Math.min(turns * 20_000L, 1_000_000));
            }
        }
        return peer.isGone() ? null : peer;
    }

    // ---- progress

    @Override
    public boolean poll() {
        polledNanos = System.nanoTime();
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

    /**
     * Waits as the service thread does, for the same connections: when an answer comes it wakes the one who waits for
     * it, and no core has to poll meanwhile.
     */
    @Override
    public void awaitArrival() {
        if (Thread.currentThread().isVirtual() || !arrivalsLock.tryLock()) {
            Fabric.super.awaitArrival();
            return;
        }
        try {
            polledNanos = System.nanoTime() + ARRIVAL_MILLIS_MAX * 1_000_000;
            arrivals.select(SEEN, ARRIVAL_MILLIS_MAX);
        } catch (IOException | ClosedSelectorException e) {
            LOG.log(Level.DEBUG, "waiting for arrivals failed", e);
            Fabric.super.awaitArrival();
        } finally {
            polledNanos = System.nanoTime();
            arrivalsLock.unlock();
        }
    }

    /** Has the service thread look around, whatever it does. */
    private void call() {
        if (called.compareAndSet(false, true)) {
            selector.wakeup();
            LockSupport.unpark(thread);
        }
    }

    /** Whoever sends or takes in much at a time has not polled for a while, and yet needs no help at once. */
    private boolean isLeased() {
        if (System.nanoTime() - polledNanos < LEASE_NANOS) {
            return true;
        }
        for (Peer peer : connected) {
            if (peer.isInUse()) {
                return true;
            }
        }
        return false;
    }

    private void serve() {
        long tickMillis = Math.clamp(silenceNanosMax / 1_000_000 / TICKS_PER_LIMIT, 1, TICK_MILLIS_MAX);
        long lookedNanos = System.nanoTime();
        try {
            while (!closed) {
                called.set(false);
                for (Runnable errand = errands.poll(); errand != null; errand = errands.poll()) {
                    errand.run();
                }
                boolean leased = isLeased();
                boolean holding = tryAgain();
                boolean busy = doorman.isBusy();
                retired = retiring && !busy;
                if (service == Service.POLL) {
                    looks = true;
                    pollForRanks();
                    sendWhatIsLeft();
                    selector.selectNow();
                } else if (leased || holding) { // who is held is not read, so the selector would not sleep
                    looks = true;
                    LockSupport.parkNanos(LOOK_NANOS);
                    sendWhatIsLeft();
                    selector.selectNow();
                } else {
                    looks = false;
                    armWrites();
                    selector.select(busy ? BUSY_MILLIS : tickMillis);
                }
                see(leased);
                long nowNanos = System.nanoTime();
                if (busy) {
                    doorman.look(nowNanos);
                }
                if (nowNanos - lookedNanos >= tickMillis * 1_000_000) {
                    look(Math.min(nowNanos - lookedNanos, 2 * tickMillis * 1_000_000));
                    tidy();
                    lookedNanos = nowNanos;
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
        for (Peer peer : connected) {
            peer.lose(Loss.ENDED, "this process cannot go on: " + cause);
        }
        doorman.close();
    }

    /** What was closed leaves a selector with the next selection, and nobody may wait for arrivals for long. */
    private void tidy() throws IOException {
        for (int process = 0; process < peers.length(); process++) {
            Peer peer = peers.get(process);
            if (peer != null) {
                peer.release();
            }
        }
        if (arrivalsLock.tryLock()) {
            try {
                arrivals.selectNow(SEEN);
            } finally {
                arrivalsLock.unlock();
            }
        }
    }

    /** Tries again what peers hold; returns whether they still do. */
    private boolean tryAgain() {
        boolean any = false;
        for (Peer peer : connected) {
            if (peer.isHolding()) {
                peer.poll();
                any |= peer.isHolding();
            }
        }
        return any;
    }

    private void sendWhatIsLeft() {
        for (Peer peer : connected) {
            peer.pump();
        }
    }

    /** A while, after which others have to be seen to as well. */
    private void pollForRanks() {
        for (int turn = 0; turn < SERVICE_POLLS && !called.get(); turn++) {
            if (isLeased()) {
                Thread.onSpinWait();
            } else {
                for (Peer peer : connected) {
                    peer.poll();
                }
            }
        }
        Thread.yield(); // whoever has given it no core of its own still gets on
    }

    private void see(boolean leased) {
        boolean others = leased && System.nanoTime() - polledNanos > USE_NANOS; // one is in use, and holds up the rest
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid() && !doorman.see(key) && (others || !leased && !isLeased())) {
                ((Peer) key.attachment()).poll();
            }
        }
        selector.selectedKeys().clear();
        doorman.letIn();
    }

    private void look(long elapsedNanos) {
        for (Peer peer : connected) {
            silence.look(peer, elapsedNanos);
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

    /** What the doorman knows of this fabric; called on the service thread. */
    private final class House implements Doorman.House {
        @Override
        public Peer peer(int process) {
            return TcpFabric.this.peer(process);
        }

        @Override
        public boolean isProcess(int process) {
            return process >= 0 && process < peers.length();
        }

        @Override
        public List<InetSocketAddress> addresses(int process) {
            return directory.apply(process);
        }

        private void register(SocketChannel channel) {
            try {
                channel.register(arrivals, SelectionKey.OP_READ);
            } catch (ClosedChannelException e) {
                LOG.log(Level.DEBUG, "a connection was lost at once", e);
            }
        }

        @Override
        public void connected(Peer peer, List<SocketChannel> channels) {
            for (SocketChannel channel : channels) {
                SelectionKey key = channel.keyFor(selector);
                key.attach(peer);
                key.interestOps(SelectionKey.OP_READ);
                register(channel);
            }
            if (peer.isConnected()) {
                channels.forEach(channel -> new SocketWire(channel).close());
                return;
            }
            peer.connect(channels.stream().map(SocketWire::new).toArray(Wire[]::new));
            Peer[] more = Arrays.copyOf(connected, connected.length + 1);
            more[connected.length] = peer;
            connected = more;
            listener.connected(peer.process());
        }
    }

    // ---- the end

    @Override
    public String describe() {
        int alive = 0;
        for (Peer peer : connected) {
            alive += peer.isGone() ? 0 : 1;
        }
        return alive + " processes connected, " + doorman.refused() + " connections refused, " + doorman.evicted()
                + " dropped for others, " + refusals.get() + " accesses refused";
    }

    /**
     * {@return how many connections were refused, because of a wrong secret or anything else in the handshake}
     */
    public long connectionsRefused() {
        return doorman.refused();
    }

    /**
     * {@return how many half-open connections were dropped because others came}
     */
    public long connectionsDropped() {
        return doorman.evicted();
    }

    /**
     * {@return how many accesses to regions were refused}
     */
    public long accessesRefused() {
        return refusals.get();
    }

    /**
     * Connects with nobody any more. When this returns, every process that takes itself for connected with this one is,
     * so that it can be told the last news, and hears the good-bye when the fabric is closed.
     */
    public void retire() {
        errands.add(() -> {
            retiring = true;
            doorman.retire();
        });
        call();
        synchronized (this) {
            retireByNanos = retireByNanos != 0 ? retireByNanos
                    : System.nanoTime() + Math.min(RETIRE_NANOS_MAX, silenceNanosMax);
        }
        while (!retired && !closed && System.nanoTime() - retireByNanos < 0) {
            LockSupport.parkNanos(TURN_NANOS);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        retire();
        long deadlineNanos = System.nanoTime() + Math.min(GOODBYE_NANOS_MAX, silenceNanosMax);
        for (Peer peer : connected) {
            sayGoodbye(peer, deadlineNanos);
        }
        closed = true;
        selector.wakeup();
        LockSupport.unpark(thread);
        joinService();
        for (Peer peer : connected) {
            peer.lose(Loss.ENDED, "this process has closed its job");
        }
        doorman.close();
        silence.close();
        close(selector);
        close(arrivals);
    }

    /** What was put must have arrived before the connection is closed, which may drop what is under way. */
    private void sayGoodbye(Peer peer, long deadlineNanos) {
        Waiter.Check patience = patience(deadlineNanos);
        try {
            while (!peer.isGone() && !peer.sender().tell(FrameLayout.GOODBYE, 0, 0, 0)) {
                patience.check();
                poll();
                Thread.yield();
            }
            if (!peer.isGone()) {
                long all = peer.sender().askCount(patience);
                peer.sender().awaitCount(all, waiter, patience);
            }
        } catch (ImpatientException _) {
            LOG.log(Level.DEBUG, () -> "rank " + peer.process() + " did not hear the good-bye of rank " + self);
        }
    }

    private void joinService() {
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
}
