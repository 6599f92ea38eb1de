/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.HashMap;
import java.util.Map;

import org.tutti.fabric.Loss;

/**
 * Watches the connected processes, and reports a process as lost if it has been silent for too long. The limit is the
 * longest time for which a host may be silent. When a process has been silent for half of it, its host is probed
 * ({@link HostProbe}). If the host does not answer either, the process is lost at the limit. If the host answers, the
 * process stands still, and is lost only when it has been silent for as long as a process may stand still.
 *
 * <p>Time counts only while this process itself is awake. Runs on the service thread.
 */
final class HeartbeatMonitor {
    private final LocalProcess local;
    private final Routes routes;
    private final Map<Peer, HostProbe> probes = new HashMap<>();

    HeartbeatMonitor(LocalProcess local, Routes routes) {
        this.local = local;
        this.routes = routes;
    }

    /**
     * Checks one process, and reports it as lost if it has been silent for too long.
     *
     * @param elapsedNanos the time in nanoseconds since the last call, at most the time for which this process was
     *            surely awake
     */
    void look(Peer peer, long elapsedNanos) {
        long limitNanos = local.silenceNanosMax();
        long silentNanos = peer.look(elapsedNanos, limitNanos);
        if (silentNanos < limitNanos / 2 || peer.isGone()) {
            forget(peer);
            return;
        }
        long unansweredNanos = probes
                .computeIfAbsent(peer, _ -> routes.probe(peer.process(), limitNanos)).look(elapsedNanos);
        if (silentNanos >= limitNanos && unansweredNanos >= limitNanos / 2) {
            lose(peer, Loss.SILENT, silentNanos);
        } else if (silentNanos >= local.standstillNanosMax()) {
            lose(peer, Loss.STOOD_STILL, silentNanos);
        }
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
