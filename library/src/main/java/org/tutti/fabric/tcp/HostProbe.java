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
 * Finds out whether the host of a process answers, whatever the process does: its kernel takes connections for a
 * process that stands still (in a long collection, a debugger, on a machine that is too busy), and refuses them for one
 * that does not listen any more. Only when a host, or all of the network between, is down does nobody answer.
 *
 * <p>A connection that was taken is held without a word for as long as the question stands, and the kernels see to it
 * that it is alive (keep-alive probes): so a process that stands still finds one connection of each asker, not one for
 * each time that was asked.
 *
 * <p>It never waits, and is for the service thread. That this process itself cannot ask, for want of open files, is no
 * evidence against another one.
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
     * @param from this host's addresses, a rail each
     * @param to where the process listens, a rail each
     * @param limitNanos how long a host may be silent
     */
    HostProbe(List<InetAddress> from, List<InetSocketAddress> to, long limitNanos) {
        this.from = from;
        this.to = to;
        this.renewalNanos = Math.max(limitNanos / RENEWALS, RENEWAL_NANOS_MIN);
        this.channels = new SocketChannel[Math.min(from.size(), to.size())];
        this.taken = new boolean[channels.length];
    }

    /**
     * Asks, or looks what has become of the question.
     *
     * @param elapsedNanos since the last look, but not more than this process was surely awake
     * @return for how long the host has not answered on any rail; 0 if it does
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
                return true; // this process cannot ask
            }
            if (!taken[rail]) {
                taken[rail] = channels[rail].finishConnect();
                return taken[rail];
            }
            if (channels[rail].read(nothing.clear()) < 0) {
                hangUp(rail);
            }
            return true;
        } catch (ConnectException _) { // refused: an attempt is renewed before it could have timed out
            hangUp(rail);
            return true;
        } catch (IOException _) {
            hangUp(rail);
            return false;
        }
    }

    /** Returns whether the question could be asked. */
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
