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

/**
 * Makes connections: an {@link Acceptor} for those that others open, and a {@link Connector} for each process that this
 * one opens some with. All of it happens on the service thread, and never waits; only what is counted, and the
 * addresses, may be asked for by others.
 *
 * <p>When two processes connect with each other at the same time, the attempt of the lower first rank counts. Rails of
 * a pair are connected together, or not at all; if some cannot be, the others are tried without them. Those that are
 * missing are {@link RailReconnector}s from the start, as others become later.
 */
final class Connections {
    private static final System.Logger LOG = System.getLogger(Connections.class.getName());

    private final LocalProcess local;
    private final Selector selector;
    private final Peers peers;
    private final BiFunction<Peer, SocketChannel, Wire> whoReads;
    private final BiConsumer<Peer, Wire[]> whenConnected;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(Handshake.BUFFER_BYTES);
    private final Routes routes;
    private final Acceptor acceptor;
    private final Map<Integer, Connector> connectors = new HashMap<>();
    private final Map<Rail, RailReconnector> reconnectors = new IdentityHashMap<>();
    private final RailReconnector.Lines lines = new RailReconnector.Lines();
    private final Map<Integer, Long> shortSinceNanos = new HashMap<>();
    private int attempts;
    private boolean retired;

    /**
     * Begins to listen.
     *
     * @param selector of the service thread: what it finds ready that is no peer's, is a {@link Runnable} to run
     * @param whoReads makes a channel that peer's wire, and has it read from now on
     * @param whenConnected is told when a peer is connected by rails, some of which may be missing
     */
    Connections(LocalProcess local, Selector selector, Peers peers, BiFunction<Peer, SocketChannel, Wire> whoReads,
            BiConsumer<Peer, Wire[]> whenConnected) {
        this.local = local;
        this.selector = selector;
        this.peers = peers;
        this.whoReads = whoReads;
        this.whenConnected = whenConnected;
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

    /** Begins to connect with a process, unless that is under way. */
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

    /** Gives up what has taken too long, and tries again what was too early. */
    void look(long nowNanos) {
        acceptor.look(nowNanos);
        for (Connector connector : List.copyOf(connectors.values())) {
            connector.look(nowNanos);
        }
        if (!reconnectors.isEmpty()) {
            reconnectors.values().removeIf(rail -> !rail.look(nowNanos));
        }
    }

    /** Notes which rails of a connected process are lost. */
    void lookAtRails(Peer peer, long nowNanos) {
        for (int i = 0; peer.railsInAll() > 1 && i < peer.railsInAll() && !retired; i++) {
            Rail rail = peer.rail(i);
            if (rail.isLost() && !peer.isEnding()) {
                reconnectors.computeIfAbsent(rail, _ -> new RailReconnector(this, local, peer, rail, lines, nowNanos));
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
     * Accepts nobody any more, and connects with nobody else. Attempts that the other side may take for connected
     * already go on while this is busy: who has accepted this process is to hear its good-bye.
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

    // ---- for those that make them

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

    /** A number greater than those of all attempts before. */
    int nextAttempt() {
        return ++attempts;
    }

    void forget(Peer peer) {
        connectors.remove(peer.process());
    }

    /** A process is connected, by these rails; null for one that is missing. */
    void connected(int process, SocketChannel[] channels) {
        Peer peer = peers.get(process);
        for (int rail = 0; rail < channels.length; rail++) {
            if (channels[rail] != null) {
                routes.settle(process, rail, channels[rail]);
            }
        }
        whenConnected.accept(peer, Stream.of(channels)
                .map(channel -> channel == null ? Wire.NONE : whoReads.apply(peer, channel)).toArray(Wire[]::new));
    }

    /** A rail that was lost has a new connection. */
    void broughtBack(int process, int rail, SocketChannel channel) {
        Peer peer = peers.get(process);
        routes.settle(process, rail, channel);
        peer.bringBack(rail, whoReads.apply(peer, channel));
    }

    /** What to say to a process that knows the secret. */
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

    /** It takes its rail for lost, which this side may not know yet. */
    private Verdict verdictOnReturn(Peer peer, Introduction who) {
        if (who.rank() > local.rank() || !peer.isOpen() || who.rails() != peer.railsInAll()) {
            return Verdict.NO_SUCH_RAIL;
        }
        Rail rail = peer.rail(who.rail());
        if (who.attempt() - rail.attempt <= 0) { // it was given up
            return Verdict.DUPLICATE;
        }
        rail.attempt = who.attempt();
        return Verdict.ACCEPTED;
    }

    /** A process, or null when there is no memory to know it. */
    private Peer peer(int process) {
        try {
            return peers.get(process);
        } catch (OutOfMemoryError e) {
            noteShortage(process, e);
            return null;
        }
    }

    /** Whether there is memory for a connection. */
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

    /** Without memory for a connection for long, this process cannot go on. */
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
