/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jdk.net.ExtendedSocketOptions;

/**
 * Finds out whether the host of another process answers, even if the process itself stands still. The host's kernel
 * accepts connections for a process that stands still (in a long garbage collection, in a debugger, on an overloaded
 * machine), and refuses connections for a process that no longer listens. Both are answers. There is no answer only if
 * the host, or every network between the hosts, is down.
 *
 * <p>An accepted connection is kept for as long as the probe is needed, and no byte is sent over it. The kernels check
 * with keep-alive probes that the connection is alive. A process that stands still therefore gets one connection from
 * each probing process, and not one for each probe.
 *
 * <p>A probe never waits. It runs on the service thread. If this process itself cannot probe, for example because it
 * has too many open files, that counts as an answer. It is no evidence against the other process.
 */
final class HostProbe {
    private static final int RENEWALS = 4;
    private static final long RENEWAL_NANOS_MIN = 1_000_000_000L;
    private static final int KEEPALIVE_PROBES = 3;

    private final List<InetAddress> from;
    private final List<InetSocketAddress> to;
    private final long renewalNanos;
    private final SocketChannel[] channels;
    private final boolean[] taken;
    private final ByteBuffer nothing = ByteBuffer.allocate(1);
    private long unansweredNanos;
    private long waitedNanos;

    /**
     * Creates a probe of the host of another process. The first call of {@link #look} begins to connect with the host.
     *
     * @param from the addresses of this host, one for each rail
     * @param to the addresses at which the process listens, one for each rail
     * @param limitNanos the longest time for which a host may be silent, in nanoseconds
     */
    HostProbe(List<InetAddress> from, List<InetSocketAddress> to, long limitNanos) {
        this.from = from;
        this.to = to;
        this.renewalNanos = Math.max(limitNanos / RENEWALS, RENEWAL_NANOS_MIN);
        this.channels = new SocketChannel[Math.min(from.size(), to.size())];
        this.taken = new boolean[channels.length];
    }

    /**
     * Begins to connect with the other host, or examines the connections that were begun before. Must be called at
     * intervals.
     *
     * @param elapsedNanos the time in nanoseconds since the last call, at most the time for which this process was
     *            surely awake
     * @return the time in nanoseconds for which the host has not answered on any rail; 0 if it answers
     */
    long look(long elapsedNanos) {
        waitedNanos += elapsedNanos;
        boolean renews = waitedNanos >= renewalNanos;
        boolean answered = false;
        for (int rail = 0; rail < channels.length; rail++) {
            if (renews && !taken[rail]) {
                hangUp(rail);
            }
            answered |= server(rail);
        }
        waitedNanos = renews ? 0 : waitedNanos;
        unansweredNanos = answered ? 0 : unansweredNanos + elapsedNanos;
        return unansweredNanos;
    }

    private boolean server(int rail) {
        try {
            if (channels[rail] == null && !ask(rail)) {
                return true; // this process cannot probe
            }
            if (!taken[rail]) {
                taken[rail] = channels[rail].finishConnect();
                return taken[rail];
            }
            if (channels[rail].read(nothing.clear()) < 0) {
                hangUp(rail);
            }
            return true;
        } catch (ConnectException _) { // refused, not timed out: an attempt is renewed before it can time out
            hangUp(rail);
            return true;
        } catch (IOException _) {
            hangUp(rail);
            return false;
        }
    }

    /** Begins to connect on a rail. Returns whether this process was able to do so. */
    private boolean ask(int rail) throws IOException {
        try {
            channels[rail] = SocketChannel.open();
            channels[rail].configureBlocking(false);
            channels[rail].bind(new InetSocketAddress(from.get(rail), 0));
            keepAlive(channels[rail]);
        } catch (IOException _) {
            hangUp(rail);
            return false;
        }
        channels[rail].connect(to.get(rail));
        return true;
    }

    private void keepAlive(SocketChannel channel) throws IOException {
        int seconds = (int) Math.max(1, TimeUnit.NANOSECONDS.toSeconds(renewalNanos));
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        setIfThere(channel, ExtendedSocketOptions.TCP_KEEPIDLE, seconds);
        setIfThere(channel, ExtendedSocketOptions.TCP_KEEPINTERVAL, seconds);
        setIfThere(channel, ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_PROBES);
    }

    private static void setIfThere(SocketChannel channel, SocketOption<Integer> option, int value)
            throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }

    private void hangUp(int rail) {
        if (channels[rail] != null) {
            SocketWire.close(channels[rail]);
        }
        channels[rail] = null;
        taken[rail] = false;
    }

    void close() {
        for (int rail = 0; rail < channels.length; rail++) {
            hangUp(rail);
        }
    }
}
