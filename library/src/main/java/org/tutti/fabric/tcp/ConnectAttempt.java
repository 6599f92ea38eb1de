/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Opens a connection with another process on each of some rails at the same time; on the service thread. */
final class ConnectAttempt {
    private final Connector connector;
    private final Connections connections;
    private final LocalProcess local;
    private final int process;
    private final List<RailAttempt> rails;
    private boolean closed;

    /** @param usable which rails, by their numbers; the other side counts just these */
    ConnectAttempt(Connector connector, Connections connections, LocalProcess local, Peer peer, List<Integer> usable) {
        this.connector = connector;
        this.connections = connections;
        this.local = local;
        this.process = peer.process();
        int number = connections.nextAttempt();
        this.rails = IntStream.range(0, usable.size())
                .mapToObj(index -> new RailAttempt(usable.get(index),
                        new Introduction(local.rank(), index, usable.size(), process, number)))
                .toList();
    }

    void begin() {
        for (RailAttempt rail : rails) {
            if (!closed) { // the answer to an earlier one may be there
                rail.begin();
            }
        }
    }

    void close() {
        closed = true;
        rails.forEach(RailAttempt::close);
    }

    List<SocketChannel> channels() {
        return rails.stream().map(rail -> rail.channel).toList();
    }

    /** The numbers of the rails on which it has succeeded. */
    List<Integer> openRails() {
        return rails.stream().filter(rail -> rail.isOpen).map(rail -> rail.number).toList();
    }

    /** Whether nothing will change any more. */
    boolean isSettled() {
        return all(rail -> rail.isOpen || rail.failure != null);
    }

    /** Whether the other side may take all of it for connected. */
    boolean mayBeOpen() {
        return all(RailAttempt::mayBeOpen);
    }

    /** Whether the host has taken a connection, and nothing has gone wrong with it but that it takes long. */
    boolean isTaken() {
        return rails.stream().anyMatch(rail -> rail.isTaken && rail.failure == null);
    }

    /** Whether others listen there than the process that is meant. */
    boolean isWithStrangers() {
        return all(rail -> rail.isStranger);
    }

    /** Whether this process itself could not do its part. */
    boolean isHindered() {
        return all(rail -> rail.isHindered);
    }

    /** Why it has failed, in one clause. */
    String failure() {
        return all(rail -> rail.failure == null) ? "no answer" : rails.get(0).failure;
    }

    private boolean all(Predicate<RailAttempt> condition) {
        return rails.stream().allMatch(condition);
    }

    /** One rail of it. */
    private final class RailAttempt {
        final int number;
        final Introduction introduction;
        SocketChannel channel;
        HandshakeChannel<ClientHandshake> connection;
        boolean isTaken;
        boolean isOpen;
        boolean isHindered;
        boolean isStranger;
        String failure;

        RailAttempt(int number, Introduction introduction) {
            this.number = number;
            this.introduction = introduction;
        }

        void begin() {
            try {
                channel = HandshakeChannel.prepare(SocketChannel.open());
                channel.bind(local.source(number));
            } catch (IOException e) {
                isHindered = true;
                fail(e);
                return;
            }
            try {
                connection = connections.opened(channel, introduction);
                boolean connected = channel.connect(local.addresses(process).get(number));
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
                    connection.pause(); // what follows is for the peer, once all rails are open
                    if (all(rail -> rail.isOpen)) {
                        connector.succeed();
                    }
                }
                case BUSY, DUPLICATE -> connector.postpone();
                case WRONG_PROCESS -> throw new IOException("another process listens there");
            }
        }

        /** Whether the other side may take this rail for open. */
        boolean mayBeOpen() {
            return failure == null && (isOpen || connection != null && connection.handshake().awaitsVerdict());
        }

        private void fail(Exception e) {
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
