/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers {@code tutti status}: a socket in the directory of the job, which only the owner of the job can enter. Every
 * client that connects is told where the ranks are, and need not send anything.
 */
final class StatusSocket implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatusSocket.class.getName());

    private static final long RETRY_NANOS = 100_000_000;

    private final Callable<List<String>> report;
    private final ServerSocketChannel server;

    private StatusSocket(Callable<List<String>> report, ServerSocketChannel server) {
        this.report = report;
        this.server = server;
    }

    /**
     * Opens the socket of a job and answers there. If a job cannot have a socket, it goes on without one.
     *
     * @param path the path of the socket
     * @param report gives the lines of an answer
     */
    static StatusSocket open(Path path, Callable<List<String>> report) throws IOException {
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var socket = new StatusSocket(report, server);
        try {
            server.bind(UnixDomainSocketAddress.of(path));
            Thread.ofPlatform().daemon().name("status").start(socket::serve);
        } catch (IOException e) { // for example, the path of the temporary directory is too long
            LOG.log(Level.DEBUG, "tutti status will not find this job", e);
        }
        return socket;
    }

    private void serve() {
        while (server.isOpen()) {
            try (var client = server.accept()) {
                var answer = String.join("\n", report.call()) + "\n";
                for (var bytes = ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)); bytes.hasRemaining();) {
                    client.write(bytes);
                }
            } catch (InterruptedException _) {
                return; // nothing interrupts this thread
            } catch (Exception e) { // whatever it is, the next client gets an answer
                LOG.log(Level.DEBUG, "an answer was not given", e);
                LockSupport.parkNanos(RETRY_NANOS); // perhaps too many files are open
            }
        }
    }

    /**
     * Asks the launcher of a job.
     *
     * @param path the path of its socket
     * @param limit how long the answer may take
     * @return the answer
     * @throws IOException if there is no launcher
     * @throws TimeoutException if the launcher does not answer in time
     */
    static String ask(Path path, Duration limit) throws IOException, TimeoutException {
        try (var launcher = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            var answer = new FutureTask<>(() -> {
                launcher.connect(UnixDomainSocketAddress.of(path));
                return new String(Channels.newInputStream(launcher).readAllBytes(), StandardCharsets.UTF_8);
            });
            Thread.ofPlatform().daemon().name("ask").start(answer); // the thread ends when the channel is closed
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException("there is no launcher at " + path, e.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the launcher at " + path + " was asked");
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
