/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames that have arrived and cannot take effect yet: active messages that their handler cannot handle yet, and frames
 * that must follow them. A handler therefore holds up its own region, and nothing else of the connection.
 *
 * <p><b>Order.</b> A frame follows the deferred frames of its region with lower numbers, and a good-bye follows all
 * deferred frames with lower numbers. The bytes of a put follow nothing, because only a fence orders them. Frames are
 * tried again in the order of their numbers; the first frame of a region that cannot take effect stops the others of
 * that region.
 *
 * <p><b>Limit.</b> At most {@value #FRAMES_MAX} frames with {@value #BYTES_MAX} bytes of payload are deferred. A frame
 * for which there is no room stays in its {@link Rail}, which reads nothing more until there is room.
 *
 * <p>Guarded by the receiving lock; any thread may call {@link #isAny}.
 */
final class DeferredFrames {
    /** The most deferred frames. */
    static final int FRAMES_MAX = 256;

    /** The most bytes of the deferred frames' payloads. */
    static final int BYTES_MAX = 1 << 20;

    /** Lets frames take effect. */
    interface Effects {
        /**
         * Handles a message from a byte on, as far as possible without waiting.
         *
         * @return the number of its bytes that have been handled, earlier ones included
         */
        long handle(Frame message, MemorySegment payload, long handled) throws ProtocolException;

        /** Lets a frame that is no message take effect. */
        void apply(Frame effect) throws ProtocolException;
    }

    private static final class Deferred {
        final Frame frame = new Frame();
        final MemorySegment payload; // null for a frame that is no message
        long handled;

        Deferred(Frame frame, MemorySegment payload, long handled) {
            this.frame.copyFrom(frame);
            this.payload = payload;
            this.handled = handled;
        }

        /** Lets the frame take effect; returns whether all of it has. */
        boolean takeEffect(Effects effects) throws ProtocolException {
            if (payload == null) {
                effects.apply(frame);
                return true;
            }
            long before = handled;
            handled = effects.handle(frame, payload, before);
            assert handled >= before && handled <= frame.length : handled + " bytes were handled of " + frame.length
                    + ", after " + before;
            return handled == frame.length;
        }
    }

    private final List<Deferred> frames = new ArrayList<>(); // in the order of their numbers
    private int bytes;
    private volatile boolean any;

    /** Returns whether there is a deferred frame; any thread may call this method. */
    boolean isAny() {
        return any;
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }

    /** Returns the lowest number of a deferred frame. */
    long firstNumber() {
        return frames.getFirst().frame.number;
    }

    /** Returns whether there is room for a frame with a payload of this length. */
    boolean hasRoom(int payloadBytes) {
        return frames.size() < FRAMES_MAX && payloadBytes <= BYTES_MAX - bytes;
    }

    /** Returns whether a frame must follow a deferred frame. */
    boolean precede(Frame frame) {
        return follows(frame, frames.size());
    }

    /** Returns whether a frame must follow one of the first deferred frames. */
    private boolean follows(Frame frame, int count) {
        for (int i = 0; i < count; i++) {
            Frame before = frames.get(i).frame;
            if (before.number < frame.number
                    && (before.region == frame.region || frame.kind == FrameLayout.GOODBYE)) {
                return true;
            }
        }
        return false;
    }

    /** Adds a message, of which some bytes may have been handled; there must be room for it. */
    void addMessage(Frame message, MemorySegment bounceBuffer, long handled) {
        MemorySegment payload = MemorySegment.ofBuffer(FrameLayout.buffer(message.length));
        MemorySegment.copy(bounceBuffer, 0, payload, 0, message.length);
        add(new Deferred(message, payload, handled));
    }

    /** Adds a frame that is no message; there must be room for it. */
    void addEffect(Frame effect) {
        add(new Deferred(effect, null, 0));
    }

    private void add(Deferred added) {
        int at = frames.size();
        while (at > 0 && frames.get(at - 1).frame.number > added.frame.number) {
            at--;
        }
        assert at == 0 || frames.get(at - 1).frame.number < added.frame.number : "frame " + added.frame.number
                + " is deferred twice";
        frames.add(at, added);
        bytes += bytes(added);
        assert frames.size() <= FRAMES_MAX && bytes <= BYTES_MAX : frames.size() + " frames are deferred, of " + bytes
                + " bytes";
        any = true;
    }

    private static int bytes(Deferred frame) {
        return frame.payload == null ? 0 : frame.frame.length;
    }

    /**
     * Tries all frames again, in their order.
     *
     * @return whether a frame has taken effect
     */
    boolean retry(Effects effects) throws ProtocolException {
        int before = frames.size();
        int at = 0;
        while (at < frames.size()) {
            Deferred next = frames.get(at);
            if (!follows(next.frame, at) && next.takeEffect(effects)) {
                frames.remove(at);
                bytes -= bytes(next);
                assert bytes >= 0 : "deferred frames of " + bytes + " bytes";
            } else {
                at++;
            }
        }
        any = !frames.isEmpty();
        return frames.size() < before;
    }

    /** Drops all frames: the other process is lost. */
    void clear() {
        frames.clear();
        bytes = 0;
        any = false;
    }
}
