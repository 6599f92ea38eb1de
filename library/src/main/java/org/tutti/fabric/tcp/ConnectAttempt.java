/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * An attempt to connect with another process on one or more rails, the parallel connections of two processes, at the
 * same time. The attempt succeeds when all of its rails are connected, and then calls its {@link Owner}. Runs on the
 * service thread.
 */
final class ConnectAttempt {
    private final Owner owner;
    private final Connections connections;
    private final int process;
    private final List<RailAttempt> rails;
    private boolean closed;

    /**
     * The owner of an attempt to connect. The attempt calls its owner when it succeeds or must be postponed. It does
     * not report failures, so the owner looks for them at intervals.
     */
    interface Owner {
        /** Called when the attempt has connected all of its rails. */
        void succeed();

        /** Called when the other side does not accept a connection at present. */
        void postpone();
    }

    /**
     * Creates an attempt to connect with the process of a peer. {@link #begin} begins the attempt.
     *
     * @param numbers the numbers of the rails to connect
     * @param count the number of rails that the two processes have in common
     * @param together a bit for each rail to connect, or {@link Introduction#BACK} to reconnect a lost rail
     */
    ConnectAttempt(Owner owner, Connections connections, LocalProcess local, Peer peer, List<Integer> numbers,
            int count, int together) {
        this.owner = owner;
        this.connections = connections;
        this.process = peer.process();
        int attempt = connections.nextAttempt();
        this.rails = numbers.stream().map(number -> new RailAttempt(number,
                new Introduction(local.rank(), number, count, together, process, attempt),
                connections.routes().ways(process, number))).toList();
    }

    void begin() {
        for (RailAttempt rail : rails) {
            if (!closed) { // the answer to an earlier rail may have closed the attempt
                rail.begin();
            }
        }
    }

    void close() {
        closed = true;
        rails.forEach(RailAttempt::close);
    }

    /** Returns an array with the channel of each rail. The entry of a rail without a channel is null. */
    SocketChannel[] channels(int count) {
        SocketChannel[] channels = new SocketChannel[count];
        for (RailAttempt rail : rails) {
            channels[rail.number] = rail.channel;
        }
        return channels;
    }

    /** Returns the numbers of the connected rails. */
    List<Integer> openRails() {
        return rails.stream().filter(rail -> rail.isOpen).map(rail -> rail.number).toList();
    }

    /** Returns whether every rail is connected or has failed. */
    boolean isSettled() {
        return all(rail -> rail.isOpen || rail.failure != null);
    }

    /** Returns whether the other side may already consider all rails connected. */
    boolean mayBeOpen() {
        return all(RailAttempt::mayBeOpen);
    }

    /**
     * Returns whether the other host has accepted the connection of a rail, and that connection has not failed. The
     * handshake of that rail may not have ended.
     */
    boolean isTaken() {
        return rails.stream().anyMatch(rail -> rail.isTaken && rail.failure == null);
    }

    /** Returns whether every way of every rail leads to another process than the intended one. */
    boolean isWithStrangers() {
        return all(rail -> rail.ways.leadToStrangers());
    }

    /** Returns whether a rail without an answer from the other host has several ways to the process. */
    boolean hasOtherWays() {
        return rails.stream().anyMatch(rail -> rail.failure == null && !rail.isTaken && rail.ways.areSeveral());
    }

    /** Returns whether a failed rail has untried ways. */
    boolean hasUntriedWays() {
        return rails.stream().anyMatch(rail -> rail.failure != null && rail.ways.isRoundUnderWay());
    }

    /**
     * Abandons the attempt, and closes its connections. A rail counts as failed if the other host has not accepted its
     * connection.
     */
    void giveUp() {
        rails.stream().filter(rail -> rail.failure == null && !rail.isTaken)
                .forEach(rail -> rail.fail(new IOException("no answer")));
        close();
    }

    /** Returns whether this process itself could not open any of the connections. */
    boolean isHindered() {
        return all(rail -> rail.isHindered);
    }

    /** Returns the reason of the failure, in one clause. */
    String failure() {
        return all(rail -> rail.failure == null) ? "no answer" : rails.get(0).failure;
    }

    private boolean all(Predicate<RailAttempt> condition) {
        return rails.stream().allMatch(condition);
    }

    /** The attempt on one rail. */
    private final class RailAttempt {
        final int number;
        final Introduction introduction;
        final Ways ways;
        SocketChannel channel;
        HandshakeChannel<ClientHandshake> connection;
        boolean isTaken;
        boolean isOpen;
        boolean isHindered;
        boolean isStranger;
        String failure;

        RailAttempt(int number, Introduction introduction, Ways ways) {
            this.number = number;
            this.introduction = introduction;
            this.ways = ways;
        }

        void begin() {
            Optional<Ways.Way> way = ways.current();
            if (way.isEmpty()) {
                fail(new IOException("the rails have no family of addresses in common"));
            } else {
                begin(way.get());
            }
        }

        private void begin(Ways.Way way) {
            try {
                channel = HandshakeChannel.prepare(SocketChannel.open());
            } catch (IOException e) { // this process has too many open files, which is no fault of the way
                isHindered = true;
                end(e);
                return;
            }
            try {
                channel.bind(new InetSocketAddress(way.from(), 0));
            } catch (IOException e) {
                isHindered = true;
                fail(e);
                return;
            }
            try {
                connection = connections.opened(channel, introduction);
                boolean connected = channel.connect(way.to());
                connection.register(connections.selector(),
                        connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this::advance);
                if (connected) {
                    advance();
                }
            } catch (IOException | RuntimeException e) {
                fail(e);
            }
        }

        private void advance() {
            Handshake handshake = connection.handshake();
            try {
                if (channel.finishConnect()) {
                    isTaken = true;
                    connection.advance();
                    if (handshake.state() == Handshake.State.DONE && !isOpen) {
                        take(handshake.verdict());
                    }
                }
            } catch (IOException | RuntimeException e) {
                isStranger = handshake.isWithStranger() || handshake.state() == Handshake.State.DONE;
                fail(e);
            }
        }

        private void take(Verdict verdict) throws IOException {
            switch (verdict) {
                case ACCEPTED -> {
                    isOpen = true;
                    connection.pause(); // the peer reads the next bytes, once all rails are open
                    if (all(rail -> rail.isOpen)) {
                        owner.succeed();
                    }
                }
                case BUSY, DUPLICATE -> owner.postpone();
                case WRONG_PROCESS -> throw new IOException("another process listens there");
                case NO_SUCH_RAIL -> throw new IOException("it has no such connection");
            }
        }

        /** Returns whether the other side may already consider this rail open. */
        boolean mayBeOpen() {
            return failure == null && (isOpen || connection != null && connection.handshake().awaitsVerdict());
        }

        private void fail(Exception e) {
            end(e);
            ways.leave(failure, isStranger);
            connections.routes().lookAgain(ways);
        }

        private void end(Exception e) {
            failure = e.getMessage() == null ? e.toString() : e.getMessage();
            isOpen = false;
            close();
        }

        void close() {
            if (channel != null) {
                SocketWire.close(channel);
            }
        }
    }
}
