/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import org.tutti.JobStartException;
import org.tutti.fabric.Loss;

/**
 * Makes connections: listens, lets in who knows the secret, and knocks at other processes' doors. All of it happens on
 * the service thread, and never waits.
 *
 * <p>Of strangers, at most {@value #GUESTS_MAX} are kept at once, for {@value #GUEST_MILLIS} ms at most and with a
 * fixed small buffer each. When one more comes, one has to go: the oldest of the address that most have come from, of
 * those who have not knocked as one does who knows the secret. A process of the job does that with its first words,
 * which are mostly there when it is let in, and are always read before the next ones are let in. So a flood costs only
 * what it costs to accept it, and whoever knows the secret may take his time for the rest, as he has to where many
 * processes share a core.
 *
 * <p>When two processes knock at each other's doors at the same time, the knocking of the lower first rank counts. All
 * rails of a pair are connected together, or not at all; if some cannot be, the others are tried without them.
 */
final class Doorman {
    /** How many connections may be open that have not proved to know the secret. */
    static final int GUESTS_MAX = 256;

    /** How long they may take. */
    static final long GUEST_MILLIS = 5000;

    private static final System.Logger LOG = System.getLogger(Doorman.class.getName());
    private static final int GUESTS_PER_TURN = GUESTS_MAX / 4; // those who had to go keep a descriptor until then
    private static final int BACKLOG = 1024;
    private static final int BUFFER_BYTES = 256;
    private static final long VISIT_NANOS = 3_000_000_000L;
    private static final int VISITS_PER_PARTY = 2; // a party outlives the visit that its rails belong to
    private static final long STRANGER_NANOS = 500_000_000L; // another one may listen there next
    private static final long AGAIN_NANOS = 20_000_000L;
    private static final long AGAIN_NANOS_MAX = 500_000_000L;
    private static final long BUSY_NANOS = 1_000_000_000L;

    /** What the doorman needs of the fabric. */
    interface House {
        Peer peer(int process);

        boolean isProcess(int process);

        List<InetSocketAddress> addresses(int process);

        void connected(Peer peer, List<SocketChannel> channels);
    }

    private final int self;
    private final byte[] secret;
    private final List<InetAddress> rails;
    private final Selector selector;
    private final House house;
    private final long patienceNanos;
    private final long openVisitNanos;
    private final long standstillNanosMax;
    private boolean knocked;
    private boolean shut;
    private String whyShut = "";
    private int attempts;
    private boolean retired;
    private final SecureRandom random = new SecureRandom();
    private final List<ServerSocketChannel> doors = new ArrayList<>();
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final Set<Guest> guests = new LinkedHashSet<>();
    private final Map<Integer, Party> parties = new HashMap<>();
    private final Map<Integer, Visit> visits = new HashMap<>();
    private final Map<Integer, Long> shortSinceNanos = new HashMap<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong evicted = new AtomicLong();

    Doorman(int self, byte[] secret, List<InetSocketAddress> rails, Selector selector, House house,
            long patienceNanos, long standstillNanosMax) {
        this.self = self;
        this.secret = secret.clone();
        this.rails = rails.stream().map(InetSocketAddress::getAddress).toList();
        this.selector = selector;
        this.house = house;
        this.patienceNanos = patienceNanos;
        this.openVisitNanos = Math.max(VISIT_NANOS, patienceNanos);
        this.standstillNanosMax = Math.max(openVisitNanos, standstillNanosMax);
        try {
            for (InetSocketAddress rail : rails) {
                ServerSocketChannel door = ServerSocketChannel.open();
                doors.add(door);
                door.bind(rail, BACKLOG);
                addresses.add((InetSocketAddress) door.getLocalAddress());
                door.configureBlocking(false);
                door.register(selector, SelectionKey.OP_ACCEPT, this);
            }
        } catch (IOException e) {
            close();
            throw new JobStartException("rank " + self + " cannot listen on " + rails + " (" + e.getMessage()
                    + "); name other addresses of this host as rails");
        }
    }

    /** Where this process listens, or did, a rail each. */
    List<InetSocketAddress> addresses() {
        return addresses;
    }

    long refused() {
        return refused.get();
    }

    long evicted() {
        return evicted.get();
    }

    // ---- events

    /** Sees to a key that is ready, if it is the doorman's business; data of connected peers are not. */
    boolean see(SelectionKey key) {
        switch (key.attachment()) {
            case Doorman _ -> knocked = true;
            case Guest guest -> guest.advance();
            case Knock knock -> knock.advance();
            case null, default -> {
                return false;
            }
        }
        return true;
    }

