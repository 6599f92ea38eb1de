/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.Arrays;
import java.util.function.LongSupplier;

import org.tutti.fabric.Striping;
import org.tutti.memory.Words;

/**
 * Which rail takes the next frame for another process, and how a message is cut for that. Under the peer's sending
 * lock, but for what the other side tells of its rails.
 *
 * <p><b>By speed</b> a frame goes to the rail on which it would have arrived first, as {@link RailSpeed} predicts
 * it; and who sends rather waits for that one to have room than to take another, which would be done later. Only a
 * rail that was to be done by now, and still has no room, is passed over. The pieces of a message are as long on
 * each rail as it is fast, so that all take as long, and nobody waits for the last one. A rail that is too slow for any
 * piece may become faster: so when it was left out for a while, it is given what another rail has been given, too.
 * Nobody waits for that, as a frame that comes twice takes effect once; and its speed is measured.
 *
 * <p>Short messages go whole, over the rails in turns if these are about as fast: beginning with one that depends on
 * who sends to whom ({@link LocalProcess#firstRail}), so that those of a step, which go to several nodes or come from
 * them, do not share a rail while others stand idle.
 *
 * <p><b>Evenly</b>, frames take the rails in turns that have room. <b>Whole</b>, a message has a rail of its own.
 */
final class RailChoice {
    /** A shorter message goes whole: a second rail costs 10 µs, in which 1 Gbit/s passes 1.2 KB. */
    private static final int STRIPED_BYTES_MIN = 4 << 10;

    private static final int STRIPE_BYTES_MIN = 1 << 10;

    /** For a short message rails are alike that differ by such a part of its time: they take turns. */
    private static final int ALIKE_PARTS = 4;

    private static final long LEFT_OUT_NANOS = 100_000_000;
    private static final long LEFT_OUT_BYTES = 256 << 10;

    private final Striping striping;
    private final LongSupplier clock;
    private final int first;
    private Rail[] rails = {};
    private RailSpeed[] speeds = {};
    private long[] givenNanos = {}; // when each rail was last given something
    private long[] missedBytes = {}; // and what the others were given since then
    private int next;

    /**
     * @param clock tells nanoseconds
     * @param first which rail is used first
     */
    RailChoice(Striping striping, LongSupplier clock, int first) {
        this.striping = striping;
        this.clock = clock;
        this.first = first;
    }

    /** These are the rails. */
    void connect(Rail[] all) {
        rails = all;
        RailSpeed[] made = new RailSpeed[all.length];
        for (int i = 0; i < made.length; i++) {
            made[i] = new RailSpeed();
            made[i].begin(clock.getAsLong());
        }
        speeds = made;
        givenNanos = new long[all.length];
        Arrays.fill(givenNanos, clock.getAsLong());
        missedBytes = new long[all.length];
        next = all.length == 0 ? 0 : first % all.length;
    }

    /** A rail has a new connection. */
    void begin(Rail rail) {
        speeds[rail.index()].begin(clock.getAsLong());
    }

    /** A message begins: what follows, up to the next one, belongs together. */
    void beginMessage() {
        if (striping == Striping.WHOLE) {
            advance(next);
        }
    }

    private void advance(int from) {
        next = from + 1 < rails.length ? from + 1 : 0;
    }

    /** The rail that takes a frame of so many bytes, or null if that has to wait for room. */
    Rail choose(int bytes) {
        if (rails.length == 1) {
            return withRoom(0, bytes);
        }
        return switch (striping) {
            case SPEED -> inTurn(soonest(bytes));
            case EVEN -> inTurn(withRoom(next, bytes));
            case WHOLE -> {
                Rail rail = withRoom(next, 0); // the first that is not lost
                yield rail != null && rail.hasRoom(bytes) ? rail : null;
            }
        };
    }

    /** The next frame looks at another rail first. */
    private Rail inTurn(Rail rail) {
        if (rail != null) {
            advance(rail.index());
        }
        return rail;
    }

    /** A rail that has room, the first one from here on, or null. */
    Rail withRoom(int first, int bytes) {
        for (int i = 0; i < rails.length; i++) {
            Rail rail = rails[(first + i) % rails.length];
            if (!rail.isLost() && rail.hasRoom(bytes)) {
                return rail;
            }
        }
        return null;
    }

    private Rail soonest(int bytes) {
        long nowNanos = clock.getAsLong();
        Rail best = null;
        long bestNanos = Long.MAX_VALUE;
        for (int i = 0; i < rails.length; i++) {
            Rail rail = rails[(next + i) % rails.length];
            RailSpeed speed = speeds[rail.index()];
            boolean hasRoom = !rail.isLost() && rail.hasRoom(bytes);
            if (hasRoom || !rail.isLost() && speed.nanosUntil(0, nowNanos) > 0) {
                long nanos = speed.nanosUntil(bytes, nowNanos);
                long own = nanos - speed.nanosUntil(0, nowNanos);
                if (nanos < bestNanos - (bytes < STRIPED_BYTES_MIN ? own / ALIKE_PARTS : 0)) {
                    bestNanos = nanos;
                    best = hasRoom ? rail : null;
                }
            }
        }
        return best;
    }

