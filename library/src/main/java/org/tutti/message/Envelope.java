/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import org.tutti.DataType;

/**
 * Packs the description of a message into 64 bits. From the highest bit on, an envelope has the tag (32 bits), the kind
 * of the message (8), the type of its elements (8), and the length of an eager payload in bytes (16). The highest bit
 * of the kind is free: in a slot it is {@link ChannelLayout#HAS_COMMUNICATOR}.
 */
final class Envelope {
    /** The payload travels with the envelope. */
    static final int EAGER = 1;

    /** The payload stays with the sender until a receive matches (rendezvous). */
    static final int OFFER = 2;

    private static final DataType[] TYPES = DataType.values();
    private static final int KIND_SHIFT = 24;
    private static final int TYPE_SHIFT = 16;
    private static final int BYTE_MASK = 0xff;
    private static final int LENGTH_MASK = 0xffff;

    private Envelope() {}

    static long eager(int tag, DataType type, long bytes) {
        assert bytes >= 0 && bytes <= LENGTH_MASK : bytes + " bytes are sent eagerly";
        return pack(tag, EAGER, type) | bytes;
    }

    static long offer(int tag, DataType type) {
        return pack(tag, OFFER, type);
    }

    private static long pack(int tag, int kind, DataType type) {
        return (long) tag << Integer.SIZE | (long) kind << KIND_SHIFT | (long) type.ordinal() << TYPE_SHIFT;
    }

    static int tag(long envelope) {
        return (int) (envelope >> Integer.SIZE);
    }

    static boolean isOffer(long envelope) {
        return (envelope >> KIND_SHIFT & BYTE_MASK) == OFFER;
    }

    static DataType type(long envelope) {
        return TYPES[(int) (envelope >> TYPE_SHIFT & BYTE_MASK)];
    }

    /** Returns the length of an eager payload in bytes. */
    static int bytes(long envelope) {
        return (int) (envelope & LENGTH_MASK);
    }

    /** Returns whether an envelope is one that a sender can have made; another process may send any value. */
    static boolean isPlausible(long envelope) {
        long kind = envelope >> KIND_SHIFT & BYTE_MASK;
        return tag(envelope) >= 0 && (kind == EAGER || kind == OFFER && bytes(envelope) == 0)
                && (envelope >> TYPE_SHIFT & BYTE_MASK) < TYPES.length;
    }
}
