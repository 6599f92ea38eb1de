/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The receiver's end of a channel, which reads the messages of one rank of the node in the order of sending. The
 * {@link Mailbox} guards it with its lock.
 *
 * <p>Memory ordering: the sender writes a slot and its payload with plain stores, then the slot's word with release
 * order. This class loads the word with acquire order, and then reads the slot. After the last read of a slot and its
 * payload it counts the slot, and stores READ with release order some slots later. The sender loads READ with acquire
 * order before it writes there again.
 */
final class IncomingChannel {
    private static final int RETURNED_SLOTS = ChannelLayout.SLOTS / 4;
    private static final int RETURNED_RING_BYTES = ChannelLayout.RING_BYTES / 8;

    private final Machine machine;
    private final MemorySegment memory;
    private final long base;
    private final int source;
    private final long before;
    private long communicator; // of the message that was read last
    private long read;
    private long readReturned;
    private long ringBytes; // of the payloads that were read since READ was stored
    private long matched;
    private long matchedReturned;

    /** Opens the channel at an address that its sender has published. */
    IncomingChannel(Machine machine, Memory nodeMemory, long address) {
        this.machine = machine;
        this.memory = nodeMemory.around(address);
        this.base = nodeMemory.offset(address);
        this.source = (int) machine.loadPlain(memory, base + ChannelLayout.SENDER);
        this.before = machine.loadPlain(memory, base + ChannelLayout.BEFORE);
    }

    /** Returns the sender, a rank of the job. */
    int source() {
        return source;
    }

    /** Returns the address of the channel that was opened before this one, or 0. */
    long before() {
        return before;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Returns the offset of the word that is raised when the next message is there. */
    long nextWord() {
        return base + ChannelLayout.slot(read);
    }

    /** Returns the value of that word when the next message is there. */
    long nextValue() {
        return read + 1;
    }

    boolean hasNext() {
        return machine.load(memory, nextWord()) >= nextValue();
    }

    /** Describes the next message, which is there. Its payload stays in the channel until {@link #next}. */
    void read(Arrival message) {
        long slot = nextWord();
        long envelope = machine.loadPlain(memory, slot + ChannelLayout.ENVELOPE);
        boolean hasCommunicator = (envelope & ChannelLayout.HAS_COMMUNICATOR) != 0;
        if (hasCommunicator) {
            communicator = machine.loadPlain(memory, slot + ChannelLayout.COMMUNICATOR);
        }
        message.describe(source, communicator, envelope & ~ChannelLayout.HAS_COMMUNICATOR);
        long payload = slot + ChannelLayout.payload(hasCommunicator);
        if (message.isOffer) {
            message.offer(machine.loadPlain(memory, payload),
                    machine.loadPlain(memory, payload + ChannelLayout.OFFER_TRANSFER),
                    machine.loadPlain(memory, payload + ChannelLayout.OFFER_NUMBER));
        } else if (message.bytes <= ChannelLayout.payloadBytesMax(hasCommunicator)) {
            message.hold(memory, payload);
        } else {
            ringBytes += message.bytes;
            message.hold(memory, base + ChannelLayout.ring(machine.loadPlain(memory, payload)));
        }
    }

    /** Frees the slot and the payload of the message that was read. */
    void next() {
        read++;
        if (read - readReturned >= RETURNED_SLOTS || ringBytes >= RETURNED_RING_BYTES) {
            readReturned = read;
            ringBytes = 0;
            machine.store(memory, base + ChannelLayout.READ, read);
        }
    }

    /** Returns credit for an eager message that has been matched. */
    void matched(long cost) {
        matched += cost;
        if (matched - matchedReturned >= EagerCredit.RETURNED_AT) {
            matchedReturned = matched;
            machine.store(memory, base + ChannelLayout.MATCHED, matched);
        }
    }
}
