/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.spark.SparkConf;
import org.tutti.JobStartException;

/**
 * The meeting point of the ranks of a Spark stage. It is a port of the driver, to which each rank stays connected until
 * it ends. Each attempt of the stage is a job of its own. One virtual thread listens at the port, and another one
 * serves each connection.
 */
final class Meeting implements AutoCloseable {
    private static final String HOST = "spark.driver.host";
    private static final String BIND_ADDRESS = "spark.driver.bindAddress";

    /**
     * The greatest number of connections that have not yet proved to know the secret, in addition to one for each rank.
     */
    private static final int STRANGERS_MAX = 64;

    /** The pause after the driver could not accept a connection, for example because it has too many files open. */
    private static final int PAUSE_MILLIS = 200;

    private static final System.Logger LOG = System.getLogger(TuttiSpark.class.getName());

    private final int ranks;
    private final String host;
    private final StageSecret secret = new StageSecret();
    private final ServerSocket server;
    private final LinkedHashSet<Socket> strangers = new LinkedHashSet<>(); // the oldest first; guarded by itself
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, Gathering> gatherings = new ConcurrentHashMap<>();
    private final Thread listener;
    private volatile Gathering latest;

    private Meeting(String host, ServerSocket server, int ranks) {
        this.ranks = ranks;
        this.host = host;
        this.server = server;
        this.listener = Thread.ofVirtual().name("tutti driver").start(this::listen);
    }

    /** Opens a port at the address of Spark's own ports. */
    static Meeting open(SparkConf conf, int ranks) {
        String host = conf.get(HOST);
        String bound = conf.get(BIND_ADDRESS, host);
        int port = conf.getInt(TuttiSpark.PORT, 0);
        try {
            return new Meeting(host, new ServerSocket(port, ranks + STRANGERS_MAX, InetAddress.getByName(bound)),
                    ranks);
        } catch (IOException | IllegalArgumentException e) { // the latter if the port is out of range
            throw new JobStartException("the driver cannot listen for its ranks at " + bound + ":" + port + " ("
                    + e.getMessage() + "); set " + TuttiSpark.PORT + " to a free port, or 0 for any, and "
                    + BIND_ADDRESS
                    + " to an address of this host");
        }
    }

    String host() {
        return host;
    }

    int port() {
        return server.getLocalPort();
    }

    StageSecret secret() {
        return secret;
    }

    /**
     * {@return the failure of the rank that failed first in the latest attempt of the stage, if a rank has failed}
     *
     * @param tasks Spark's events of the tasks
     */
    Optional<Gathering.Cause> firstCause(StageTasks tasks) {
        return latest == null ? Gathering.firstOf(tasks.failures(), new BitSet()) : latest.firstCause(tasks);
    }

    private void listen() {
        boolean isKnown = false;
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                admit(socket);
                Thread.ofVirtual().name("tutti driver").start(() -> serve(socket));
            } catch (IOException e) {
                if (!isKnown && !server.isClosed()) {
                    isKnown = true;
                    LOG.log(System.Logger.Level.WARNING, "the driver cannot take a connection of a rank at " + host
                            + ":" + port() + " (" + e + "), and tries again; see how many files it may have open "
                            + "(ulimit -n)");
                }
                pause();
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(server.isClosed() ? 0 : PAUSE_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // nobody interrupts this thread
        }
    }

    /**
     * Admits a new connection. If the other sides of too many connections have not yet proved that they know the
     * secret, this method closes the oldest of these connections, so that ranks can always connect.
     */
    private void admit(Socket socket) {
        Socket oldest = null;
        open.add(socket);
        synchronized (strangers) {
            strangers.add(socket);
            if (strangers.size() > ranks + STRANGERS_MAX) {
                oldest = strangers.removeFirst();
            }
        }
        if (oldest != null) {
            close(oldest);
        }
        if (server.isClosed()) {
            close(socket);
        }
    }

    private void serve(Socket socket) {
        try (socket; var conversation = Conversation.ofDriver(socket, secret)) {
            if (conversation.receiveProof() instanceof Message.Hello hello) {
                forget(socket);
                gatherings.computeIfAbsent(hello.stage(), _ -> latest = new Gathering(ranks)).serve(hello,
                        conversation);
            }
        } catch (IOException _) {
            return; // the other side is no rank, or has gone
        } finally {
            forget(socket);
            open.remove(socket);
        }
    }

    private void forget(Socket stranger) {
        synchronized (strangers) {
            strangers.remove(stranger);
        }
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a socket of the driver could not be closed", e);
        }
    }

    /**
     * Closes the port and all connections, and waits for the listening thread, because only then is the port free for
     * the next stage.
     */
    @Override
    public void close() {
        close(server);
        open.forEach(Meeting::close);
        try {
            listener.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
