/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
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
 * <p>Several threads may send. A message for which there is no room waits in a queue, and later messages wait behind
 * it, because a later message must not pass an earlier one. A thread that waits for room, or for anything else, writes
 * the messages of the queue when there is room. No thread waits with the lock.
 */
final class OutgoingChannel {
    private final Machine machine;
    private final MemorySegment memory;
    private final MemorySegment doors;
    private final long door;
    private final long base;
    private final Lock lock = new ReentrantLock();
    private final ArrayDeque<Send> queue = new ArrayDeque<>();
    private final Pool<OutgoingTransfer> transfers;
    private final long[] ringEnds = new long[ChannelLayout.SLOTS]; // the end in the ring after each slot's message
    private long communicator; // of the message that was sent last
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
     * @param transfers the blocks for payloads that are offered
     */
    OutgoingChannel(Machine machine, Memory nodeMemory, MemorySegment doors, int rank, int target,
            Pool<OutgoingTransfer> transfers) {
        this.machine = machine;
        this.doors = doors;
        this.door = Doors.door(target);
        this.transfers = transfers;
        long address = nodeMemory.claim(ChannelLayout.BYTES, "messages of rank " + rank + " to rank " + target);
        this.memory = nodeMemory.around(address);
        this.base = nodeMemory.offset(address);
        machine.storePlain(memory, base + ChannelLayout.SENDER, rank);
        long newest = door + Doors.NEWEST;
        long before = machine.load(doors, newest);
        machine.storePlain(memory, base + ChannelLayout.BEFORE, before);
        while (!machine.compareAndSet(doors, newest, before, address)) {
            before = machine.load(doors, newest);
            machine.storePlain(memory, base + ChannelLayout.BEFORE, before);
        }
        machine.add(doors, door + Doors.OPENED, 1);
    }

    /**
     * Writes a message to the channel, or queues it if there is no room.
     *
     * @param send the message. If its payload is offered, it has a {@link Send#transfer transfer} afterwards
     * @return whether the message has been written
     */
    boolean send(Send send) {
        machine.lock(lock);
        try {
            if (queue.isEmpty() && write(send)) {
                return true;
            }
            send.hold();
            queue.add(send);
            return false;
        } finally {
            machine.unlock(lock);
        }
    }

    /** Writes an eager message to the channel. Returns false, and has no effect, if the message would have to wait. */
    boolean sendAtOnce(Send send) {
        machine.lock(lock);
        try {
            return queue.isEmpty() && hasSlot() && isEager(send) && writeEagerly(send);
        } finally {
            machine.unlock(lock);
        }
    }

    /**
     * Writes queued messages while there is room. Returns whether a message has been written, and throws the exception
     * of this message if it cannot be written. If it is still in the queue, {@link #memory},
     * {@link #awaitedWord} and {@link Send#awaitedValue} tell the word that grows when there is more room.
     */
    boolean advance(Send send) {
        machine.lock(lock);
        try {
            for (Send head = queue.peek(); head != null && isDone(head); head = queue.peek()) {
                queue.remove();
            }
            send.awaits(readSeen + 1);
            return send.isWritten();
        } finally {
            machine.unlock(lock);
        }
    }

    /** Writes a message of the queue. Returns whether it has left the queue, also because it cannot be written. */
    private boolean isDone(Send head) {
        try {
            return write(head);
        } catch (RuntimeException failure) { // for example because another thread has closed the arena of the source
            head.fail(failure);
            return true;
        }
    }

    /** Removes a message from the queue. Returns false if it has been written. */
    boolean withdraw(Send send) {
        machine.lock(lock);
        try {
            return queue.remove(send);
        } finally {
            machine.unlock(lock);
        }
    }

    MemorySegment memory() {
        return memory;
    }

    long awaitedWord() {
        return base + ChannelLayout.READ;
    }

    /** Writes a message, eagerly or as an offer. Returns false if there is no room. */
    private boolean write(Send send) {
        if (!hasSlot()) {
            return false;
        }
        if (isEager(send)) {
            return writeEagerly(send);
        }
        offer(send);
        return true;
    }

