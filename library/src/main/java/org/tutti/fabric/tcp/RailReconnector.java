/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.System.Logger.Level;
import java.util.List;

import org.tutti.events.RailEvent;
import org.tutti.fabric.FabricListener;

/**
 * Reconnects a lost rail, one of the parallel connections of two processes, while the other rails carry on. It makes
 * one {@link ConnectAttempt} after the other, and reports the loss to the listener, to Flight Recorder, and in the log.
 * Runs on the service thread.
 *
 * <p>The process with the lower first rank makes the attempts. It makes the first attempt {@value #FIRST_MILLIS} ms
 * after the loss was noticed, and each later one after twice the time, up to {@value #AGAIN_MILLIS_MAX} ms. A rail that
 * has come back is watched for {@value #AGAIN_MILLIS_MAX} ms. If it is lost again meanwhile, the waits continue to
 * grow, so that a rail that comes and goes is not tried more often. The rails of a process that ends are also lost one
 * by one. A loss is therefore not reported before the first attempt, or the return of the rail.
 */
final class RailReconnector implements ConnectAttempt.Owner {
    private static final System.Logger LOG = System.getLogger(RailReconnector.class.getName());
    private static final long FIRST_MILLIS = 100;
    private static final long AGAIN_MILLIS_MAX = 5000;
    private static final long ATTEMPT_MILLIS_MAX = 3000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Connections connections;
    private final LocalProcess local;
    private final Peer peer;
    private final Rail rail;
    private final FabricListener listener;
    private final Lines lines;
    private ConnectAttempt attempt; // null between attempts
    private long waitMillis = FIRST_MILLIS;
    private long sinceNanos; // when the wait or the attempt began, or the rail came back
    private boolean back;
    private boolean reported;
    private boolean said;

    RailReconnector(Connections connections, LocalProcess local, Peer peer, Rail rail, FabricListener listener,
            Lines lines, long nowNanos) {
        this.connections = connections;
        this.local = local;
        this.peer = peer;
        this.rail = rail;
        this.listener = listener;
        this.lines = lines;
        this.sinceNanos = nowNanos;
    }

    /**
     * Limits the number of logged losses. A link that comes and goes, or a host with many of them, must not fill a log.
     */
    static final class Lines {
        private static final int LOSSES_PER_MINUTE_MAX = 5;
        private static final long MINUTE_NANOS = 60_000_000_000L;

        private long beganNanos = System.nanoTime();
        private int losses;

        /** Returns whether one more loss may be logged, and counts the loss. */
        boolean take(long nowNanos) {
            if (nowNanos - beganNanos > MINUTE_NANOS) {
                beganNanos = nowNanos;
                losses = 0;
            }
            losses = Math.min(losses + 1, LOSSES_PER_MINUTE_MAX + 1);
            return losses <= LOSSES_PER_MINUTE_MAX;
        }

        /** Returns the ending of the log line that was allowed last. */
        String ending() {
            return losses == LOSSES_PER_MINUTE_MAX ? "; of further ones nothing is said for a minute" : "";
        }
    }

    /**
     * Begins an attempt if one is due, or examines the current one. Returns whether this method must be called again.
     */
    boolean look(long nowNanos) {
        if (peer.isEnding()) {
            close();
            return false;
        }
        if (rail.isLost() == back) {
            turn(nowNanos);
        }
        long elapsedNanos = nowNanos - sinceNanos;
        if (back) {
            return elapsedNanos < AGAIN_MILLIS_MAX * NANOS_PER_MILLI;
        }
        if (attempt != null) {
            if (attempt.isSettled() || elapsedNanos > ATTEMPT_MILLIS_MAX * NANOS_PER_MILLI) {
                attempt.giveUp();
                postpone();
            }
        } else if (elapsedNanos >= waitMillis * NANOS_PER_MILLI && !rail.isComingBack()) {
            reportLoss();
            sayLost(nowNanos);
            bringBack(nowNanos);
        }
        return true;
    }

    /** Notes that the rail has come back, or that it is lost once more. */
    private void turn(long nowNanos) {
        back = !back;
        sinceNanos = nowNanos;
        if (back) {
            reportLoss();
            reported = false;
            listener.railRestored(peer.process(), rail.index());
            record("restored");
            if (said) {
                said = false;
                LOG.log(Level.INFO, () -> name() + " is back");
            }
        }
    }

    private void reportLoss() {
        if (!reported) {
            reported = true;
            listener.railLost(peer.process(), rail.index());
            record("lost");
        }
    }

    private void record(String state) {
        var event = new RailEvent();
        if (event.shouldCommit()) {
            event.process = peer.process();
            event.rail = rail.index();
            event.state = state;
            event.commit();
        }
    }

    private void bringBack(long nowNanos) {
        if (local.rank() > peer.process()) {
            waitLonger();
        } else {
            sinceNanos = nowNanos;
            attempt = new ConnectAttempt(this, connections, local, peer, List.of(rail.index()), peer.railsInAll(),
                    Introduction.BACK);
            attempt.begin();
        }
    }

    private void sayLost(long nowNanos) {
        if (!said && lines.take(nowNanos)) {
            said = true;
            LOG.log(Level.WARNING, () -> name() + " is lost (" + rail.whyLost()
                    + "); the other rails carry on, and it is used again once it can be connected" + lines.ending());
        }
    }

    private String name() {
        return "rail " + rail.index() + " from the process of rank " + local.rank() + " at "
                + connections.routes().source(peer.process(), rail.index()) + " to that of rank " + peer.process()
                + " at " + connections.routes().place(peer.process(), rail.index());
    }

    /** Returns whether the rail must be examined again soon. */
    boolean isInHurry() {
        return attempt != null || !back && waitMillis == FIRST_MILLIS;
    }

    @Override
    public void succeed() {
        connections.broughtBack(peer.process(), rail.index(), attempt.channels(peer.railsInAll())[rail.index()]);
        attempt = null;
        waitLonger();
    }

    @Override
    public void postpone() {
        attempt.close();
        attempt = null;
        waitLonger();
    }

    private void waitLonger() {
        sinceNanos = System.nanoTime();
        waitMillis = Math.min(2 * waitMillis, AGAIN_MILLIS_MAX);
    }

    /** Abandons the current attempt, if any. */
    void close() {
        if (attempt != null) {
            attempt.close();
            attempt = null;
        }
    }
}
