/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.Arrays;
import java.util.function.LongSupplier;

import org.tutti.fabric.Striping;
import org.tutti.memory.Words;

/**
 * Chooses the rail, one of the parallel connections of two processes, for the next frame to another process. It also
 * chooses the lengths of the pieces into which a message is cut. There are three ways to choose ({@link Striping}).
 * Guarded by the peer's sending lock, except {@link #noteArrived}.
 *
 * <p><b>By speed</b>, a frame is sent on the rail on which it would arrive first, as {@link RailSpeed} predicts. If
 * that rail has no room, the sender waits for it, because another rail would finish later. Only a rail that should
 * already have finished its frames, and still has no room, is passed over. The length of a message's piece is
 * proportional to the speed of its rail, so that all pieces take equally long. A rail that is too slow for any piece
 * may become faster. After a while without frames, it is therefore given a copy of a frame that another rail has, which
 * measures its speed. No rank waits for the copy, because a frame that arrives twice takes effect once.
 *
 * <p>Short messages are not cut, and take the rails in turn if these are about equally fast. The first rail depends on
 * the sender and the receiver ({@link LocalProcess#firstRail}). The messages of a step, to several nodes or from them,
 * therefore do not share a rail while other rails are idle.
 *
 * <p><b>Evenly</b>, frames take the rails that have room in turn. <b>Whole</b>, each message is sent on a rail of its
 * own.
 */
final class RailChoice {
    /**
     * The length in bytes of the shortest message that is cut into pieces for several rails. The use of a second rail
     * costs 10 µs, in which 1 Gbit/s carries 1.2 KB.
     */
    private static final int STRIPED_BYTES_MIN = 4 << 10;

    private static final int STRIPE_BYTES_MIN = 1 << 10;

    /**
     * The divisor that decides when a short message does not take the next rail in turn. It takes another rail if that
     * rail would deliver it earlier, by more than 1/{@value} of the time that this rail needs for the message itself.
     */
    private static final int ALIKE_PARTS = 4;

    private static final long LEFT_OUT_NANOS = 100_000_000;
    private static final long LEFT_OUT_BYTES = 256 << 10;

    private final Striping striping;
    private final LongSupplier clock;
    private final int first;
    private Rail[] rails = {};
    private RailSpeed[] speeds = {};
    private long[] givenNanos = {}; // when each rail was last given a frame
    private long[] missedBytes = {}; // the bytes that the others were given since then
    private int next;

    /**
     * Creates the object that chooses rails for messages to one process, which is not yet connected.
     *
     * @param clock returns the time in nanoseconds
     * @param first the number of the rail that is used first
     */
    RailChoice(Striping striping, LongSupplier clock, int first) {
        this.striping = striping;
        this.clock = clock;
        this.first = first;
    }

    /** Begins to choose among the rails of a connection. */
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

    /** Notes that a rail has a new connection, over which nothing has been sent. */
    void begin(Rail rail) {
        speeds[rail.index()].begin(clock.getAsLong());
    }

    /** Notes that a message begins. All frames until the next call belong to the message. */
    void beginMessage() {
        if (striping == Striping.WHOLE) {
            advance(next);
        }
    }

    private void advance(int from) {
        next = from + 1 < rails.length ? from + 1 : 0;
    }

    /**
     * Returns the rail for the next frame.
     *
     * @param bytes the length of the frame in bytes, header included
     * @return the rail, or null if the frame must wait until a rail has room
     */
    Rail choose(int bytes) {
        if (rails.length == 1) {
            return withRoom(0, bytes);
        }
        return switch (striping) {
            case SPEED -> inTurn(soonest(bytes));
            case EVEN -> inTurn(withRoom(next, bytes));
            case WHOLE -> {
                Rail rail = withRoom(next, 0); // the first rail that is not lost
                yield rail != null && rail.hasRoom(bytes) ? rail : null;
            }
        };
    }

    /** Returns a rail, and lets the next frame try the following rail first. */
    private Rail inTurn(Rail rail) {
        if (rail != null) {
            advance(rail.index());
        }
        return rail;
    }

    /**
     * Returns the first rail that has room for a frame. The rails are tried in turn, from a given one on.
     *
     * @param first the number of the rail to try first
     * @param bytes the length of the frame in bytes, header included
     * @return the rail, or null if no rail has room
     */
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

    /**
     * Returns the length in bytes of the longest piece into which a message is cut, on any rail.
     *
     * @param bytes the length of the message in bytes
     */
    int stripe(long bytes) {
        if (rails.length <= 1 || striping == Striping.WHOLE || bytes < STRIPED_BYTES_MIN) {
            return bytes <= FrameLayout.PAYLOAD_BYTES_MAX ? FrameLayout.PAYLOAD_BYTES_MAX : FrameLayout.PACKET_BYTES;
        }
        return stripe(bytes, striping == Striping.SPEED ? fastest() / total() : 1.0 / rails.length);
    }

    /**
     * Returns the length in bytes of the longest next piece of a message that one rail may take.
     *
     * @param rail the rail
     * @param bytes the length of the message in bytes
     * @param left the number of bytes of the message that have not been sent
     */
    int stripe(Rail rail, long bytes, long left) {
        if (rails.length <= 1 || striping != Striping.SPEED || bytes < STRIPED_BYTES_MIN) {
            return stripe(bytes);
        }
        double speed = speeds[rail.index()].bytesPerNano();
        double most = Math.min(FrameLayout.PAYLOAD_BYTES_MAX * speed / fastest(), share(rail, speed, left));
        return Math.clamp(wholeLines((int) most), STRIPE_BYTES_MIN, FrameLayout.PAYLOAD_BYTES_MAX);
    }

    /** Returns the number of bytes that a rail takes of a message if all rails finish the message at the same time. */
    private double share(Rail rail, double speed, long bytes) {
        long nowNanos = clock.getAsLong();
        double nanos = doneNanos(bytes, nowNanos) - speeds[rail.index()].nanosUntil(0, nowNanos);
        return Math.clamp(nanos * speed, 0, FrameLayout.PAYLOAD_BYTES_MAX);
    }

    /**
     * Returns the time in nanoseconds until the rails would have sent a message, after the bytes that they were given
     * before. It is assumed that all rails finish at the same time. A rail that is busy for longer takes no part of the
     * message.
     */
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
     * Notes that a numbered frame is given to a rail for sending, and decides whether it asks the other side how many
     * bytes have arrived.
     *
     * @param bytes the length of the frame in bytes, header included
     * @return whether the frame should ask for this answer
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

    /**
     * Returns a rail that has had no frames for a while, and has room for a frame. Its speed can be measured with a
     * copy of a frame that another rail has. Returns null if there is no such rail.
     */
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

    /**
     * Returns whether to ask the other side how many bytes have arrived over a rail. This method is called when a
     * caller waits until all its bytes have arrived.
     */
    boolean asks(Rail rail) {
        return striping == Striping.SPEED && rails.length > 1 && speeds[rail.index()].ask();
    }

    /**
     * Notes the number of bytes of numbered frames that have arrived over a rail, as the other side reports it. The
     * reports measure the speed of the rail.
     *
     * @param rail the number of the rail; it may have any value, because another process sends it
     * @param bytes the number of bytes; it may have any value
     */
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