    /** Lets in who stands at the doors, when everybody who is in has been seen to. */
    void letIn() {
        if (knocked) {
            knocked = false;
            doors.forEach(this::accept);
        }
    }

    private void accept(ServerSocketChannel door) {
        try {
            for (int i = 0; i < GUESTS_PER_TURN; i++) {
                SocketChannel channel = door.accept();
                if (channel == null) {
                    return;
                }
                if (guests.size() == GUESTS_MAX) {
                    evicted.incrementAndGet();
                    unlikeliest().dismiss();
                }
                new Guest(channel).enter();
            }
        } catch (IOException e) { // too many open files, perhaps: those who wait can be let in later
            if (!whyShut.equals(e.toString())) {
                whyShut = e.toString();
                LOG.log(Level.WARNING, "the process of rank " + self + " cannot accept connections, and tries again"
                        + " every now and then; if files are too many, allow more (ulimit -n)", e);
            }
            shut(true);
        }
    }

    /** Who has to go for others. */
    private Guest unlikeliest() {
        List<Guest> strangers = guests.stream().filter(guest -> !guest.handshake.hasKnocked()).toList();
        Collection<Guest> some = strangers.isEmpty() ? guests : strangers;
        Map<InetAddress, Long> counts =
                some.stream().collect(Collectors.groupingBy(guest -> guest.source, Collectors.counting()));
        long most = Collections.max(counts.values());
        return some.stream().filter(guest -> counts.get(guest.source) == most).findFirst().orElseThrow();
    }

    /** A door that cannot let anybody in must not be looked at again and again. */
    private void shut(boolean shuts) {
        shut = shuts;
        for (ServerSocketChannel door : doors) {
            door.keyFor(selector).interestOps(shuts ? 0 : SelectionKey.OP_ACCEPT);
        }
    }

    private static SocketChannel prepare(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    /** Begins to connect with a process, unless that is under way. */
    void visit(Peer peer, boolean onlyForNews) {
        int process = peer.process();
        if (!onlyForNews && visits.get(process) instanceof Visit visit) {
            visit.beAwaited();
        }
        if (!retired && !peer.isConnected() && !peer.isGone() && !visits.containsKey(process)
                && !parties.containsKey(process)) {
            Visit visit = new Visit(peer, onlyForNews);
            visits.put(process, visit);
            visit.begin();
        }
    }

    /** Gives up what has taken too long, and tries again what was too early. */
    void look(long nowNanos) {
        if (shut) {
            shut(false);
        }
        for (Guest guest : List.copyOf(guests)) {
            if (nowNanos - guest.sinceNanos > GUEST_MILLIS * 1_000_000) {
                guest.refuse("it took more than " + GUEST_MILLIS + " ms");
            }
        }
        for (Map.Entry<Integer, Party> entry : List.copyOf(parties.entrySet())) {
            if (nowNanos - entry.getValue().sinceNanos > VISITS_PER_PARTY * openVisitNanos) {
                entry.getValue().disperse();
                parties.remove(entry.getKey());
            }
        }
        for (Visit visit : List.copyOf(visits.values())) {
            visit.look(nowNanos);
        }
    }

    boolean isBusy() {
        return shut || !guests.isEmpty() || !visits.isEmpty() || !parties.isEmpty();
    }

    /**
     * Lets nobody in any more, and makes no new visits. Those whose hosts may take them for connected already go on
     * while the doorman is busy: who has let this process in is to hear its good-bye.
     */
    void retire() {
        retired = true;
        shut = false;
        doors.forEach(Doorman::close);
        List.copyOf(guests).forEach(Guest::dismiss);
        parties.values().forEach(Party::disperse);
        parties.clear();
        List.copyOf(visits.values()).forEach(visit -> visit.look(System.nanoTime()));
    }

    void close() {
        List.copyOf(guests).forEach(Guest::dismiss);
        parties.values().forEach(Party::disperse);
        List.copyOf(visits.values()).forEach(Visit::close);
        doors.forEach(Doorman::close);
    }

    static void close(java.nio.channels.Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a connection could not be closed", e);
        }
    }