    private boolean hasSlot() {
        if (sent - readSeen >= ChannelLayout.SLOTS) {
            loadRead();
        }
        return sent - readSeen < ChannelLayout.SLOTS;
    }

    private boolean isEager(Send send) {
        return send.bytes() <= ChannelLayout.EAGER_BYTES_MAX && !send.isSynchronous() && hasCredit(send.bytes());
    }

    private boolean writeEagerly(Send send) {
        long bytes = send.bytes();
        boolean hasCommunicator = hasCommunicator(send);
        long payload = base + ChannelLayout.slot(sent) + ChannelLayout.payload(hasCommunicator);
        if (bytes <= ChannelLayout.payloadBytesMax(hasCommunicator)) {
            machine.copy(send.payload(), 0, memory, payload, bytes);
        } else if (!writeToRing(send, payload)) {
            return false;
        }
        cost += EagerCredit.cost(bytes);
        finish(send, Envelope.eager(send.tag(), send.type(), bytes));
        return true;
    }

    private void offer(Send send) {
        OutgoingTransfer transfer = transfers.take();
        transfer.offer(send.source());
        send.setTransfer(transfer);
        long payload = base + ChannelLayout.slot(sent) + ChannelLayout.payload(hasCommunicator(send));
        machine.storePlain(memory, payload, send.bytes());
        machine.storePlain(memory, payload + ChannelLayout.OFFER_TRANSFER, transfer.address());
        machine.storePlain(memory, payload + ChannelLayout.OFFER_NUMBER, transfer.number());
        finish(send, Envelope.offer(send.tag(), send.type()));
    }

    /** Returns whether the next message must have its communicator's number, because the message before has another. */
    private boolean hasCommunicator(Send send) {
        return send.communicator() != communicator || sent == 0;
    }

    private boolean hasCredit(long bytes) {
        long after = cost + EagerCredit.cost(bytes);
        if (after - matchedSeen > EagerCredit.UNMATCHED_MAX) {
            matchedSeen = machine.load(memory, base + ChannelLayout.MATCHED);
        }
        return after - matchedSeen <= EagerCredit.UNMATCHED_MAX;
    }

    /**
     * Writes a payload to the ring of bytes, and its position to a place in the slot. Returns false if there is no
     * room. The payload does not wrap around. The receiver makes room when it waits in any call, because it keeps
     * messages that match no receive.
     */
    private boolean writeToRing(Send send, long place) {
        long bytes = send.bytes();
        long untilEnd = ChannelLayout.RING_BYTES - ringEnd % ChannelLayout.RING_BYTES;
        long from = untilEnd >= bytes ? ringEnd : ringEnd + untilEnd;
        if (from + bytes - ringFreed > ChannelLayout.RING_BYTES) {
            loadRead();
            if (from + bytes - ringFreed > ChannelLayout.RING_BYTES) {
                return false;
            }
        }
        machine.copy(send.payload(), 0, memory, base + ChannelLayout.ring(from), bytes);
        machine.storePlain(memory, place, from);
        ringEnd = Memory.roundToLines(from + bytes);
        return true;
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
        if (hasCommunicator(send)) {
            communicator = send.communicator();
            machine.storePlain(memory, slot + ChannelLayout.COMMUNICATOR, communicator);
            machine.storePlain(memory, slot + ChannelLayout.ENVELOPE, envelope | ChannelLayout.HAS_COMMUNICATOR);
        } else {
            machine.storePlain(memory, slot + ChannelLayout.ENVELOPE, envelope);
        }
        ringEnds[(int) (sent % ChannelLayout.SLOTS)] = ringEnd;
        sent++;
        send.setWritten();
        machine.store(memory, slot, sent);
        if (machine.load(doors, door + Doors.WAITERS) > 0) {
            machine.add(doors, door + Doors.RINGS, 1);
        }
    }
}
