/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * Hands over the payload of an offered message to a rank of the node. The sender owns a block of the node's memory for
 * it. If the receiver can read the sender's memory, the receiver copies the payload once, from there. Otherwise sender
 * and receiver copy it through two chunks of the block, at the same time.
 *
 * <pre>
 *  line 0:  +0 TAKEN, written by the receiver
 *  line 1:  +0 FILLED, written by the sender
 *  line 2:  +0 SOURCE: {@value #BY_CHUNKS} if the payload comes in chunks, {@value #LENT} if the sender's memory is
 *           a loan of the block, else the address of the payload in the node's memory
 *  then two chunks of {@value #CHUNK_BYTES} bytes
 * </pre>
 *
 * <p><b>Words.</b> A transfer has a number n, which the offer carries, and c chunks, the length of the payload divided
 * by the length of a chunk. TAKEN is n + 1 when a receive has matched, and one more after each chunk. FILLED is
 * n + 1 + i when chunk i is there. The sender fills chunk i when chunk i − 2 is taken. A receiver sets TAKEN to
 * n + 1 + c immediately if it wants no payload, or has copied from the sender's memory. The next transfer through the
 * block has the number n + 1 + c. Therefore both words only grow, and each stores with release order what the other
 * side loads with acquire order.
 *
 * <p><b>Withdrawal.</b> A sender whose wait for a receive must end sets TAKEN from n to n + 1 + c, and a receiver sets
 * it from n to n + 1, each by a compare-and-set. Therefore either the message is withdrawn, and the receiver looks for
 * another one, or both sides complete the transfer. A sender that fails while it fills chunks sets FILLED to n + 1 + c,
 * which no chunk does, and the receiver then looks for another message. A block whose transfer has failed is not used
 * again.
 */
final class Transfer {
    static final int CHUNK_BYTES = 32 << 10;
    static final long BY_CHUNKS = 0;
    static final long LENT = -1;

    private static final long TAKEN = 0;
    private static final long FILLED = Words.LINE_BYTES;
    private static final long SOURCE = 2L * Words.LINE_BYTES;
    private static final long CHUNKS = 3L * Words.LINE_BYTES;

    /** The length of the block of a transfer. */
    static final long BYTES = CHUNKS + 2L * CHUNK_BYTES;

    private final Machine machine;
    private final Memory nodeMemory;
    private final MemorySegment memory;
    private final long base;
    private final long address;
    private final MemorySegment[] loans; // null if the receiver may be in another process
    private long number;
    private boolean isFree;

    /** Claims a block for the transfers of a sender, one after the other. */
    Transfer(Machine machine, Memory nodeMemory) {
        this.machine = machine;
        this.nodeMemory = nodeMemory;
        this.address = nodeMemory.claim(BYTES, "long messages");
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
        isFree = false;
        long place = nodeMemory.addressOf(source);
        if (place == 0 && loans != null && Memory.isOpenToAll(source)) {
            loans[0] = source;
            place = LENT;
        }
        machine.storePlain(memory, base + SOURCE, place);
    }

    /**
     * Waits until a receive has matched, and hands over the payload. Returns when the sender may use its memory again.
     * Throws if the wait for the receive must end; the message is then withdrawn.
     */
    void send(MemorySegment source, MessageCheck check) {
        long chunks = chunks(source.byteSize());
        long end = number + 1 + chunks;
        try {
            machine.await(memory, base + TAKEN, number + 1, check);
        } catch (Throwable failure) {
            if (machine.compareAndSet(memory, base + TAKEN, number, end)) {
                end(end);
                throw failure;
            }
        }
        check.beginTransfer();
        try {
            if (machine.loadPlain(memory, base + SOURCE) == BY_CHUNKS) {
                fill(source, chunks, end, check);
            }
        } catch (Throwable failure) { // for example because another thread has closed the arena of the source
            machine.store(memory, base + FILLED, end);
            throw failure;
        }
        check.awaitTransfer(machine, memory, base + TAKEN, end);
        end(end);
    }

    private void fill(MemorySegment source, long chunks, long end, MessageCheck check) {
        for (long chunk = 0; chunk < chunks; chunk++) {
            check.awaitTransfer(machine, memory, base + TAKEN, number + 1 + Math.max(0, chunk - 1));
            if (machine.load(memory, base + TAKEN) >= end) {
                return;
            }
            long at = chunk * CHUNK_BYTES;
            machine.copy(source, at, memory, chunk(base, chunk), Math.min(CHUNK_BYTES, source.byteSize() - at));
            machine.store(memory, base + FILLED, number + 1 + chunk);
        }
    }

    /** Returns whether the block can serve another message. */
    boolean isFree() {
        return isFree;
    }

    private void end(long end) {
        isFree = true;
        if (loans != null) {
            loans[0] = null;
        }
        number = end;
    }

    /**
     * Takes the payload of an offered message that a receive has matched.
     *
     * @param address the address of the block, from the offer
     * @param number the number of the transfer, from the offer
     * @param bytes the length of the payload, in bytes
     * @param target the memory for the payload; null if the receiver does not want it
     * @param check ends a wait by throwing
     * @return false if the sender has withdrawn the message, or has failed to fill the chunks
     */
    static boolean receive(Machine machine, Memory nodeMemory, long address, long number, long bytes,
            MemorySegment target, MessageCheck check) {
        MemorySegment memory = nodeMemory.around(address);
        long base = nodeMemory.offset(address);
        long source = machine.loadPlain(memory, base + SOURCE);
        long chunks = chunks(bytes);
        long end = number + 1 + chunks;
        if (!machine.compareAndSet(memory, base + TAKEN, number, number + 1)) {
            return false;
        }
        try {
            if (target == null) {
                return true;
            }
            if (source == LENT) {
                machine.copy(nodeMemory.loans(address, 1)[0], 0, target, 0, bytes);
            } else if (source != BY_CHUNKS) {
                machine.copy(nodeMemory.block(source, bytes), 0, target, 0, bytes);
            } else {
                for (long chunk = 0; chunk < chunks; chunk++) {
                    check.awaitTransfer(machine, memory, base + FILLED, number + 1 + chunk);
                    long at = chunk * CHUNK_BYTES;
                    machine.copy(memory, chunk(base, chunk), target, at, Math.min(CHUNK_BYTES, bytes - at));
                    if (chunk < chunks - 1) {
                        machine.store(memory, base + TAKEN, number + 2 + chunk);
                    }
                }
            }
            return machine.load(memory, base + FILLED) < end;
        } finally { // also if the copy throws, so that the sender goes on
            machine.store(memory, base + TAKEN, end);
        }
    }

    /** Returns whether the sender of an offer that no receive has matched has withdrawn it. */
    static boolean isWithdrawn(Machine machine, Memory nodeMemory, long address, long number) {
        return machine.load(nodeMemory.around(address), nodeMemory.offset(address) + TAKEN) > number;
    }

    /** Ends an offer whose payload nobody wants. The sender then goes on. */
    static void decline(Machine machine, Memory nodeMemory, long address, long number, long bytes) {
        machine.compareAndSet(nodeMemory.around(address), nodeMemory.offset(address) + TAKEN, number,
                number + 1 + chunks(bytes));
    }

    private static long chunks(long bytes) {
        return Math.max(1, (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
    }

    private static long chunk(long base, long chunk) {
        return base + CHUNKS + chunk % 2 * CHUNK_BYTES;
    }
}
