/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

import org.apache.spark.SparkConf;
import org.tutti.JobStartException;

/**
 * Where the ranks of a stage meet: a port of the driver, at which each of them stays connected until it ends. Each
 * attempt of the stage is a job of its own. A virtual thread listens, and one serves each connection.
 */
final class Meeting implements AutoCloseable {
    private static final String HOST = "spark.driver.host";
    private static final String BIND_ADDRESS = "spark.driver.bindAddress";

    /** Connections, besides one a rank, that others may hold for as long as a rank may take to say who it is. */
    private static final int STRANGERS_MAX = 64;
    private static final int HELLO_MILLIS_MAX = 10_000;

    private final int ranks;
    private final String host;
    private final StageSecret secret = new StageSecret();
    private final ServerSocket server;
    private final Semaphore free;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, Gathering> gatherings = new ConcurrentHashMap<>();
    private volatile Gathering latest;

    private Meeting(String host, ServerSocket server, int ranks) {
        this.ranks = ranks;
        this.host = host;
        this.server = server;
        this.free = new Semaphore(ranks + STRANGERS_MAX);
        Thread.ofVirtual().name("tutti driver").start(this::listen);
    }

    /** Opens a port where Spark's own are. */
    static Meeting open(SparkConf conf, int ranks) {
        String host = conf.get(HOST);
        String bound = conf.get(BIND_ADDRESS, host);
        int port = conf.getInt(TuttiSpark.PORT, 0);
        try {
            return new Meeting(host, new ServerSocket(port, ranks, InetAddress.getByName(bound)), ranks);
        } catch (IOException e) {
            throw new JobStartException("the driver cannot listen for its ranks at " + bound + ":" + port + " (" + e
                    + "); set " + TuttiSpark.PORT + " to a free port, or 0 for any, and " + BIND_ADDRESS
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

    /** What became of the rank that failed first, in the latest attempt of the stage, if one has. */
    Optional<Gathering.Cause> firstCause() {
        return latest == null ? Optional.empty() : latest.firstCause();
    }

    private void listen() {
        try {
            while (true) {
                free.acquireUninterruptibly();
                Socket socket = server.accept();
                open.add(socket);
                Thread.ofVirtual().name("tutti driver").start(() -> serve(socket));
            }
        } catch (IOException _) {
            return; // it is closed
        }
    }

    private void serve(Socket socket) {
        try (socket; var conversation = Conversation.ofDriver(socket, secret)) {
            if (conversation.receive(HELLO_MILLIS_MAX).orElse(null) instanceof Message.Hello hello) {
                gatherings.computeIfAbsent(hello.stage(), _ -> latest = new Gathering(ranks)).serve(hello,
                        conversation);
            }
        } catch (IOException _) {
            return; // whoever it was, it was no rank
        } finally {
            open.remove(socket);
            free.release();
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e); // closing a socket needs nobody else
        }
    }
}
