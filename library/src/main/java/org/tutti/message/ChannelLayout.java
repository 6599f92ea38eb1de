/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import org.tutti.memory.Words;

/**
 * The layout of a channel, the shared memory by which one rank sends messages to another rank of its node. All
 * communicators share the channel. The sender claims it when it sends the first message.
 *
 * <pre>
 *  line 0:  written before the channel is opened
 *           +0 the sender's rank in the job       +8 address of the channel that was opened before, or 0
 *  line 1:  written by the receiver
 *           +0 READ: the number of slots that the receiver has read
 *           +8 MATCHED: the cost of all eager messages that have been matched ({@link EagerCredit})
 *  then {@value #SLOTS} slots of a line:
 *           +0 the number of the message, from 1  +8 {@link Envelope}
 *           +16 the communicator's number, if it is another one than that of the message before
 *           then the payload, up to the end of the line;
 *           of a longer eager message: its position in the ring of bytes;
 *           of an offer: length in bytes, address of the {@link TransferLayout block}, number of the transfer
 *  then a ring of {@value #RING_BYTES} bytes for eager payloads
 * </pre>
 *
 * <p>The payload of a small message lies in the line of its word, so it crosses between the cores once. Longer payloads
 * lie in a ring of their own, so that no payload ever lies where a reader expects a word.
 */
final class ChannelLayout {
    /** The number of slots: twice the messages that programs usually have in flight. A power of two. */
    static final int SLOTS = 128;

    /** The longest payload in a slot: of a message of the same communicator as the message before. */
    static final int SLOT_PAYLOAD_BYTES = 48;

    static final int RING_BYTES = 32 << 10;

    /** The longest payload that travels with its envelope. */
    static final int EAGER_BYTES_MAX = 8 << 10;

    static final long SENDER = 0;
    static final long BEFORE = 8;
    static final long READ = Words.LINE_BYTES;
    static final long MATCHED = READ + 8;

    static final long ENVELOPE = 8;
    static final long COMMUNICATOR = 16;

    /** A bit of the envelope of a message that is not of the same communicator as the message before. */
    static final long HAS_COMMUNICATOR = 1L << Integer.SIZE - 1;

    // after the beginning of the payload
    static final long OFFER_TRANSFER = 8;
    static final long OFFER_NUMBER = 16;

    private static final long FIRST_SLOT = 2L * Words.LINE_BYTES;
    private static final long RING = FIRST_SLOT + (long) SLOTS * Words.LINE_BYTES;

    /** The length of a channel. */
    static final long BYTES = RING + RING_BYTES;

    private ChannelLayout() {}

    /** Returns the offset of the slot of a message, which is numbered from 0. */
    static long slot(long message) {
        return FIRST_SLOT + (message & SLOTS - 1) * Words.LINE_BYTES;
    }

    /** Returns the offset of the payload in a slot. */
    static long payload(boolean hasCommunicator) {
        return hasCommunicator ? COMMUNICATOR + Long.BYTES : COMMUNICATOR;
    }

    /** Returns the length of the longest payload in a slot. */
    static long payloadBytesMax(boolean hasCommunicator) {
        return Words.LINE_BYTES - payload(hasCommunicator);
    }

    /** Returns the offset of a position in the ring of bytes. Positions only grow. */
    static long ring(long position) {
        return RING + (position & RING_BYTES - 1);
    }
}
