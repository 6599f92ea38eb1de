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
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers {@code tutti status}: a socket in the directory of the job, which only the owner of the job can enter. Every
 * client that connects gets a {@link JobStatus} as JSON, on one line. Clients send nothing. A client that does not read
 * its answer is dropped after {@value #WRITE_MILLIS_MAX} ms, so that the next client gets its own.
 */
final class StatusSocket implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StatusSocket.class.getName());

    private static final long RETRY_NANOS = 100_000_000;
    private static final long WRITE_MILLIS_MAX = 2000;
    private static final long WRITE_PAUSE_NANOS = 1_000_000;
    private static final int ANSWER_BYTES_MAX = 1 << 26; // 4,096 ranks need some 6 MB

    private final Callable<JobStatus> status;
    private final ServerSocketChannel server;

    private StatusSocket(Callable<JobStatus> status, ServerSocketChannel server) {
        this.status = status;
        this.server = server;
    }

    /**
     * Opens the socket of a job and answers there. If a job cannot have a socket, it goes on without one.
     *
     * @param path the path of the socket
     * @param status asks the ranks
     */
    static StatusSocket open(Path path, Callable<JobStatus> status) throws IOException {
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var socket = new StatusSocket(status, server);
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
                var answer = JobStatus.json(status.call()) + "\n";
                write(client, ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
            } catch (InterruptedException _) {
                return; // nothing interrupts this thread
            } catch (Exception e) { // whatever it is, the next client gets an answer
                LOG.log(Level.DEBUG, "an answer was not given", e);
                LockSupport.parkNanos(RETRY_NANOS); // perhaps too many files are open
            }
        }
    }

    private static void write(SocketChannel client, ByteBuffer bytes) throws IOException {
        client.configureBlocking(false);
        long untilNanos = System.nanoTime() + WRITE_MILLIS_MAX * 1_000_000;
        while (bytes.hasRemaining()) {
            if (client.write(bytes) == 0) {
                if (System.nanoTime() - untilNanos > 0) {
                    throw new IOException("a client does not read its answer");
                }
                LockSupport.parkNanos(WRITE_PAUSE_NANOS);
            }
        }
    }

    /**
     * Asks the launcher of a job.
     *
     * @param path the path of its socket
     * @param limit how long the answer may take
     * @return the answer, a line of JSON; empty or cut off if the launcher could not give it
     * @throws IOException if there is no launcher
     * @throws TimeoutException if the launcher does not answer in time
     */
    static String ask(Path path, Duration limit) throws IOException, TimeoutException {
        try (var launcher = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            var answer = new FutureTask<>(() -> {
                launcher.connect(UnixDomainSocketAddress.of(path));
                return new String(Channels.newInputStream(launcher).readNBytes(ANSWER_BYTES_MAX),
                        StandardCharsets.UTF_8);
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
