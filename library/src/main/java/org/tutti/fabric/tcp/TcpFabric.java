/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.tutti.JobStartException;
import org.tutti.TuttiException;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Farewell;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Region;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Service;
import org.tutti.memory.Waiter;

/**
 * The fabric over TCP. Two processes that communicate have one TCP connection for each rail. Once another process is
 * connected, its {@link Peer} executes the calls to it. The {@link ServiceThread} makes the connections, and does the
 * work that is due while no rank waits.
 */
public final class TcpFabric implements Fabric {
    private static final System.Logger LOG = System.getLogger(TcpFabric.class.getName());
    private static final int SILENT_PARTS = 3; // more than a tick, and less than half of the limit
    private static final int CONNECT_TURNS = 200;
    private static final long GOODBYE_NANOS_MAX = 2_000_000_000L;

    private final LocalProcess local;
    private final Regions regions = new Regions();
    private final Waiter waiter;
    private final Arena arena = Arena.ofAuto();
    private final AtomicLong refusals = new AtomicLong();
    private final Peers peers;
    private final ServiceThread service;
    private final FabricListener listener;
    private final Sleepers sleepers = new Sleepers();
    private volatile boolean closing;

    /**
     * Creates the fabric of a process, and begins to listen.
     *
     * @param local the data of this process
     * @param size the number of ranks of the job
     * @param listener receives the events of other processes
     * @param coreForEach whether every rank that may wait here has a core of its own
     * @param service the behaviour of the service thread while no rank polls
     * @throws JobStartException if this process cannot listen at its addresses
     */
    public TcpFabric(LocalProcess local, int size, FabricListener listener, boolean coreForEach, Service service) {
        this.local = local;
        this.listener = listener;
        this.waiter = Waiter.forAnswers(coreForEach, this, null);
        this.peers = new Peers(size, process -> new Peer(process, regions, listener, refusals, this,
                new RailChoice(local.striping(), System::nanoTime, local.firstRail(process, size)), arena));
        this.service = new ServiceThread(local, service, peers, listener);
    }

    /** {@return whether this JVM passes long arrays from and to sockets without a copy} */
    public static boolean passesArrays() {
        return SocketCalls.arePossible();
    }

    @Override
    public List<List<InetSocketAddress>> rails() {
        return service.acceptor().addresses();
    }

    /** {@return the first address of each rail at which this process listens} */
    public List<InetSocketAddress> addresses() {
        return rails().stream().map(List::getFirst).toList();
    }

    @Override
    public String whyLost(int process) {
        return peers.get(process).whyLost();
    }

    @Override
    public Optional<String> whyUnreachable(List<List<InetSocketAddress>> there, int millisMax) {
        List<String> failures = new ArrayList<>();
        for (int rail = 0; rail < Math.min(there.size(), local.rails().size()); rail++) {
            var ways = new Ways(rail, local.sources(rail), there.get(rail));
            ways.order(new LocalNetwork.Live(), Set.of());
            boolean isElsewhere = ways.all().stream().anyMatch(way -> way.kind() != Ways.Kind.OWN);
            for (Ways.Way way : ways.all()) {
                if (isElsewhere && way.kind() == Ways.Kind.OWN) {
                    break; // these are last: another program of this host may listen there
                }
                try (var socket = new Socket()) {
                    socket.bind(new InetSocketAddress(way.from(), 0));
                    socket.connect(way.to(), millisMax);
                    return Optional.empty();
                } catch (IOException e) {
                    ways.leave(e.getMessage(), false);
                }
            }
            failures.add(ways.describe());
        }
        return Optional.of(String.join("; ", failures));
    }

    // ---- calls

    @Override
    public int packetBytes() {
        return FrameLayout.PACKET_BYTES;
    }

    @Override
    public int packedBytesMax() {
        return FrameLayout.PAYLOAD_BYTES_MAX;
    }

    @Override
    public int requestBytesMax() {
        return FrameLayout.REQUEST_BYTES_MAX;
    }

