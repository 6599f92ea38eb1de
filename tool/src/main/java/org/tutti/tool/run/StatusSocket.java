/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Where the launcher answers {@code tutti status}: a socket in the directory of the job, which only its owner can
 * enter. Whoever connects is told where the ranks are, and need not say anything.
 */
final class StatusSocket implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatusSocket.class.getName());

    private static final long RETRY_NANOS = 100_000_000;

    private final RollCall rollCall;
    private final ServerSocketChannel server;

    private StatusSocket(RollCall rollCall, ServerSocketChannel server) {
        this.rollCall = rollCall;
        this.server = server;
    }

    /** Opens the socket of a job and answers there; a job that cannot have one goes on without. */
    static StatusSocket open(Path path, RollCall rollCall) throws IOException {
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var socket = new StatusSocket(rollCall, server);
        try {
            server.bind(UnixDomainSocketAddress.of(path));
            Thread.ofPlatform().daemon().name("status").start(socket::serve);
        } catch (IOException e) { // such as a temporary directory whose path is too long
            LOG.log(Level.DEBUG, "tutti status will not find this job", e);
        }
        return socket;
    }

    private void serve() {
        while (server.isOpen()) {
            try (var client = server.accept()) {
                var report = String.join("\n", rollCall.report()) + "\n";
                for (var bytes = ByteBuffer.wrap(report.getBytes(StandardCharsets.UTF_8)); bytes.hasRemaining();) {
                    client.write(bytes);
                }
            } catch (IOException e) {
                LOG.log(Level.DEBUG, "nobody hears the answer", e);
                LockSupport.parkNanos(RETRY_NANOS); // it may be that too many files are open
            } catch (InterruptedException _) {
                return; // nobody does that
            }
        }
    }

    /**
     * {@return what the launcher of a job says that has its socket there}
     *
     * @throws IOException if nobody answers
     */
    static String ask(Path path) throws IOException {
        try (var launcher = SocketChannel.open(UnixDomainSocketAddress.of(path));
                var in = Channels.newInputStream(launcher)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
