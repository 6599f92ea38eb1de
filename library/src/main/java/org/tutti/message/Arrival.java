/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;

/**
 * A message as its receiver sees it before a receive has matched it. The object describes a message whose payload still
 * lies where it arrived. If no receive matches, {@link #keep} copies the payload, so that the place can be used again.
 */
final class Arrival extends MatchTable.Entry {
    DataType type;
    long bytes;

    /** Whether the payload is still with the sender, and must be fetched by a transfer. */
    boolean isOffer;

    /** Whether it is an offer of a rank on another node. */
    boolean isFarOffer;

    /** Identifies the transfer of an offer at its sender. */
    long transfer;

    /** The first number of the transfer, which distinguishes its uses. */
    long transferNumber;

    /** The memory of an eager payload. */
    MemorySegment payload;
    long payloadOffset;

    private MemorySegment own; // null until an eager payload is kept

    /** Describes a message as its envelope does. {@link #offer}, {@link #offerFar} or {@link #hold} must follow. */
    void describe(int ofSource, long ofCommunicator, long envelope) {
        source = ofSource;
        communicator = ofCommunicator;
        tag = Envelope.tag(envelope);
        type = Envelope.type(envelope);
        isOffer = Envelope.isOffer(envelope);
        isFarOffer = false;
        bytes = Envelope.bytes(envelope);
    }

    /** Sets the length of a payload that a rank of another node offers, and the number of the offer. */
    void offerFar(long offeredBytes, long number) {
        bytes = offeredBytes;
        transfer = number;
        isFarOffer = true;
    }

    /** Sets the length of a payload that a rank of this node offers, and its transfer. */
    void offer(long offeredBytes, long ofTransfer, long number) {
        bytes = offeredBytes;
        transfer = ofTransfer;
        transferNumber = number;
    }

    /** Sets the place of an eager payload. */
    void hold(MemorySegment ofPayload, long offset) {
        payload = ofPayload;
        payloadOffset = offset;
    }

    /** Copies an eager payload into memory of this object. */
    void keep() {
        if (!isOffer) {
            if (own == null || own.byteSize() < bytes) {
                own = bytes <= ChannelLayout.SLOT_PAYLOAD_BYTES
                        ? MemorySegment.ofArray(new long[ChannelLayout.SLOT_PAYLOAD_BYTES / Long.BYTES])
                        : MemorySegment.ofArray(new byte[(int) bytes]);
            }
            MemorySegment.copy(payload, payloadOffset, own, 0, bytes);
            payload = own;
            payloadOffset = 0;
        }
    }

    /** Returns what the message costs its sender's credit while it is unmatched. */
    long cost() {
        return isOffer ? 0 : EagerCredit.cost(bytes);
    }

    /** Returns whether this object is worth keeping for another message. */
    boolean isShort() {
        return own == null || own.byteSize() <= ChannelLayout.SLOT_PAYLOAD_BYTES;
    }

    /** Drops the reference to memory of others. */
    void end() {
        payload = null;
    }
}
