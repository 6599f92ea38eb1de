/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The receiver's side of a transfer ({@link TransferLayout}). It takes the payload of an offered message that a receive
 * has matched. Objects are reused.
 */
final class IncomingTransfer {
    private Machine machine;
    private Memory nodeMemory;
    private MemorySegment memory;
    private MemorySegment target;
    private long base;
    private long address;
    private long number;
    private long bytes;
    private long chunks;
    private long end;
    private long source;
    private long loansOf; // the address of the block whose loans are known
    private MemorySegment[] loans;
    private long chunk;
    private boolean hasFailed;

    /**
     * Begins the transfer.
     *
     * @param ofMachine the access to memory
     * @param ofNode the shared memory of the node
     * @param receive the receive that the message has matched
     * @return false if the sender has withdrawn the message
     */
    boolean begin(Machine ofMachine, Memory ofNode, Receive receive) {
        machine = ofMachine;
        nodeMemory = ofNode;
        address = receive.transfer();
        number = receive.transferNumber();
        bytes = receive.matchedBytes();
        memory = nodeMemory.around(address);
        base = nodeMemory.offset(address);
        source = machine.loadPlain(memory, base + TransferLayout.SOURCE);
        chunks = TransferLayout.chunks(bytes);
        end = number + 1 + chunks;
        chunk = 0;
        hasFailed = false;
        target = receive.fits() ? receive.target() : null;
        return machine.compareAndSet(memory, base + TransferLayout.TAKEN, number, number + 1);
    }

    /** Takes as much of the payload as is possible without waiting. Returns whether the transfer has ended. */
    boolean advance() {
        boolean isOver = true;
        try {
            if (target == null) {
                return true;
            }
            if (source == TransferLayout.LENT) {
                machine.copy(loan(), 0, target, 0, bytes);
            } else if (source != TransferLayout.BY_CHUNKS) {
                machine.copy(nodeMemory.block(source, bytes), 0, target, 0, bytes);
            } else {
                isOver = takeChunks();
            }
            hasFailed = machine.load(memory, base + TransferLayout.FILLED) >= end;
            isOver |= hasFailed;
            return isOver;
        } finally {
            if (isOver) { // also if the copy throws, so that the sender goes on
                end();
            }
        }
    }

    /** Returns the memory that the sender lends. A block has the same loans for as long as the job. */
    private MemorySegment loan() {
        if (address != loansOf) {
            loansOf = address;
            loans = nodeMemory.loans(address, 1);
        }
        return loans[0];
    }

    private boolean takeChunks() {
        while (chunk < chunks) {
            if (machine.load(memory, awaitedWord()) < awaitedValue()) {
                return false;
            }
            long at = chunk * TransferLayout.CHUNK_BYTES;
            machine.copy(memory, base + TransferLayout.place(chunk), target, at,
                    Math.min(TransferLayout.CHUNK_BYTES, bytes - at));
            chunk++;
            if (chunk < chunks) {
                machine.store(memory, base + TransferLayout.TAKEN, number + 1 + chunk);
            }
        }
        return true;
    }

    /** Returns the memory of the word for which {@link #advance} waits. */
    MemorySegment memory() {
        return memory;
    }

    /** Returns the offset of that word. */
    long awaitedWord() {
        return base + TransferLayout.FILLED;
    }

    /** Returns the value for which {@link #advance} waits. */
    long awaitedValue() {
        return number + 1 + chunk;
    }

    long chunksTaken() {
        return chunk;
    }

    AwaitedWord awaited() {
        return new AwaitedWord(memory, awaitedWord(), awaitedValue());
    }

    /** Returns whether the sender has failed during the transfer, so that the payload is not complete. */
    boolean hasFailed() {
        return hasFailed;
    }

    /** Ends the transfer, so that the sender goes on. */
    void end() {
        target = null;
        machine.store(memory, base + TransferLayout.TAKEN, end);
    }

    /** Returns whether the sender of an offer that no receive has matched has withdrawn it. */
    static boolean isWithdrawn(Machine machine, Memory nodeMemory, long address, long number) {
        return machine.load(nodeMemory.around(address), nodeMemory.offset(address) + TransferLayout.TAKEN) > number;
    }

    /** Ends an offer whose payload nobody wants. The sender then goes on. */
    static void decline(Machine machine, Memory nodeMemory, long address, long number, long bytes) {
        machine.compareAndSet(nodeMemory.around(address), nodeMemory.offset(address) + TransferLayout.TAKEN, number,
                number + 1 + TransferLayout.chunks(bytes));
    }
}
