/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Makes connections: an {@link Acceptor} for those that others open, and a {@link Connector} for each process that this
 * one opens some with. All of it happens on the service thread, and never waits; only what is counted, and the
 * addresses, may be asked for by others.
 *
 * <p>When two processes connect with each other at the same time, the attempt of the lower first rank counts. All rails
 * of a pair are connected together, or not at all; if some cannot be, the others are tried without them.
 */
final class Connections {
    private static final System.Logger LOG = System.getLogger(Connections.class.getName());

    private final LocalProcess local;
    private final Selector selector;
    private final Peers peers;
    private final BiConsumer<Peer, List<SocketChannel>> whenConnected;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(Handshake.BUFFER_BYTES);
    private final Acceptor acceptor;
    private final Map<Integer, Connector> connectors = new HashMap<>();
    private final Map<Integer, Long> shortSinceNanos = new HashMap<>();
    private int attempts;
    private boolean retired;

    /**
     * Begins to listen.
     *
     * @param selector of the service thread: what it finds ready that is no peer's, is a {@link Runnable} to run
     * @param whenConnected is told when all rails of a peer are connected
     */
    Connections(LocalProcess local, Selector selector, Peers peers,
            BiConsumer<Peer, List<SocketChannel>> whenConnected) {
        this.local = local;
        this.selector = selector;
        this.peers = peers;
        this.whenConnected = whenConnected;
        this.acceptor = new Acceptor(this, local, selector);
    }

    Acceptor acceptor() {
        return acceptor;
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
    }

    boolean isBusy() {
        return acceptor.isBusy() || !connectors.isEmpty();
    }

    /**
     * Accepts nobody any more, and connects with nobody else. Attempts that the other side may take for connected
     * already go on while this is busy: who has accepted this process is to hear its good-bye.
     */
    void retire() {
        retired = true;
        acceptor.close();
        List.copyOf(connectors.values()).forEach(connector -> connector.look(System.nanoTime()));
    }

    void close() {
        acceptor.close();
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

    /** All rails of a process are connected. */
    void connected(int process, List<SocketChannel> channels) {
        whenConnected.accept(peers.get(process), channels);
    }

    /** What to say to a process that knows the secret. */
    Verdict verdict(Introduction who) {
        if (who.serverRank() != local.rank() || !peers.isProcess(who.rank()) || who.rank() == local.rank()) {
            return Verdict.WRONG_PROCESS;
        }
        Peer peer = peer(who.rank());
        if (peer == null) {
            return Verdict.BUSY;
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
