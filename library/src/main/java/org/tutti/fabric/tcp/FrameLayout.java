/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A frame: what a rail carries, one after the other. A header of 64 bytes, little-endian, then the payload.
 *
 * <pre>
 *  +0 kind   +1 flags   +2 operation (2 bytes)   +4 length of the payload (4 bytes)
 *  +8 number: frames of a pair of processes count 1, 2, 3, … in each direction; 0 of those without effect
 *  +16 count: all frames of the other direction up to this number have arrived, and been handled
 *  +24 region   +32 offset   +40 word   +48 value   +56 tag
 *
 *  kind     payload     region, offset      word            value              tag            operation
 *  PUT      bytes       where they go       where it lies   new or added       beside it      the word's action
 *  GET                  where they are      request         how many           bytes already
 *  REPLY    bytes       offset: into what   request         old value
 *                       was asked for
 *  ATOMIC               where               request         operand            expected       what to do
 *  COUNT                offset: bytes   of which rail   which is asked for   arrived
 *  NEWS                 offset: index       kind            value
 *  GOODBYE              offset: calls       state           history            groups
 *  ACTIVE_  bytes       what they are                    argument 0        argument 1     what to do
 *  MESSAGE              about
 * </pre>
 *
 * <p>Puts without a word, active messages, and gets of at most {@value #PAYLOAD_BYTES_MAX} bytes may be {@link
 * #PACKED}.
 */
final class FrameLayout {
    static final int HEADER_BYTES = 64;
    static final int PAYLOAD_BYTES_MAX = 64 << 10;

    /**
     * The longest piece of a message that is best sent by itself. With its header it is one packet on its way through
     * the system, which has whole segments of TCP, of less than 64 KiB together. What a longer piece has more is a
     * packet of its own, and costs as much as one. Algorithms count on it at both ends: a change needs another {@link
     * HandshakeLayout#VERSION}.
     */
    static final int PACKET_BYTES = 60 << 10;

    /** The most bytes of a description of runs that are asked for: they are kept until they are answered. */
    static final int REQUEST_BYTES_MAX = 2 << 10;

    static final byte PUT = 1;
    static final byte GET = 2;
    static final byte REPLY = 3;
    static final byte ATOMIC = 4;
    static final byte COUNT = 5;
    static final byte NEWS = 6;
    static final byte GOODBYE = 7;
    static final byte ACTIVE_MESSAGE = 8;

    /** The sender wants to hear the count soon, or how many bytes have come over the rail. */
    static final byte WANTS_COUNT = 1;
    /** A request that could not be granted. */
    static final byte REFUSED = 2;
    /** The last reply to a request. */
    static final byte LAST = 4;
    /** The payload of a put, a message or a get begins with a description of several runs: {@link PackedRuns}. */
    static final byte PACKED = 8;

    private static final int FLAGS = 1;
    private static final int OPERATION = 2;
    private static final int LENGTH = 4;
    private static final int NUMBER = 8;
    private static final int COUNT_OF_OTHER = 16;
    private static final int REGION = 24;
    private static final int OFFSET = 32;
    private static final int WORD = 40;
    private static final int VALUE = 48;
    private static final int TAG = 56;

    private FrameLayout() {}

    /** Memory for frames, or for a part of one. */
    static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static void write(ByteBuffer to, Frame frame) {
        int at = to.position();
        to.put(at, frame.kind);
        to.put(at + FLAGS, frame.flags);
        to.putShort(at + OPERATION, frame.operation);
        to.putInt(at + LENGTH, frame.length);
        to.putLong(at + NUMBER, frame.number);
        to.putLong(at + COUNT_OF_OTHER, frame.count);
        to.putLong(at + REGION, frame.region);
        to.putLong(at + OFFSET, frame.offset);
        to.putLong(at + WORD, frame.word);
        to.putLong(at + VALUE, frame.value);
        to.putLong(at + TAG, frame.tag);
        to.position(at + HEADER_BYTES);
    }

    static void read(ByteBuffer from, Frame frame) {
        int at = from.position();
        frame.kind = from.get(at);
        frame.flags = from.get(at + FLAGS);
        frame.operation = from.getShort(at + OPERATION);
        frame.length = from.getInt(at + LENGTH);
        frame.number = from.getLong(at + NUMBER);
        frame.count = from.getLong(at + COUNT_OF_OTHER);
        frame.region = from.getLong(at + REGION);
        frame.offset = from.getLong(at + OFFSET);
        frame.word = from.getLong(at + WORD);
        frame.value = from.getLong(at + VALUE);
        frame.tag = from.getLong(at + TAG);
        from.position(at + HEADER_BYTES);
    }

    static boolean isPlausible(Frame frame) {
        return frame.kind >= PUT && frame.kind <= ACTIVE_MESSAGE && frame.length >= 0
                && frame.length <= payloadBytesMax(frame)
                && frame.number >= 0 && frame.number == 0 == (frame.kind == COUNT) && frame.count >= 0;
    }

    private static int payloadBytesMax(Frame frame) {
        return switch (frame.kind) {
            case PUT, REPLY, ACTIVE_MESSAGE -> PAYLOAD_BYTES_MAX;
            case GET -> frame.has(PACKED) ? REQUEST_BYTES_MAX : 0;
            default -> 0;
        };
    }
}