    /** The longest piece of a message of so many bytes. */
    int stripe(long bytes) {
        if (rails.length <= 1 || striping == Striping.WHOLE || bytes < STRIPED_BYTES_MIN) {
            return bytes <= FrameLayout.PAYLOAD_BYTES_MAX ? FrameLayout.PAYLOAD_BYTES_MAX : FrameLayout.PACKET_BYTES;
        }
        return stripe(bytes, striping == Striping.SPEED ? fastest() / total() : 1.0 / rails.length);
    }

    /** The longest piece of such a message on a certain rail, when so many bytes of it are left. */
    int stripe(Rail rail, long bytes, long left) {
        if (rails.length <= 1 || striping != Striping.SPEED || bytes < STRIPED_BYTES_MIN) {
            return stripe(bytes);
        }
        double speed = speeds[rail.index()].bytesPerNano();
        double most = Math.min(FrameLayout.PAYLOAD_BYTES_MAX * speed / fastest(), share(rail, speed, left));
        return Math.clamp(wholeLines((int) most), STRIPE_BYTES_MIN, FrameLayout.PAYLOAD_BYTES_MAX);
    }

    /** What a rail takes of so many bytes if all rails are to be done at the same time. */
    private double share(Rail rail, double speed, long bytes) {
        long nowNanos = clock.getAsLong();
        double nanos = doneNanos(bytes, nowNanos) - speeds[rail.index()].nanosUntil(0, nowNanos);
        return Math.clamp(nanos * speed, 0, FrameLayout.PAYLOAD_BYTES_MAX);
    }

    /** When rails would be done with so many bytes, besides what they were given: without those that are busy then. */
    private double doneNanos(long bytes, long nowNanos) {
        double done = Double.MAX_VALUE;
        for (int i = 0; i < rails.length; i++) {
            double all = bytes;
            double speed = 0;
            for (Rail rail : rails) {
                RailSpeed its = speeds[rail.index()];
                long nanos = its.nanosUntil(0, nowNanos);
                if (!rail.isLost() && nanos < done) {
                    speed += its.bytesPerNano();
                    all += nanos * its.bytesPerNano();
                }
            }
            done = speed > 0 ? all / speed : done;
        }
        return done;
    }

    private static int stripe(long bytes, double part) {
        long most = Math.min((long) Math.ceil(bytes * part), FrameLayout.PAYLOAD_BYTES_MAX);
        return Math.clamp(wholeLines((int) most), STRIPE_BYTES_MIN, FrameLayout.PAYLOAD_BYTES_MAX);
    }

    private static int wholeLines(int bytes) {
        return bytes + Words.LINE_BYTES - 1 & -Words.LINE_BYTES;
    }

    private double fastest() {
        double most = 0;
        for (Rail rail : rails) {
            most = rail.isLost() ? most : Math.max(most, speeds[rail.index()].bytesPerNano());
        }
        return most;
    }

    private double total() {
        double all = 0;
        for (Rail rail : rails) {
            all += rail.isLost() ? 0 : speeds[rail.index()].bytesPerNano();
        }
        return all;
    }

    /**
     * A rail is given a frame that is counted.
     *
     * @return whether the frame should ask to be told of
     */
    boolean noteGiven(Rail rail, int bytes) {
        if (striping != Striping.SPEED || rails.length <= 1) {
            return false;
        }
        long nowNanos = clock.getAsLong();
        for (int i = 0; i < missedBytes.length; i++) {
            missedBytes[i] += bytes;
        }
        missedBytes[rail.index()] = 0;
        givenNanos[rail.index()] = nowNanos;
        return speeds[rail.index()].give(bytes, nowNanos);
    }

    /** A rail that has room for a frame of so many bytes, and was left out for a while; or null. */
    Rail leftOut(int bytes) {
        if (striping == Striping.SPEED && rails.length > 1 && bytes >= RailSpeed.ASKING_BYTES_MIN) {
            for (Rail rail : rails) {
                if (missedBytes[rail.index()] >= LEFT_OUT_BYTES && !rail.isLost() && rail.hasRoom(bytes)
                        && clock.getAsLong() - givenNanos[rail.index()] >= LEFT_OUT_NANOS) {
                    return rail;
                }
            }
        }
        return null;
    }

    /** Whether to ask now what has arrived over a rail: somebody waits for all of it. */
    boolean asks(Rail rail) {
        return striping == Striping.SPEED && rails.length > 1 && speeds[rail.index()].ask();
    }

    /** The other side has told how many bytes of such frames have come over a rail. */
    void noteArrived(long rail, long bytes) {
        RailSpeed[] all = speeds;
        if (striping == Striping.SPEED && all.length > 1 && rail >= 0 && rail < all.length) {
            RailSpeed told = all[(int) rail];
            told.noteArrived(bytes, clock.getAsLong());
            if (told.isKnown()) {
                for (RailSpeed other : all) {
                    other.assume(told.bytesPerNano());
                }
            }
        }
    }
}
