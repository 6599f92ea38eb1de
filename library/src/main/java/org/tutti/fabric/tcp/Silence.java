/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

import org.tutti.fabric.Loss;

/**
 * What becomes of connected processes that say nothing. When nothing was heard of one for half of the limit, its host
 * is asked ({@link HostProbe}). A process whose host does not answer either is lost at the limit; one whose host does
 * stands still, and is lost only when it has done so for as long as that is allowed.
 *
 * <p>Time is counted only while this process is awake itself. For the service thread.
 */
final class Silence {
    private final List<InetAddress> from;
    private final IntFunction<List<InetSocketAddress>> addresses;
    private final long silenceNanosMax;
    private final long standstillNanosMax;
    private final Map<Peer, HostProbe> probes = new HashMap<>();

    /**
     * @param from this host's addresses, a rail each
     * @param addresses finds where a process listens, by its first rank
     * @param silenceNanosMax how long a host may be silent
     * @param standstillNanosMax how long a process may stand still
     */
    Silence(List<InetAddress> from, IntFunction<List<InetSocketAddress>> addresses, long silenceNanosMax,
            long standstillNanosMax) {
        this.from = from;
        this.addresses = addresses;
        this.silenceNanosMax = silenceNanosMax;
        this.standstillNanosMax = standstillNanosMax;
    }

    /**
     * Looks at one process.
     *
     * @param elapsedNanos since the last look, but not more than this process was surely awake
     */
    void look(Peer peer, long elapsedNanos) {
        long silentNanos = peer.look(elapsedNanos, silenceNanosMax);
        if (silentNanos < silenceNanosMax / 2 || peer.isGone()) {
            forget(peer);
            return;
        }
        long unansweredNanos = probes.computeIfAbsent(peer, this::probe).look(elapsedNanos);
        if (silentNanos >= silenceNanosMax && unansweredNanos >= silenceNanosMax / 2) {
            lose(peer, Loss.SILENT, silentNanos);
        } else if (silentNanos >= standstillNanosMax) {
            lose(peer, Loss.STOOD_STILL, silentNanos);
        }
    }

    private HostProbe probe(Peer peer) {
        return new HostProbe(from, addresses.apply(peer.process()), silenceNanosMax);
    }

    private void lose(Peer peer, Loss loss, long silentNanos) {
        forget(peer);
        peer.lose(loss, "nothing was heard of it for " + silentNanos / 1_000_000 + " ms");
    }

    private void forget(Peer peer) {
        HostProbe probe = probes.remove(peer);
        if (probe != null) {
            probe.close();
        }
    }

    void close() {
        probes.values().forEach(HostProbe::close);
    }
}
