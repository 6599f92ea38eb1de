/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.tutti.tool.UsageException;

/**
 * Answers {@code GET /metrics} with the figures of a job. It has at most {@value #CONNECTIONS_MAX} connections, and
 * closes further ones. Each request has a thread of its own, so a slow client delays no other one. A request ends after
 * {@link #REQUEST_LIMIT}, also if the client sends or reads slowly. The server of the JDK looks every ten seconds for
 * connections that have been without a request for {@value #IDLE_SECONDS} seconds, and closes them.
 */
final class MetricsServer implements Metrics {
    static final int CONNECTIONS_MAX = 16;

    private static final System.Logger LOG = System.getLogger(MetricsServer.class.getName());
    private static final String PATH = "/metrics";
    private static final String METHOD = "GET";
    private static final int IDLE_SECONDS = 10;
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(5);
    private static final int STATUS_OK = 200;
    private static final int STATUS_NO_SUCH_PATH = 404;
    private static final int STATUS_NO_SUCH_METHOD = 405;
    private static final int STATUS_FAILED = 500;

    private final HttpServer server;
    private final boolean hasChosenPort;
    private final ReentrantLock lock = new ReentrantLock(); // for the figures, and against their use after the end
    private boolean closed;

    private MetricsServer(HttpServer server, boolean hasChosenPort) {
        this.server = server;
        this.hasChosenPort = hasChosenPort;
    }

    /** {@return a server that has its port, and does not answer yet} */
    static MetricsServer open(InetSocketAddress address) {
        System.setProperty("jdk.httpserver.maxConnections", String.valueOf(CONNECTIONS_MAX)); // in this process
        System.setProperty("sun.net.httpserver.idleInterval", String.valueOf(IDLE_SECONDS));
        try {
            return new MetricsServer(HttpServer.create(address, CONNECTIONS_MAX), address.getPort() == 0);
        } catch (IOException e) {
            throw new UsageException("--metrics cannot listen at " + text(address) + " ("
                    + e.getMessage() + "); give another port, 0 for a free one, or an address of this host");
        }
    }

    private static String text(InetSocketAddress address) {
        var host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** {@return the address at which the server listens} */
    InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void start(Callable<Figures> figures, Consumer<String> say) {
        server.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange, figures);
            }
        });
        server.setExecutor(MetricsServer::run);
        server.start();
        if (hasChosenPort) {
            say.accept("the figures of this job are at http://" + text(address()) + PATH);
        }
    }

    /** Runs a request, and ends its reads and writes by an interrupt if it takes too long. */
    private static void run(Runnable request) {
        var thread = Thread.ofVirtual().start(request);
        Thread.ofVirtual().start(() -> {
            try {
                if (!thread.join(REQUEST_LIMIT)) {
                    thread.interrupt();
                }
            } catch (InterruptedException _) {
                return; // nothing interrupts this thread
            }
        });
    }

    private void answer(HttpExchange exchange, Callable<Figures> figures) throws IOException {
        if (!exchange.getRequestURI().getPath().equals(PATH)) {
            answer(exchange, STATUS_NO_SUCH_PATH, "the figures are at " + PATH);
        } else if (!exchange.getRequestMethod().equals(METHOD)) {
            exchange.getResponseHeaders().set("Allow", METHOD);
            answer(exchange, STATUS_NO_SUCH_METHOD, PATH + " has only " + METHOD);
        } else {
            byte[] text;
            try {
                text = text(figures);
            } catch (Exception e) { // whatever it is, the next request may succeed
                LOG.log(System.Logger.Level.DEBUG, "no figures", e);
                answer(exchange, STATUS_FAILED, "the figures cannot be had");
                return;
            }
            answer(exchange, STATUS_OK, MetricsText.CONTENT_TYPE, text);
        }
    }

    private byte[] text(Callable<Figures> figures) throws Exception {
        lock.lockInterruptibly();
        try {
            if (closed) {
                throw new IOException("the job has ended");
            }
            return MetricsText.of(figures.call());
        } finally {
            lock.unlock();
        }
    }

    private static void answer(HttpExchange exchange, int status, String sentence) throws IOException {
        answer(exchange, status, "text/plain; charset=utf-8", (sentence + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        boolean headOnly = exchange.getRequestMethod().equals("HEAD");
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Connection", "close"); // leaves room for others
        exchange.sendResponseHeaders(status, headOnly ? -1 : body.length);
        if (!headOnly) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            lock.unlock();
        }
        server.stop(0);
    }
}
