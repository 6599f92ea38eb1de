/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The layout of frames, the units that a connection between two processes carries one after the other. Each frame
 * consists of a header of 64 bytes, little-endian, and of its payload.
 *
 * <pre>
 *  +0 kind   +1 flags   +2 operation (2 bytes)   +4 length of the payload (4 bytes)
 *  +8 number: 1, 2, 3, … for the frames of a pair of processes, in each direction; 0 for frames without effect
 *  +16 count: an ack; all frames of the other direction up to this number have arrived and been handled
 *  +24 region   +32 offset   +40 word   +48 value   +56 tag
 *
 *  kind     payload   region, offset    word            value            tag              operation
 *  PUT      bytes     of the bytes      offset of word  new or added     after the word   the word's action
 *  GET                of the bytes      request         how many bytes   bytes sent
 *  REPLY    bytes     offset in answer  request         old value
 *  ATOMIC             of the bits       request         operand          expected         the operation
 *  ACK                bytes received    on which rail   count asked for  frames received
 *  NEWS               offset: index     kind            value
 *  GOODBYE            offset: calls     state           history          groups
 *  ACTIVE_  bytes     of the bytes                      argument 0       argument 1       the operation
 *  MESSAGE
 * </pre>
 *
 * <p>Puts without a word, active messages, and gets of at most {@value #PAYLOAD_BYTES_MAX} bytes may be {@link
 * #PACKED}.
 */
final class FrameLayout {
    static final int HEADER_BYTES = 64;

    /** The length in bytes of the longest payload that a buffer of a rail has to hold. */
    static final int PAYLOAD_BYTES_MAX = 64 << 10;

    /**
     * The length in bytes of the longest payload of a put, which is written from where it lies and read into its
     * target. The header of each frame may take a system call of its own at both sides.
     */
    static final int DIRECT_BYTES_MAX = 1 << 20;

    /**
     * The length in bytes of the longest payload that travels as one packet with its header. The network stack handles
     * whole TCP segments of less than 64 KiB together. The rest of a longer payload would be a packet of its own, which
     * costs as much as a full one. The algorithms of both sides rely on this value, so a change needs another {@link
     * HandshakeLayout#VERSION}.
     */
    static final int PACKET_BYTES = 60 << 10;

    /**
     * The length in bytes of the longest description of runs (contiguous bytes of a region) in a request. The other
     * side keeps the description until it has answered the request.
     */
    static final int REQUEST_BYTES_MAX = 2 << 10;

    static final byte PUT = 1;
    static final byte GET = 2;
    static final byte REPLY = 3;
    static final byte ATOMIC = 4;
    static final byte ACK = 5;
    static final byte NEWS = 6;
    static final byte GOODBYE = 7;
    static final byte ACTIVE_MESSAGE = 8;

    /** A flag of a frame. The sender asks for an ack, or for the number of bytes that have arrived over the rail. */
    static final byte WANTS_ACK = 1;
    /** A flag of a reply. The request was refused. */
    static final byte REFUSED = 2;
    /** A flag of a reply. It is the last reply to its request. */
    static final byte LAST = 4;
    /**
     * A flag of a put, a message or a get. The payload begins with a description of several runs ({@link PackedRuns}).
     */
    static final byte PACKED = 8;

    private static final int FLAGS = 1;
    private static final int OPERATION = 2;
    private static final int LENGTH = 4;
    private static final int NUMBER = 8;
    private static final int ACK_OF_OTHER = 16;
    private static final int REGION = 24;
    private static final int OFFSET = 32;
    private static final int WORD = 40;
    private static final int VALUE = 48;
    private static final int TAG = 56;

    private FrameLayout() {}

    /** Allocates direct memory for frames, or for a part of a frame. */
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
        to.putLong(at + ACK_OF_OTHER, frame.count);
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
        frame.count = from.getLong(at + ACK_OF_OTHER);
        frame.region = from.getLong(at + REGION);
        frame.offset = from.getLong(at + OFFSET);
        frame.word = from.getLong(at + WORD);
        frame.value = from.getLong(at + VALUE);
        frame.tag = from.getLong(at + TAG);
        from.position(at + HEADER_BYTES);
    }

    /**
     * Returns whether the kind, the length and the numbers of a frame are possible. The check does not depend on
     * earlier frames.
     */
    static boolean isPlausible(Frame frame) {
        return frame.kind >= PUT && frame.kind <= ACTIVE_MESSAGE && frame.length >= 0
                && frame.length <= payloadBytesMax(frame)
                && frame.number >= 0 && frame.number == 0 == (frame.kind == ACK) && frame.count >= 0;
    }

    /** Returns the length in bytes of the longest payload that a frame of this kind, with these flags, can have. */
    static int payloadBytesMax(Frame frame) {
        return switch (frame.kind) {
            case PUT -> frame.has(PACKED) ? PAYLOAD_BYTES_MAX : DIRECT_BYTES_MAX;
            case REPLY, ACTIVE_MESSAGE -> PAYLOAD_BYTES_MAX;
            case GET -> frame.has(PACKED) ? REQUEST_BYTES_MAX : 0;
            default -> 0;
        };
    }
}
