/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.JobStartException;

/**
 * Listens at the addresses of this process, and accepts connections of processes that know the secret. Runs on the
 * service thread.
 *
 * <p>At most {@value #PENDING_MAX} connections with an unfinished handshake are kept, each for at most {@value
 * #PENDING_MILLIS_MAX} ms and with a small buffer of fixed size. When one more connection arrives, an older one is
 * dropped. A client knocks when its first message proves that it knows the secret ({@link Handshake}). Connections of
 * clients that have not yet knocked are dropped before others. Among these, the dropped one is the oldest connection
 * from the address that has most of them. A process of the job knocks with its first bytes. These bytes have usually
 * arrived when its connection is accepted, and are always read before the next connections are accepted. A flood of
 * connections therefore costs only the work of accepting them. A process that knows the secret may use the whole time
 * for the rest of the handshake, which it needs if many processes share a core.
 */
final class Acceptor {
    /** The most connections with an unfinished handshake. */
    static final int PENDING_MAX = 256;

    /** The longest time for a handshake in milliseconds. */
    static final long PENDING_MILLIS_MAX = 5000;

    private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());
    private static final int ACCEPTED_PER_TURN = PENDING_MAX / 4; // dropped ones keep descriptors for a turn
    private static final int BACKLOG = 1024;
    private static final int ATTEMPTS_PER_SET = 2; // a set of rails outlives its attempt

    private final Connections connections;
    private final LocalProcess local;
    private final Selector selector;
    private final List<ServerSocketChannel> servers = new ArrayList<>();
    private final List<List<InetSocketAddress>> addresses = new ArrayList<>();
    private final Set<Pending> pending = new LinkedHashSet<>();
    private final Map<Integer, RailSet> sets = new HashMap<>();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private boolean ready;
    private boolean paused;
    private String whyPaused = "";

    Acceptor(Connections connections, LocalProcess local, Selector selector) {
        this.connections = connections;
        this.local = local;
        this.selector = selector;
        try {
            for (List<InetSocketAddress> rail : local.rails()) {
                addresses.add(listen(rail));
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e instanceof RuntimeException known ? known : new JobStartException("rank " + local.rank()
                    + " cannot listen (" + e.getMessage() + "); see the limits of this host");
        }
    }

    /**
     * Begins to listen at the addresses of a rail, and returns the addresses with their ports. An address that cannot
     * be bound is left out if the rail has others.
     */
    private List<InetSocketAddress> listen(List<InetSocketAddress> rail) throws IOException {
        List<InetSocketAddress> listening = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (InetSocketAddress address : rail) {
            ServerSocketChannel server = ServerSocketChannel.open();
            servers.add(server);
            boolean fixed = address.getPort() != 0;
            try {
                PortRange ports = fixed ? new PortRange(address.getPort(), address.getPort()) : local.ports();
                ports.bind(server, address.getAddress(), BACKLOG);
                listening.add((InetSocketAddress) server.getLocalAddress());
                server.configureBlocking(false);
                server.register(selector, SelectionKey.OP_ACCEPT, (Runnable) () -> ready = true);
            } catch (IOException e) {
                failures.add((fixed ? Ways.text(address) : address.getAddress().getHostAddress()) + " ("
                        + e.getMessage() + ")");
                LOG.log(Level.DEBUG, "cannot listen on " + address, e);
                servers.remove(server);
                SocketWire.close(server);
                if (fixed) {
                    throw cannotListen(failures, "name another port in the rendezvous if another program has it");
                }
            }
        }
        if (listening.isEmpty()) {
            throw cannotListen(failures, "name other addresses of this host as rails (--rails, TUTTI_RAILS), or more "
                    + "ports (--ports, TUTTI_PORTS)");
        }
        return List.copyOf(listening);
    }

    private JobStartException cannotListen(List<String> failures, String remedy) {
        return new JobStartException("rank " + local.rank() + " cannot listen on " + String.join(", ", failures) + "; "
                + remedy);
    }

    /** Returns the addresses at which this process listens, or has listened, as a list for each rail. */
    List<List<InetSocketAddress>> addresses() {
        return addresses;
    }

    long refused() {
        return refused.get();
    }

    long dropped() {
        return dropped.get();
    }

    /** Returns whether some rails of a process are connected, and others are still missing. */
    boolean hasSomeOf(int process) {
        return sets.containsKey(process);
    }

    boolean isBusy() {
        return paused || !pending.isEmpty() || !sets.isEmpty();
    }

    /**
     * Accepts the waiting connections. Must be called when all connections that were accepted before have been read.
     */
    void accept() {
        if (ready) {
            ready = false;
            servers.forEach(this::accept);
        }
    }

    private void accept(ServerSocketChannel server) {
        try {
            for (int i = 0; i < ACCEPTED_PER_TURN; i++) {
                SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                if (pending.size() == PENDING_MAX) {
                    dropped.incrementAndGet();
                    unlikeliest().drop();
                }
                new Pending(channel).begin();
            }
        } catch (IOException e) { // perhaps too many open files: waiting connections can be accepted later
            if (!whyPaused.equals(e.toString())) {
                whyPaused = e.toString();
                LOG.log(Level.WARNING, "the process of rank " + local.rank() + " cannot accept connections, and tries"
                        + " again every now and then; if files are too many, allow more (ulimit -n)", e);
            }
            pause(true);
        }
    }

    /** Returns the connection to drop, which is the least likely to come from a process of the job. */
    private Pending unlikeliest() {
        List<Pending> strangers = pending.stream().filter(one -> !one.connection.handshake().hasKnocked()).toList();
        Collection<Pending> some = strangers.isEmpty() ? pending : strangers;
        Map<InetAddress, Long> counts =
                some.stream().collect(Collectors.groupingBy(one -> one.source, Collectors.counting()));
        long most = Collections.max(counts.values());
        return some.stream().filter(one -> counts.get(one.source) == most).findFirst().orElseThrow();
    }

    /**
     * Stops or resumes accepting. Without a pause, a socket from which nothing can be accepted would wake the selector
     * again and again.
     */
    private void pause(boolean pauses) {
        paused = pauses;
        for (ServerSocketChannel server : servers) {
            server.keyFor(selector).interestOps(pauses ? 0 : SelectionKey.OP_ACCEPT);
        }
    }

    /** Drops handshakes and sets of rails that have taken too long, and ends a pause. */
    void look(long nowNanos) {
        if (paused) {
            pause(false);
        }
        for (Pending one : List.copyOf(pending)) {
            if (nowNanos - one.sinceNanos > PENDING_MILLIS_MAX * 1_000_000) {
                one.refuse("it took more than " + PENDING_MILLIS_MAX + " ms");
            }
        }
        sets.values().removeIf(set -> {
            boolean late = nowNanos - set.sinceNanos > ATTEMPTS_PER_SET * Connector.openNanosMax(local);
            if (late) {
                set.close();
            }
            return late;
        });
    }

    /** Stops listening, and drops the connections that are not complete. */
    void close() {
        paused = false;
        servers.forEach(SocketWire::close);
        List.copyOf(pending).forEach(Pending::drop);
        sets.values().forEach(RailSet::close);
        sets.clear();
    }

    /** An accepted connection, until its handshake is done and all rails of its process are connected. */
    private final class Pending {
        final HandshakeChannel<ServerHandshake> connection;
        final InetAddress source;
        final long sinceNanos = System.nanoTime();
        RailSet set;

        Pending(SocketChannel channel) {
            connection = connections.accepted(channel);
            source = channel.socket().getInetAddress();
        }

        /** Begins the handshake. The first bytes of the client have usually arrived with the connection. */
        void begin() {
            pending.add(this);
            try {
                HandshakeChannel.prepare(connection.channel());
                connection.register(selector, SelectionKey.OP_READ, this::advance);
                advance();
            } catch (IOException e) {
                refuse(e.getMessage());
            }
        }

        private void advance() {
            if (set != null) { // a client is silent until all rails are connected: this rail has ended
                set.close();
                sets.values().remove(set);
                return;
            }
            try {
                ServerHandshake handshake = connection.handshake();
                connection.advance();
                if (handshake.state() == Handshake.State.INTRODUCED) {
                    answer(handshake);
                    connection.advance();
                }
                if (handshake.state() == Handshake.State.DONE && !handshake.toWrite().hasRemaining()) {
                    pending.remove(this);
                    if (handshake.verdict() == Verdict.ACCEPTED) {
                        join(handshake.introduction());
                    } else {
                        connection.close();
                    }
                }
            } catch (IOException | RuntimeException e) {
                refuse(e.getMessage());
            }
        }

        private void answer(ServerHandshake handshake) {
            Verdict verdict = connections.verdict(handshake.introduction());
            if (verdict == Verdict.WRONG_PROCESS || verdict == Verdict.NO_SUCH_RAIL) {
                refused.incrementAndGet();
            }
            handshake.answer(verdict);
        }

        private void join(Introduction who) {
            if (who.bringsBack()) {
                connections.broughtBack(who.rank(), who.rail(), connection.channel());
                return;
            }
            RailSet known = sets.get(who.rank());
            if (known == null || who.attempt() - known.attempt > 0) {
                if (known != null) {
                    known.close();
                }
                known = new RailSet(who);
                sets.put(who.rank(), known);
            }
            if (!known.expects(who)) { // the rail belongs to an abandoned attempt
                connection.close();
                return;
            }
            set = known;
            set.channels[who.rail()] = connection.channel();
            if (++set.arrived == Integer.bitCount(set.together)) {
                sets.remove(who.rank());
                connections.connected(who.rank(), set.channels);
            }
        }

        void refuse(String reason) {
            refused.incrementAndGet();
            LOG.log(Level.DEBUG, () -> "a connection was refused: " + reason);
            drop();
        }

        void drop() {
            pending.remove(this);
            connection.close();
        }
    }

    /** The connected rails of a process that has not yet connected all rails of its attempt. */
    private static final class RailSet {
        final int attempt;
        final int together;
        final SocketChannel[] channels;
        final long sinceNanos = System.nanoTime();
        int arrived;

        RailSet(Introduction first) {
            this.attempt = first.attempt();
            this.together = first.together();
            this.channels = new SocketChannel[first.rails()];
        }

        boolean expects(Introduction who) {
            return who.attempt() == attempt && who.together() == together && who.rails() == channels.length
                    && channels[who.rail()] == null;
        }

        void close() {
            Stream.of(channels).filter(Objects::nonNull).forEach(SocketWire::close);
        }
    }
}