    @Override
    public long register(MemorySegment memory) {
        return regions.add(memory).handle();
    }

    @Override
    public long register(MemorySegment memory, RegionHandler handler) {
        return regions.add(memory, handler).handle();
    }

    @Override
    public void registerKnown(MemorySegment memory, long handle) {
        registerKnown(memory, handle, null);
    }

    @Override
    public void registerKnown(MemorySegment memory, long handle, RegionHandler handler) {
        regions.addKnown(memory, handle, handler);
    }

    @Override
    public void revoke(long handle) {
        Region region = regions.find(handle);
        if (region != null) {
            regions.remove(handle);
            for (Peer peer : peers.connected()) {
                peer.settle();
            }
        }
    }

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        Peer peer = connect(target.process(), check);
        return peer != null && peer.sender().put(target, source, check);
    }

    @Override
    public boolean send(int process, long region, SectionPieces pieces, int operation, long argument0, long argument1,
            Waiter.Check check) {
        Peer peer = connect(process, check);
        return peer != null && peer.sender().send(region, pieces, operation, argument0, argument1, check);
    }

    @Override
    public boolean sendPacked(int process, long region, SectionPieces pieces, long bytes, int operation, long argument0,
            long argument1, Waiter.Check check) {
        Peer peer = connect(process, check);
        return peer != null && peer.sender().sendPacked(region, pieces, bytes, operation, argument0, argument1, check);
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
        Requester requester = peers.get(process).requester();
        if (!requester.await(request, waiter, check)) {
            return false;
        }
        requester.take(request);
        return true;
    }

    @Override
    public boolean isAnswered(int process, int request) {
        return peers.get(process).requester().isAnswered(request);
    }

    @Override
    public void forgetGet(int process, int request) {
        peers.get(process).requester().forget(request);
    }

    @Override
    public boolean atomic(int process, long region, long offset, AtomicOperation operation, long operand,
            long expected, long[] result, Waiter.Check check) {
        Peer peer = connect(process, check);
        int request = peer == null ? -1 : peer.requester().atomic(region, offset, operation, operand, expected, check);
        if (request < 0 || !peer.requester().await(request, waiter, check)) {
            return false;
        }
        result[0] = peer.requester().take(request);
        return true;
    }

    @Override
    public long beginFence(int process, Waiter.Check check) {
        return peers.get(process).sender().askAck(check);
    }

    @Override
    public boolean awaitFence(int process, long all, Waiter.Check check) {
        return peers.get(process).sender().awaitAck(all, waiter, check);
    }

    /** Ends a wait of this class that takes too long. No caller of this class sees this exception. */
    private static final class ImpatientException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ImpatientException() {
            super("it takes too long", null, false, false);
        }
    }

    @Override
    public boolean fenceAll(long timeoutMillis) {
        Waiter.Check patience = patience(System.nanoTime() + local.standstillNanosMax() + timeoutMillis * 1_000_000);
        try {
            boolean there = true;
            for (Peer peer : peers.connected()) {
                there &= peer.sender().awaitAck(peer.sender().askAck(patience), waiter, patience);
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
        for (Peer peer : peers.connected()) {
            if (peer.wantsToSend()) {
                peer.pump();
                if (peer.wantsToSend()) { // no room: the service thread goes on when there is some
                    service.call();
                }
            }
        }
    }

    @Override
    public void flushSoon() {
        if (!service.looks() && peers.isAnyToSend() && !service.endLongSleep()) {
            flush();
        }
    }

    @Override
    public boolean tell(int process, int kind, long index, long value) {
        Peer peer = peers.get(process);
        if (!peer.isConnected() && !peer.isGone() && !closing) {
            service.connect(peer, true);
            return false;
        }
        return peer.sender().tell(FrameLayout.NEWS, kind, index, value, 0);
    }

    @Override
    public void abandon(int process, String reason) {
        peers.get(process).lose(Loss.ENDED, reason);
    }

    @Override
    public boolean isGone(int process) {
        return peers.get(process).isGone();
    }

    @Override
    public boolean isSilent(int process) {
        return peers.get(process).silentNanos() > local.silenceNanosMax() / SILENT_PARTS;
    }

    @Override
    public boolean tellAll(int kind, long index, long value) {
        boolean all = true;
        for (Peer peer : peers.connected()) {
            all &= peer.sender().tell(FrameLayout.NEWS, kind, index, value, 0) || peer.isGone();
        }
        return all;
    }

    /**
     * Waits until another process is connected, and returns its peer; null if the process is gone.
     *
     * @throws TuttiException if this process itself cannot open the connection
     */
    private Peer connect(int process, Waiter.Check check) {
        Peer peer = peers.get(process);
        if (!peer.isConnected() && !peer.isGone()) {
            service.connect(peer, false);
            for (int turns = 1; !peer.isConnected() && !peer.isGone(); turns++) {
                check.check();
                String hindrance = peer.takeHindrance();
                if (hindrance != null) {
                    throw new TuttiException(
                            "rank " + local.rank() + " cannot open a connection with the process of rank "
                                    + process + ": " + hindrance + "; see the limits of this host, such as ulimit -n");
                }
                if (turns % CONNECT_TURNS == 0) { // the other side's own attempt may have failed
                    service.connect(peer, false);
                }
                if (service.isClosed()) {
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
        return service.poll();
    }

    @Override
    public void beginPolling() {
        service.beginPolling();
    }

    @Override
    public void endPolling(boolean sleeps) {
        service.endPolling(sleeps);
    }

    @Override
    public void sleep(MemorySegment memory, long offset, long atLeast, long nanosMax) {
        service.endLease();
        sleepers.sleep(memory, offset, atLeast, nanosMax);
    }

    @Override
    public void arrived() {
        sleepers.wake();
    }

    @Override
    public void awaitArrival() {
        if (!service.awaitArrival()) {
            Fabric.super.awaitArrival();
        }
    }

    // ---- the end

    /** Returns the number of connected processes. */
    int processesConnected() {
        return (int) Stream.of(peers.connected()).filter(peer -> !peer.isGone()).count();
    }

    /**
     * Returns the number of connections that were refused because of a wrong secret or another fault in the handshake.
     */
    long connectionsRefused() {
        return service.acceptor().refused();
    }

    /** Returns the number of connections that were dropped for newer ones before they had proved to know the secret. */
    long connectionsDropped() {
        return service.acceptor().dropped();
    }

    /** Returns the number of refused accesses to regions. */
    long accessesRefused() {
        return refusals.get();
    }

    @Override
    public void retire() {
        service.retire();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        try {
            retire();
            long deadlineNanos = System.nanoTime() + Math.min(GOODBYE_NANOS_MAX, local.silenceNanosMax());
            for (Peer peer : peers.connected()) {
                sayGoodbye(peer, deadlineNanos);
            }
        } finally {
            service.close();
        }
    }

    /**
     * Says good-bye to a process, and waits until all puts have arrived there, because closing a connection may drop
     * bytes that are under way.
     */
    private void sayGoodbye(Peer peer, long deadlineNanos) {
        Waiter.Check patience = patience(deadlineNanos);
        try {
            Farewell farewell = listener.farewell(peer.process());
            while (!peer.isGone() && !peer.sender().tell(FrameLayout.GOODBYE, farewell.state(), farewell.calls(),
                    farewell.history(), farewell.groups())) {
                patience.check();
                poll();
                Thread.yield();
            }
            if (!peer.isGone()) {
                long all = peer.sender().askAck(patience);
                peer.sender().awaitAck(all, waiter, patience);
            }
        } catch (ImpatientException _) {
            LOG.log(Level.DEBUG, () -> "rank " + peer.process() + " did not hear the good-bye of rank " + local.rank());
        }
    }
}
