/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The sender's side of a transfer ({@link TransferLayout}). It owns a block of the node's memory, and hands over the
 * payloads of offered messages, one after another.
 */
final class OutgoingTransfer {
    private final Machine machine;
    private final Memory nodeMemory;
    private final MemorySegment memory;
    private final long base;
    private final long address;
    private final MemorySegment[] loans; // null if the receiver may be in another process
    private long number;
    private long end;
    private long chunks;
    private long filled;
    private boolean isByChunks;

    /** Claims a block. */
    OutgoingTransfer(Machine machine, Memory nodeMemory) {
        this.machine = machine;
        this.nodeMemory = nodeMemory;
        this.address = nodeMemory.claim(TransferLayout.BYTES, "long messages");
        this.memory = nodeMemory.around(address);
        this.base = nodeMemory.offset(address);
        this.loans = nodeMemory.loans(address, 1);
    }

    long address() {
        return address;
    }

    long number() {
        return number;
    }

    /** Prepares the block before the message is offered. */
    void offer(MemorySegment source) {
        chunks = TransferLayout.chunks(source.byteSize());
        end = number + 1 + chunks;
        filled = 0;
        long place = nodeMemory.addressOf(source);
        if (place == 0 && loans != null && Memory.isOpenToAll(source)) {
            loans[0] = source;
            place = TransferLayout.LENT;
        }
        isByChunks = place == TransferLayout.BY_CHUNKS;
        machine.storePlain(memory, base + TransferLayout.SOURCE, place);
    }

    /** Returns whether a receive has matched the message, so that it cannot be withdrawn any more. */
    boolean isMatched() {
        return machine.load(memory, base + TransferLayout.TAKEN) > number;
    }

    /**
     * Hands over as much of the payload as is possible without waiting. Returns whether the sender may use its memory
     * again.
     */
    boolean advance(MemorySegment source) {
        long taken = machine.load(memory, base + TransferLayout.TAKEN);
        while (isByChunks && filled < chunks && taken >= mayFillAt() && taken < end) {
            fill(source);
            taken = machine.load(memory, base + TransferLayout.TAKEN);
        }
        if (taken >= end) {
            complete();
            return true;
        }
        return false;
    }

    private void fill(MemorySegment source) {
        long at = filled * TransferLayout.CHUNK_BYTES;
        machine.copy(source, at, memory, base + TransferLayout.place(filled),
                Math.min(TransferLayout.CHUNK_BYTES, source.byteSize() - at));
        machine.store(memory, base + TransferLayout.FILLED, number + 1 + filled);
        filled++;
    }

    long chunksFilled() {
        return filled;
    }

    /** Returns the value of TAKEN that allows this side to fill the next chunk. */
    private long mayFillAt() {
        return number + 1 + Math.max(0, filled - 1);
    }

    /** Returns the memory of the word for which {@link #advance} waits. */
    MemorySegment memory() {
        return memory;
    }

    /** Returns the offset of that word. */
    long awaitedWord() {
        return base + TransferLayout.TAKEN;
    }

    /** Returns the value for which {@link #advance} waits. */
    long awaitedValue() {
        return !isMatched() ? number + 1 : isByChunks && filled < chunks ? mayFillAt() : end;
    }

    /** Withdraws the message. Returns false if a receive has matched it; the transfer must then be completed. */
    boolean withdraw() {
        if (!machine.compareAndSet(memory, base + TransferLayout.TAKEN, number, end)) {
            return false;
        }
        complete();
        return true;
    }

    /**
     * Tells the receiver that the payload will not be complete. The block can serve another message when the receiver
     * has ended the transfer, too ({@link #isEndedByReceiver}).
     */
    void fail() {
        machine.store(memory, base + TransferLayout.FILLED, end);
    }

    /** Returns whether the receiver has ended a transfer that has failed. The block can then serve another message. */
    boolean isEndedByReceiver() {
        boolean isEnded = machine.load(memory, base + TransferLayout.TAKEN) >= end;
        if (isEnded) {
            complete();
        }
        return isEnded;
    }

    private void complete() {
        if (loans != null) {
            loans[0] = null;
        }
        number = end;
    }
}
