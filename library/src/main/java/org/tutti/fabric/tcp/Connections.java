/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.tutti.fabric.FabricListener;

/**
 * Makes the connections of this process. An {@link Acceptor} takes the connections that other processes open, and a
 * {@link Connector} opens the connections to one other process. Both run on the service thread and never wait. Other
 * threads may read only the counters and the addresses.
 *
 * <p>If two processes connect with each other at the same time, the attempt of the process with the lower first rank is
 * used. Two processes have a connection for each of their rails, and an attempt connects all of its rails or none. If
 * some rails cannot be connected, the next attempt leaves them out. A rail that is missing from the start gets a {@link
 * RailReconnector}, in the same way as a rail that is lost later.
 */
final class Connections {
    private static final System.Logger LOG = System.getLogger(Connections.class.getName());

    private final LocalProcess local;
    private final Selector selector;
    private final Peers peers;
    private final BiFunction<Peer, SocketChannel, Wire> wireOf;
    private final BiConsumer<Peer, Wire[]> whenConnected;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(Handshake.BUFFER_BYTES);
    private final FabricListener listener;
    private final Routes routes;
    private final Acceptor acceptor;
    private final Map<Integer, Connector> connectors = new HashMap<>();
    private final Map<Rail, RailReconnector> reconnectors = new IdentityHashMap<>();
    private final RailReconnector.Lines lines = new RailReconnector.Lines();
    private final Map<Integer, Long> shortSinceNanos = new HashMap<>();
    private int attempts;
    private boolean retired;

    /**
     * Creates the object that makes the connections of this process, and begins to listen for those of other processes.
     *
     * @param selector the service thread's selector; the attachment of a key is either a {@link Peer}, or a {@link
     *            Runnable} to run when the key is ready
     * @param wireOf creates a wire, over which a peer sends and receives, from an open channel, and lets the peer read
     *            from it
     * @param whenConnected called with a connected peer and its wires, one for each rail; the wire of a missing rail is
     *            {@link Wire#NONE}
     * @param listener hears of lost rails and of their return
     */
    Connections(LocalProcess local, Selector selector, Peers peers, BiFunction<Peer, SocketChannel, Wire> wireOf,
            BiConsumer<Peer, Wire[]> whenConnected, FabricListener listener) {
        this.local = local;
        this.selector = selector;
        this.peers = peers;
        this.wireOf = wireOf;
        this.whenConnected = whenConnected;
        this.listener = listener;
        this.routes = new Routes(local);
        this.acceptor = new Acceptor(this, local, selector);
    }

    Acceptor acceptor() {
        return acceptor;
    }

    Routes routes() {
        return routes;
    }

    // ---- events

    /**
     * Begins to connect with a process, unless an attempt is under way.
     *
     * @param onlyForNews whether only news needs the connection; if all attempts fail, the process is then not reported
     *            as lost
     */
    void connect(Peer peer, boolean onlyForNews) {
        int process = peer.process();
        if (!onlyForNews && connectors.get(process) instanceof Connector connector) {
            connector.beAwaited();
        }
        if (!retired && !peer.isConnected() && !peer.isGone() && !connectors.containsKey(process)
                && !acceptor.hasSomeOf(process)) {
            Connector connector = new Connector(this, local, peer, onlyForNews);
            connectors.put(process, connector);
            connector.begin();
        }
    }

    /**
     * Abandons the attempts to connect that have taken too long, and begins the attempts that are due. Must be called
     * at intervals.
     */
    void look(long nowNanos) {
        acceptor.look(nowNanos);
        for (Connector connector : List.copyOf(connectors.values())) {
            connector.look(nowNanos);
        }
        if (!reconnectors.isEmpty()) {
            reconnectors.values().removeIf(rail -> !rail.look(nowNanos));
        }
    }

    /** Begins to reconnect the lost rails of a connected process. */
    void lookAtRails(Peer peer, long nowNanos) {
        for (int i = 0; peer.railsInAll() > 1 && i < peer.railsInAll() && !retired; i++) {
            Rail rail = peer.rail(i);
            if (rail.isLost() && !peer.isEnding()) {
                reconnectors.computeIfAbsent(rail,
                        _ -> new RailReconnector(this, local, peer, rail, listener, lines, nowNanos));
            }
        }
    }

    boolean isBusy() {
        return acceptor.isBusy() || !connectors.isEmpty() || isRailInHurry();
    }

