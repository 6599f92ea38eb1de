/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.List;

/**
 * The frames of another process that have arrived and cannot take effect yet. They are active messages that the handler
 * of their region cannot handle yet, and frames that must take effect after such messages. A handler that cannot go on
 * therefore delays only the frames for its own region and the good-bye, and no other frames of the connection.
 *
 * <p><b>Order.</b> A frame follows the deferred frames of its region with lower numbers. A good-bye follows all
 * deferred frames with lower numbers. The bytes of a put need not wait for any frame, because only a fence orders them.
 * Frames are tried again in the order of their numbers. If a frame cannot take effect, it stops the later frames of its
 * region.
 *
 * <p><b>Limit.</b> At most {@value #FRAMES_MAX} frames with {@value #BYTES_MAX} bytes of payload are deferred. A frame
 * for which there is no room stays in its {@link Rail}, which reads nothing more until there is room.
 *
 * <p>Guarded by the receiving lock, except {@link #isAny}, which any thread may call.
 */
final class DeferredFrames {
    /** The most frames that may be deferred. */
    static final int FRAMES_MAX = 256;

    /** The most bytes that the payloads of the deferred frames may have together. */
    static final int BYTES_MAX = 1 << 20;

    /** Lets frames take effect. */
    interface Effects {
        /**
         * Handles the rest of an active message, as far as possible without waiting.
         *
         * @param handled the number of bytes of the message that have been handled before
         * @return the number of bytes of the message that have been handled, which includes the bytes handled before
         */
        long handle(Frame message, MemorySegment payload, long handled) throws ProtocolException;

        /** Lets a frame take effect that is not an active message. */
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

        /** Lets the frame take effect. Returns whether it has taken effect completely. */
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

    /** Returns whether any frame is deferred. Any thread may call this method. */
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

    /**
     * Returns whether there is room for one more frame.
     *
     * @param payloadBytes the length of the frame's payload in bytes
     */
    boolean hasRoom(int payloadBytes) {
        return frames.size() < FRAMES_MAX && payloadBytes <= BYTES_MAX - bytes;
    }

    /** Returns whether a deferred frame precedes a frame, so that the frame must wait for it. */
    boolean precede(Frame frame) {
        return follows(frame, frames.size());
    }

    /** Returns whether a frame must wait for one of the first {@code count} deferred frames. */
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

    /**
     * Defers an active message, and copies its payload. There must be room for it.
     *
     * @param bounceBuffer the buffer from which the payload is copied
     * @param handled the number of bytes of the message that have been handled
     */
    void addMessage(Frame message, MemorySegment bounceBuffer, long handled) {
        MemorySegment payload = MemorySegment.ofBuffer(FrameLayout.buffer(message.length));
        MemorySegment.copy(bounceBuffer, 0, payload, 0, message.length);
        add(new Deferred(message, payload, handled));
    }

    /** Adds a frame that is not an active message. There must be room for it. */
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
     * Tries to let all deferred frames take effect, in the order of their numbers. Those that cannot take effect remain
     * deferred.
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

    /** Drops all frames, because the other process is lost. */
    void clear() {
        frames.clear();
        bytes = 0;
        any = false;
    }
}
