/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.List;
import java.util.stream.IntStream;

import org.tutti.fabric.Loss;

/**
 * Connects with another process. It makes one {@link ConnectAttempt} after the other, until the two processes are
 * connected or the other one is lost. Runs on the service thread.
 *
 * <p>A failed attempt does not show that the other process has failed. While its host accepts connections for it, the
 * process stands still or is slow. The attempts then grow longer, so that only a few of them are in the queue of the
 * process. If a process refuses connections, or does not answer, it is tried for as long as a host may be silent. After
 * that time, the process is lost, and the calls that wait for it end. If only news needed the connection, the attempts
 * end, and the process is not lost. If this process itself cannot open connections, the calls get an exception, and the
 * other process is not lost.
 */
final class Connector implements ConnectAttempt.Owner {
    private static final long ATTEMPT_NANOS = 3_000_000_000L;
    private static final long WAY_NANOS = 250_000_000L; // if there are other ways; doubled in each round
    private static final long STRANGER_NANOS = 500_000_000L; // the intended process may listen there soon
    private static final long AGAIN_NANOS = 20_000_000L;
    private static final long AGAIN_NANOS_MAX = 500_000_000L;
    private static final long BUSY_NANOS = 1_000_000_000L;

    private final Connections connections;
    private final LocalProcess local;
    private final Peer peer;
    private final long openNanosMax;
    private final long standstillNanosMax;
    private final long firstNanos = System.nanoTime();
    private List<Integer> usable = List.of();
    private int count;
    private ConnectAttempt attempt; // null between attempts
    private HostProbe probe;
    private long lookedNanos = firstNanos;
    private long takenNanos = firstNanos; // when the host last accepted a connection
    private long attemptNanos = ATTEMPT_NANOS;
    private long wayNanos = WAY_NANOS;
    private long againNanos = AGAIN_NANOS;
    private long beganNanos;
    private boolean onlyForNews;

    Connector(Connections connections, LocalProcess local, Peer peer, boolean onlyForNews) {
        this.connections = connections;
        this.local = local;
        this.peer = peer;
        this.onlyForNews = onlyForNews;
        this.openNanosMax = openNanosMax(local);
        this.standstillNanosMax = Math.max(openNanosMax, local.standstillNanosMax());
    }

    /** Returns the longest time in nanoseconds for an attempt that the other side may already consider connected. */
    static long openNanosMax(LocalProcess local) {
        return Math.max(ATTEMPT_NANOS, local.silenceNanosMax());
    }

    void begin() {
        try {
            count = connections.routes().rails(peer.process());
        } catch (RuntimeException e) { // the process has told no usable address
            end(Loss.UNREACHABLE, "its address cannot be used: " + e.getMessage());
            return;
        }
        usable = IntStream.range(0, count).boxed().toList();
        attempt();
    }

    /** Notes that a call waits for this connection. If only news needed it before, the timeout begins again. */
    void beAwaited() {
        if (onlyForNews) {
            onlyForNews = false;
            takenNanos = System.nanoTime();
        }
    }

    private void attempt() {
        beganNanos = System.nanoTime();
        attempt = null;
        if (connections.isPrepared(peer, count)) {
            int together = usable.stream().mapToInt(number -> 1 << number).sum();
            attempt = new ConnectAttempt(this, connections, local, peer, usable, count, together);
            attempt.begin();
        }
    }

    @Override
    public void succeed() {
        forget();
        connections.connected(peer.process(), attempt.channels(count));
    }

    /**
     * Closes the attempt. Either the other side's own attempt will connect the two processes, or this side tries again
     * later.
     */
    @Override
    public void postpone() {
        attempt.close();
        attempt = null;
    }

    void look(long nowNanos) {
        boolean mayBeOpen = attempt != null && attempt.mayBeOpen();
        if (peer.isConnected() || peer.isGone() || connections.isRetired() && !mayBeOpen) {
            close();
        } else if (attempt == null) {
            if (nowNanos - beganNanos > BUSY_NANOS) {
                attempt();
            }
        } else {
            long limitNanos = attempt.hasOtherWays() ? Math.min(wayNanos, attemptNanos) : attemptNanos;
            boolean late = mayBeOpen ? isHopeless(nowNanos) : nowNanos - beganNanos > limitNanos;
            if ((late || attempt.isSettled()) && nowNanos - beganNanos >= againNanos) {
                goOn(nowNanos);
            }
        }
    }

    /**
     * Returns whether an attempt that the other side may already consider connected must be abandoned. It must be
     * abandoned only as a last resort, because to the other side this process then seems to have failed.
     */
    private boolean isHopeless(long nowNanos) {
        long elapsedNanos = Math.min(nowNanos - lookedNanos, AGAIN_NANOS_MAX);
        lookedNanos = nowNanos;
        if (nowNanos - beganNanos < openNanosMax / 2) {
            return false;
        }
        if (probe == null) {
            probe = connections.routes().probe(peer.process(), openNanosMax);
        }
        return probe.look(elapsedNanos) >= openNanosMax / 2 || nowNanos - beganNanos >= standstillNanosMax;
    }

    /**
     * Abandons the current attempt and begins the next one. If a failed rail has untried ways, the next attempt has the
     * same rails. Otherwise, if some rails were connected, the next attempt has only these rails, and the failed ones
     * may be connected later. If all rails failed, the next attempt has the same rails, unless the time for this
     * process has passed.
     */
    private void goOn(long nowNanos) {
        boolean taken = attempt.isTaken();
        attempt.giveUp();
        if (taken) {
            takenNanos = nowNanos;
            attemptNanos = Math.min(2 * attemptNanos, openNanosMax);
        }
        if (attempt.hasUntriedWays()) {
            attempt();
        } else if (attempt.openRails().isEmpty()) {
            tryAgain(nowNanos);
        } else {
            usable = attempt.openRails();
            attempt();
        }
    }

    private void tryAgain(long nowNanos) {
        againNanos = Math.min(2 * againNanos, AGAIN_NANOS_MAX);
        wayNanos = Math.min(2 * wayNanos, openNanosMax);
        if (nowNanos - takenNanos < (attempt.isWithStrangers() ? STRANGER_NANOS : local.silenceNanosMax())
                && nowNanos - firstNanos < standstillNanosMax) {
            attempt();
        } else if (attempt.isHindered()) {
            forget();
            peer.hinder(attempt.failure());
        } else {
            end(nowNanos - takenNanos < local.silenceNanosMax() ? Loss.STOOD_STILL : Loss.UNREACHABLE,
                    connections.routes().describe(peer.process()));
        }
    }

    private void end(Loss loss, String reason) {
        forget();
        if (!onlyForNews) { // a call waits for it
            peer.lose(loss, reason);
        }
    }

    private void forget() {
        connections.forget(peer);
        if (probe != null) {
            probe.close();
        }
    }

    void close() {
        forget();
        if (attempt != null) {
            attempt.close();
        }
    }
}
