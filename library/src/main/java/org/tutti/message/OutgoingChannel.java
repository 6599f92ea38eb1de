/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The sender's end of a channel. It sends the messages of this rank, of all communicators, to one rank of its node.
 *
 * <p>Memory ordering: the sender writes a slot and its payload with plain stores, then the slot's word with release
 * order. It writes to a slot again, or to the same bytes of the ring, only after it has loaded with acquire order a
 * value of READ that counts the slot. The receiver has stored that value after its last read there.
 *
 * <p>Several threads may send. A lock orders them, and one that finds all slots taken waits for the receiver with the
 * lock, because a later message must not pass an earlier one.
 */
final class OutgoingChannel {
    private final Machine machine;
    private final MemorySegment memory;
    private final long base;
    private final Lock lock = new ReentrantLock();
    private final long[] ringEnds = new long[ChannelLayout.SLOTS]; // the end in the ring after each slot's message
    private long sent;
    private long readSeen;
    private long ringEnd;
    private long ringFreed; // the position in the ring up to which the receiver has read
    private long cost;
    private long matchedSeen;

    /**
     * Makes a channel and publishes it.
     *
     * @param machine the access to memory
     * @param nodeMemory the shared memory of the node
     * @param doors the memory with the {@link Doors}
     * @param rank this rank, a rank of the job
     * @param target the rank of the job that receives
     */
    OutgoingChannel(Machine machine, Memory nodeMemory, MemorySegment doors, int rank, int target) {
        this.machine = machine;
        long address = nodeMemory.claim(ChannelLayout.BYTES, "messages of rank " + rank + " to rank " + target);
        this.memory = nodeMemory.around(address);
        this.base = nodeMemory.offset(address);
        machine.storePlain(memory, base + ChannelLayout.SENDER, rank);
        long newest = Doors.door(target) + Doors.NEWEST;
        long before = machine.load(doors, newest);
        machine.storePlain(memory, base + ChannelLayout.BEFORE, before);
        while (!machine.compareAndSet(doors, newest, before, address)) {
            before = machine.load(doors, newest);
            machine.storePlain(memory, base + ChannelLayout.BEFORE, before);
        }
        machine.add(doors, Doors.door(target) + Doors.OPENED, 1);
    }

    /**
     * Sends a message eagerly, or offers it.
     *
     * @param send the message
     * @param transfers makes the transfer of a payload that is offered
     * @return the transfer by which the payload must be handed over, or null if the message has been sent
     */
    Transfer send(Send send, TransferPool transfers) {
        Locks.acquire(lock, send.check);
        try {
            awaitSlot(send);
            long bytes = send.bytes();
            boolean isEager = bytes <= ChannelLayout.EAGER_BYTES_MAX && hasCredit(bytes);
            if (isEager && bytes > ChannelLayout.SLOT_PAYLOAD_BYTES) {
                writeToRing(send);
            } else if (isEager) {
                machine.copy(send.source(), 0, memory, base + ChannelLayout.slot(sent) + ChannelLayout.PAYLOAD, bytes);
            }
            Transfer transfer = null;
            if (isEager) {
                cost += EagerCredit.cost(bytes);
                finish(send, Envelope.eager(send.tag(), send.type(), bytes));
            } else {
                transfer = transfers.take();
                transfer.offer(send.source());
                long slot = base + ChannelLayout.slot(sent);
                machine.storePlain(memory, slot + ChannelLayout.OFFER_BYTES, bytes);
                machine.storePlain(memory, slot + ChannelLayout.OFFER_TRANSFER, transfer.address());
                machine.storePlain(memory, slot + ChannelLayout.OFFER_NUMBER, transfer.number());
                finish(send, Envelope.offer(send.tag(), send.type()));
            }
            return transfer;
        } finally {
            machine.unlock(lock);
        }
    }

    private void awaitSlot(Send send) {
        if (sent - readSeen >= ChannelLayout.SLOTS) {
            machine.await(memory, base + ChannelLayout.READ, sent - ChannelLayout.SLOTS + 1, send.check);
            loadRead();
        }
    }

    private boolean hasCredit(long bytes) {
        long after = cost + EagerCredit.cost(bytes);
        if (after - matchedSeen > EagerCredit.UNMATCHED_MAX) {
            matchedSeen = machine.load(memory, base + ChannelLayout.MATCHED);
        }
        return after - matchedSeen <= EagerCredit.UNMATCHED_MAX;
    }

    /**
     * Writes a payload to the ring of bytes, once it has room. The payload does not wrap around. The receiver makes
     * room when it waits in any call, because it keeps messages that match no receive.
     */
    private void writeToRing(Send send) {
        long bytes = send.bytes();
        long untilEnd = ChannelLayout.RING_BYTES - ringEnd % ChannelLayout.RING_BYTES;
        long from = untilEnd >= bytes ? ringEnd : ringEnd + untilEnd;
        while (from + bytes - ringFreed > ChannelLayout.RING_BYTES) {
            machine.await(memory, base + ChannelLayout.READ, readSeen + 1, send.check);
            loadRead();
        }
        machine.copy(send.source(), 0, memory, base + ChannelLayout.ring(from), bytes);
        machine.storePlain(memory, base + ChannelLayout.slot(sent) + ChannelLayout.PAYLOAD, from);
        ringEnd = Memory.roundToLines(from + bytes);
    }

    /**
     * Loads the number of slots that the receiver has read, and the end in the ring of the last of them. At most
     * {@value ChannelLayout#SLOTS} messages follow the number that was loaded before, so that end is still known.
     */
    private void loadRead() {
        long read = machine.load(memory, base + ChannelLayout.READ);
        assert read >= readSeen && read <= sent : "the receiver has read " + read + " of " + sent + " messages";
        if (read > readSeen) {
            readSeen = read;
            ringFreed = ringEnds[(int) ((read - 1) % ChannelLayout.SLOTS)];
        }
    }

    private void finish(Send send, long envelope) {
        long slot = base + ChannelLayout.slot(sent);
        machine.storePlain(memory, slot + ChannelLayout.ENVELOPE, envelope);
        machine.storePlain(memory, slot + ChannelLayout.COMMUNICATOR, send.communicator());
        ringEnds[(int) (sent % ChannelLayout.SLOTS)] = ringEnd;
        sent++;
        machine.store(memory, slot, sent);
    }
}