    /** Whether there is memory for a connection; without it for long, this process cannot go on. */
    private boolean isPrepared(Peer peer, int count) {
        try {
            peer.prepare(count);
            shortSinceNanos.remove(peer.process());
            return true;
        } catch (OutOfMemoryError e) {
            long nowNanos = System.nanoTime();
            String what = "the process of rank " + self + " has no memory for a connection with that of rank "
                    + peer.process() + " (" + e.getMessage() + "); allow more with -XX:MaxDirectMemorySize, or -Xmx";
            if (shortSinceNanos.isEmpty()) {
                LOG.log(Level.WARNING, what + "; it tries again for " + patienceNanos / 1_000_000 + " ms");
            }
            if (nowNanos - shortSinceNanos.computeIfAbsent(peer.process(), _ -> nowNanos) > patienceNanos) {
                throw new OutOfMemoryError(what);
            }
            return false;
        }
    }

    /** Lets a handshake go on as far as it gets; an exception says that it does not. */
    private void advance(SocketChannel channel, SelectionKey key, Handshake handshake) throws IOException {
        boolean moved = true;
        while (moved) {
            moved = false;
            if (handshake.toWrite().hasRemaining()) {
                moved = channel.write(handshake.toWrite()) > 0;
            } else if (handshake.wanted() > 0) {
                buffer.clear().limit(Math.min(handshake.wanted(), buffer.capacity()));
                int bytes = channel.read(buffer);
                if (bytes < 0) {
                    handshake.closed();
                    throw new EOFException(handshake.refusal());
                } else if (bytes > 0) {
                    handshake.read(buffer.flip());
                    moved = true;
                }
            }
            if (handshake.state() == Handshake.State.REFUSED) {
                channel.write(handshake.toWrite());
                throw new IOException(handshake.refusal());
            }
            moved &= handshake.state() == Handshake.State.GOING_ON;
        }
        key.interestOps(handshake.toWrite().hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }

    // ---- those who come

    /** Somebody who has connected. */
    private final class Guest {
        final SocketChannel channel;
        final Handshake handshake = Handshake.server(secret, random);
        final long sinceNanos = System.nanoTime();
        final InetAddress source;
        SelectionKey key;
        Party party;

        Guest(SocketChannel channel) {
            this.channel = channel;
            this.source = channel.socket().getInetAddress();
        }

        /** What it says first has mostly come with it. */
        void enter() {
            guests.add(this);
            try {
                key = prepare(channel).register(selector, SelectionKey.OP_READ, this);
                advance();
            } catch (IOException e) {
                refuse(e.getMessage());
            }
        }

        void advance() {
            if (party != null) { // nobody says anything before all rails have come: this one has ended
                party.disperse();
                parties.values().remove(party);
                return;
            }
            try {
                Doorman.this.advance(channel, key, handshake);
                if (handshake.state() == Handshake.State.INTRODUCED) {
                    handshake.answer(verdict(handshake.introduction()));
                    Doorman.this.advance(channel, key, handshake);
                }
                if (handshake.state() == Handshake.State.DONE && !handshake.toWrite().hasRemaining()) {
                    guests.remove(this);
                    if (handshake.verdict() == Handshake.Verdict.ACCEPTED) {
                        join(handshake.introduction());
                    } else {
                        Doorman.close(channel);
                    }
                }
            } catch (IOException | RuntimeException e) {
                refuse(e.getMessage());
            }
        }

        private void join(Handshake.Introduction who) {
            Party known = parties.get(who.rank());
            if (known == null || who.attempt() - known.attempt > 0) {
                if (known != null) {
                    known.disperse();
                }
                known = new Party(who);
                parties.put(who.rank(), known);
            }
            if (!known.expects(who)) { // it belongs to an attempt that was given up
                Doorman.close(channel);
                return;
            }
            party = known;
            party.channels[who.rail()] = channel;
            if (++party.arrived == party.channels.length) {
                parties.remove(who.rank());
                house.connected(house.peer(who.rank()), List.of(party.channels));
            }
        }

        void refuse(String reason) {
            refused.incrementAndGet();
            LOG.log(Level.DEBUG, () -> "a connection was refused: " + reason);
            dismiss();
        }

        void dismiss() {
            guests.remove(this);
            Doorman.close(channel);
        }
    }

    private Handshake.Verdict verdict(Handshake.Introduction who) {
        if (who.serverRank() != self || !house.isProcess(who.rank()) || who.rank() == self) {
            refused.incrementAndGet();
            return Handshake.Verdict.WRONG_PROCESS;
        }
        Peer peer = house.peer(who.rank());
        if (peer.isConnected() || peer.isGone()) {
            return Handshake.Verdict.DUPLICATE;
        }
        Visit own = visits.get(who.rank());
        if (own != null && self < who.rank() || !isPrepared(peer, who.rails())) {
            return Handshake.Verdict.BUSY;
        }
        if (own != null) {
            own.close();
        }
        return Handshake.Verdict.ACCEPTED;
    }

    /** The rails of one process that have come so far. */
    private static final class Party {
        final int attempt;
        final SocketChannel[] channels;
        final long sinceNanos = System.nanoTime();
        int arrived;

        Party(Handshake.Introduction first) {
            this.attempt = first.attempt();
            this.channels = new SocketChannel[first.rails()];
        }

        boolean expects(Handshake.Introduction who) {
            return who.attempt() == attempt && who.rails() == channels.length && channels[who.rail()] == null;
        }

        void disperse() {
            for (SocketChannel channel : channels) {
                if (channel != null) {
                    Doorman.close(channel);
                }
            }
        }
    }

    // ---- those who are visited

    /**
     * Connects with another process on all rails, in one attempt after the other.
     *
     * <p>That it does not succeed says nothing about the other process. As long as its host takes connections for it,
     * it stands still or is slow, and the attempts grow longer, so that few wait at its door; who refuses them, or does
     * not answer, has as long as a host may be silent. After that, a visit that was only to bring news is over, and
     * nobody is blamed; calls that wait for it end. What keeps this process itself from connecting is its own trouble.
     */
    private final class Visit {
        final Peer peer;
        final long firstNanos = System.nanoTime();
        List<Integer> usable = new ArrayList<>();
        List<Knock> knocks = List.of();
        HostProbe probe;
        long lookedNanos = firstNanos;
        long unansweredNanos;
        long takenNanos = firstNanos; // when the host had last taken a connection
        long attemptNanos = VISIT_NANOS;
        long againNanos = AGAIN_NANOS;
        long beganNanos;
        boolean waits;
        boolean onlyForNews;

        Visit(Peer peer, boolean onlyForNews) {
            this.peer = peer;
            this.onlyForNews = onlyForNews;
        }

        void begin() {
            int count;
            try {
                count = Math.min(rails.size(), house.addresses(peer.process()).size());
            } catch (RuntimeException e) { // nobody has told a usable address
                end(Loss.UNREACHABLE, "its address cannot be used: " + e.getMessage());
                return;
            }
            for (int rail = 0; rail < count; rail++) {
                usable.add(rail);
            }
            knock();
        }

        /** Who waits now waits as long as who has waited from the beginning. */
        void beAwaited() {
            if (onlyForNews) {
                onlyForNews = false;
                takenNanos = System.nanoTime();
            }
        }

        private void knock() {
            beganNanos = System.nanoTime();
            waits = !isPrepared(peer, usable.size());
            knocks = new ArrayList<>();
            attempts++;
            for (int i = 0; i < usable.size() && !waits; i++) {
                knocks.add(new Knock(this, i));
            }
            for (Knock knock : knocks) {
                knock.begin();
            }
        }

        void opened() {
            if (knocks.stream().allMatch(knock -> knock.isOpen)) {
                forget();
                house.connected(peer, knocks.stream().map(knock -> knock.channel).toList());
            }
        }

        /** The other side said no, for now: its own attempt will do, or this one begins again later. */
        void postpone() {
            abandon();
            waits = true;
        }

        void look(long nowNanos) {
            boolean mayBeOpen = knocks.stream().allMatch(Knock::mayBeOpen);
            if (peer.isConnected() || peer.isGone() || retired && (waits || !mayBeOpen)) {
                close();
            } else if (waits) {
                if (nowNanos - beganNanos > BUSY_NANOS) {
                    knock();
                }
            } else {
                look(nowNanos, mayBeOpen ? isHopeless(nowNanos) : nowNanos - beganNanos > attemptNanos);
            }
        }

        /** The other side may take this process for connected: to give that up would look like a failure. */
        private boolean isHopeless(long nowNanos) {
            long elapsedNanos = Math.min(nowNanos - lookedNanos, AGAIN_NANOS_MAX);
            lookedNanos = nowNanos;
            if (nowNanos - beganNanos < openVisitNanos / 2) {
                return false;
            }
            if (probe == null) {
                probe = new HostProbe(rails, house.addresses(peer.process()), openVisitNanos);
            }
            unansweredNanos = probe.look(elapsedNanos);
            return unansweredNanos >= openVisitNanos / 2 || nowNanos - beganNanos >= standstillNanosMax;
        }

        private void look(long nowNanos, boolean late) {
            List<Knock> failed =
                    knocks.stream().filter(knock -> knock.failure != null || late && !knock.isOpen).toList();
            boolean settled = late || knocks.stream().allMatch(knock -> knock.isOpen || knock.failure != null);
            if (failed.isEmpty() || !settled || nowNanos - beganNanos < againNanos) {
                return;
            }
            abandon();
            if (failed.size() < knocks.size()) {
                List<Integer> others = new ArrayList<>();
                for (int i = 0; i < usable.size(); i++) {
                    if (!failed.contains(knocks.get(i))) {
                        others.add(usable.get(i));
                    }
                }
                usable = others;
                knock();
            } else {
                tryAgain(nowNanos);
            }
        }

        private void tryAgain(long nowNanos) {
            if (knocks.stream().anyMatch(Knock::isTaken)) {
                takenNanos = nowNanos;
                attemptNanos = Math.min(2 * attemptNanos, openVisitNanos);
            }
            againNanos = Math.min(2 * againNanos, AGAIN_NANOS_MAX);
            boolean strangers = knocks.stream().allMatch(knock -> knock.isStranger);
            if (nowNanos - takenNanos < (strangers ? STRANGER_NANOS : patienceNanos)
                    && nowNanos - firstNanos < standstillNanosMax) {
                knock();
            } else if (knocks.stream().allMatch(knock -> knock.isHindered)) {
                forget();
                peer.hinder(knocks.get(0).failure);
            } else {
                boolean silent = knocks.stream().allMatch(knock -> knock.failure == null);
                end(nowNanos - takenNanos < patienceNanos ? Loss.STOOD_STILL : Loss.UNREACHABLE,
                        "it cannot be reached at " + house.addresses(peer.process()) + ": "
                                + (silent ? "no answer" : knocks.get(0).failure));
            }
        }

        private void end(Loss loss, String reason) {
            forget();
            if (!onlyForNews) { // somebody waits for it
                peer.lose(loss, reason);
            }
        }

        private void forget() {
            visits.remove(peer.process());
            if (probe != null) {
                probe.close();
            }
        }

        void abandon() {
            for (Knock knock : knocks) {
                knock.close();
            }
        }

        void close() {
            forget();
            abandon();
        }
    }

    /** One rail of an attempt. */
    private final class Knock {
        final Visit visit;
        final int index;
        final Handshake handshake;
        SocketChannel channel;
        SelectionKey key;
        boolean isTaken;
        boolean isOpen;
        boolean isHindered;
        boolean isStranger;
        String failure;

        Knock(Visit visit, int index) {
            this.visit = visit;
            this.index = index;
            this.handshake = Handshake.client(secret, random, new Handshake.Introduction(self, index,
                    visit.usable.size(), visit.peer.process(), attempts));
        }

        void begin() {
            int rail = visit.usable.get(index);
            try {
                channel = prepare(SocketChannel.open());
                channel.bind(new InetSocketAddress(rails.get(rail), 0));
            } catch (IOException e) {
                isHindered = true;
                fail(e);
                return;
            }
            try {
                boolean connected = channel.connect(house.addresses(visit.peer.process()).get(rail));
                key = channel.register(selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
                if (connected) {
                    advance();
                }
            } catch (IOException | RuntimeException e) {
                fail(e);
            }
        }

        void advance() {
            try {
                if (channel.finishConnect()) {
                    isTaken = true;
                    Doorman.this.advance(channel, key, handshake);
                    if (handshake.state() == Handshake.State.DONE && !isOpen) {
                        switch (handshake.verdict()) {
                            case ACCEPTED -> {
                                isOpen = true;
                                key.interestOps(0); // what follows is for the peer, once all rails are open
                                visit.opened();
                            }
                            case BUSY, DUPLICATE -> visit.postpone();
                            case WRONG_PROCESS -> throw new IOException("another process listens there");
                        }
                    }
                }
            } catch (IOException | RuntimeException e) {
                isStranger = handshake.isWithStranger() || handshake.state() == Handshake.State.DONE;
                fail(e);
            }
        }

        /** Whether the host has taken the connection, and nothing has gone wrong with it but that it takes long. */
        boolean isTaken() {
            return isTaken && failure == null;
        }

        /** Whether the other side may take this rail for open. */
        boolean mayBeOpen() {
            return failure == null && (isOpen || handshake.awaitsVerdict());
        }

        private void fail(Exception e) {
            failure = e.getMessage() == null ? e.toString() : e.getMessage();
            close();
        }

        void close() {
            if (channel != null) {
                Doorman.close(channel);
            }
        }
    }
}