    private boolean isRailInHurry() {
        if (!reconnectors.isEmpty()) {
            for (RailReconnector rail : reconnectors.values()) {
                if (rail.isInHurry()) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Stops accepting connections, and begins no connections with further processes. An attempt that the other side may
     * already consider connected continues, because a process that has accepted this one must receive its good-bye.
     * {@link #isBusy} returns true until all such attempts have ended.
     */
    void retire() {
        retired = true;
        acceptor.close();
        closeReconnectors();
        List.copyOf(connectors.values()).forEach(connector -> connector.look(System.nanoTime()));
    }

    private void closeReconnectors() {
        reconnectors.values().forEach(RailReconnector::close);
        reconnectors.clear();
    }

    void close() {
        acceptor.close();
        closeReconnectors();
        List.copyOf(connectors.values()).forEach(Connector::close);
    }

    // ---- for the acceptor and the connectors

    boolean isRetired() {
        return retired;
    }

    HandshakeChannel<ServerHandshake> accepted(SocketChannel channel) {
        return new HandshakeChannel<>(channel, new ServerHandshake(local.secret(), random), buffer);
    }

    HandshakeChannel<ClientHandshake> opened(SocketChannel channel, Introduction introduction) {
        return new HandshakeChannel<>(channel, new ClientHandshake(local.secret(), random, introduction), buffer);
    }

    Selector selector() {
        return selector;
    }

    /** Returns a number greater than those of all earlier attempts. */
    int nextAttempt() {
        return ++attempts;
    }

    void forget(Peer peer) {
        connectors.remove(peer.process());
    }

    /** Begins to use the connections with a process. The channel of a missing rail is null. */
    void connected(int process, SocketChannel[] channels) {
        Peer peer = peers.get(process);
        for (int rail = 0; rail < channels.length; rail++) {
            if (channels[rail] != null) {
                routes.settle(process, rail, channels[rail]);
            }
        }
        whenConnected.accept(peer, Stream.of(channels)
                .map(channel -> channel == null ? Wire.NONE : wireOf.apply(peer, channel)).toArray(Wire[]::new));
    }

    /** Begins to use the new connection of a lost rail. */
    void broughtBack(int process, int rail, SocketChannel channel) {
        Peer peer = peers.get(process);
        routes.settle(process, rail, channel);
        peer.bringBack(rail, wireOf.apply(peer, channel));
    }

    /** Returns the verdict on a client that has proved to know the secret. */
    Verdict verdict(Introduction who) {
        if (who.serverRank() != local.rank() || !peers.isProcess(who.rank()) || who.rank() == local.rank()) {
            return Verdict.WRONG_PROCESS;
        }
        if (who.rails() > local.rails().size()) {
            return Verdict.NO_SUCH_RAIL;
        }
        Peer peer = peer(who.rank());
        if (peer == null) {
            return Verdict.BUSY;
        }
        if (who.bringsBack()) {
            return verdictOnReturn(peer, who);
        }
        if (peer.isConnected() || peer.isGone()) {
            return Verdict.DUPLICATE;
        }
        Connector own = connectors.get(who.rank());
        if (own != null && local.rank() < who.rank() || !isPrepared(peer, who.rails())) {
            return Verdict.BUSY;
        }
        if (own != null) {
            own.close();
        }
        return Verdict.ACCEPTED;
    }

    /** Returns the verdict on a client that reconnects a rail. This side may not have noticed the loss of the rail. */
    private Verdict verdictOnReturn(Peer peer, Introduction who) {
        if (who.rank() > local.rank() || !peer.isOpen() || who.rails() != peer.railsInAll()) {
            return Verdict.NO_SUCH_RAIL;
        }
        Rail rail = peer.rail(who.rail());
        if (who.attempt() - rail.attempt <= 0) { // an abandoned attempt
            return Verdict.DUPLICATE;
        }
        rail.attempt = who.attempt();
        return Verdict.ACCEPTED;
    }

    /** Returns a peer, or null if there is no memory for it. */
    private Peer peer(int process) {
        try {
            return peers.get(process);
        } catch (OutOfMemoryError e) {
            noteShortage(process, e);
            return null;
        }
    }

    /** Creates the buffers of a connection. Returns false if there is no memory for them. */
    boolean isPrepared(Peer peer, int count) {
        try {
            peer.prepare(count);
            shortSinceNanos.remove(peer.process());
            return true;
        } catch (OutOfMemoryError e) {
            noteShortage(peer.process(), e);
            return false;
        }
    }

    /**
     * Notes that this process has no memory for a connection, and logs a warning.
     *
     * @throws OutOfMemoryError if the memory has been missing for longer than a host may be silent, so that this
     *            process cannot go on
     */
    private void noteShortage(int process, OutOfMemoryError shortage) {
        long nowNanos = System.nanoTime();
        String what = "the process of rank " + local.rank() + " has no memory for a connection with that of rank "
                + process + " (" + shortage.getMessage() + "); allow more with -XX:MaxDirectMemorySize, or -Xmx";
        if (shortSinceNanos.isEmpty()) {
            LOG.log(Level.WARNING, what + "; it tries again for " + local.silenceNanosMax() / 1_000_000 + " ms");
        }
        if (nowNanos - shortSinceNanos.computeIfAbsent(process, _ -> nowNanos) > local.silenceNanosMax()) {
            throw new OutOfMemoryError(what);
        }
    }
}
