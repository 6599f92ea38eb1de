/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** A cable between two processes that a test can cut and mend: it passes on what comes, and counts it. */
final class CableRelay implements AutoCloseable {
    private final ServerSocket server;
    private final InetSocketAddress target;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean cut;

    CableRelay(InetSocketAddress target) {
        this.target = target;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** How many bytes have passed, in both directions. */
    long bytes() {
        return bytes.get();
    }

    /** Breaks all connections, and lets no others pass. */
    void cut() {
        cut = true;
        sockets.forEach(CableRelay::close);
        sockets.clear();
    }

    void mend() {
        cut = false;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket from = server.accept();
                sockets.add(from);
                Socket to = new Socket(target.getAddress(), target.getPort());
                sockets.add(to);
                from.setTcpNoDelay(true); // a cable does not wait for acknowledgements, which come after 40 ms
                to.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> pass(from, to));
                Thread.ofVirtual().start(() -> pass(to, from));
                if (cut) {
                    cut();
                }
            } catch (IOException _) {
                continue; // one of them has closed it
            }
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] some = new byte[1 << 16];
        try (from; to) {
            for (int count = from.getInputStream().read(some); count >= 0; count = from.getInputStream().read(some)) {
                to.getOutputStream().write(some, 0, count);
                bytes.addAndGet(count);
            }
        } catch (IOException _) {
            return; // cut, or one side has
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
