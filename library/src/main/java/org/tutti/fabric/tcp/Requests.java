/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The table of the requests of this process that another process has not answered, with the memory to which requested
 * bytes go. The table has a fixed number of entries. An entry has a word that grows with every answer, and the
 * requesting call waits for this word. Entries are allocated under the peer's sending lock, and answers arrive under
 * its receiving lock. A call frees its entry without a lock, with release order, after it has read the entry for the
 * last time. The call that allocates the entry next reads its state with acquire order first.
 */
final class Requests {
    /** The most requests that may be unanswered, which is the number of entries. */
    static final int ENTRIES = 32;

    /**
     * The number of entries that are reserved for calls that wait for the answer before they do anything else. They are
     * the first entries of the table.
     */
    static final int ENTRIES_KEPT = 16;

    private static final int ENTRY_BITS = 8;
    private static final int FREE = 0;
    private static final int TAKEN = 1;
    private static final int FORGOTTEN = 2;

    private final MemorySegment words;
    private final long[] generations = new long[ENTRIES];
    private final AtomicIntegerArray states = new AtomicIntegerArray(ENTRIES);
    private final boolean[] refused = new boolean[ENTRIES];
    private final MemorySegment[] targets = new MemorySegment[ENTRIES];
    private final long[] targetOffsets = new long[ENTRIES];
    private final long[] targetBytes = new long[ENTRIES];
    private final long[] values = new long[ENTRIES];

    Requests(Arena arena) {
        this.words = arena.allocate((long) ENTRIES * Long.BYTES, Words.LINE_BYTES);
    }

    private static long offset(int entry) {
        return (long) entry * Long.BYTES;
    }

    /**
     * Returns the index of a free entry.
     *
     * @param first the lowest entry that may be returned
     * @return the entry, or −1 if all these entries are in use
     */
    int free(int first) {
        for (int entry = first; entry < ENTRIES; entry++) {
            if (isFree(entry)) {
                return entry;
            }
        }
        return -1;
    }

    private boolean isFree(int entry) {
        int state = states.getAcquire(entry);
        return state == FREE || state == FORGOTTEN && isAnswered(entry);
    }

    /**
     * Allocates a free entry for a request for bytes, or for the value that an atomic operation returns.
     *
     * @param target the memory for requested bytes, or null if the request is for a value
     * @param targetOffset the offset of the bytes in the target
     * @param bytes the number of requested bytes
     */
    void take(int entry, MemorySegment target, long targetOffset, long bytes) {
        assert isFree(entry) : "request entry " + entry + " is taken, which is in state " + states.get(entry);
        assert targetOffset >= 0 && bytes >= 0 && (target == null || targetOffset <= target.byteSize() - bytes)
                : "an answer of " + bytes + " bytes at " + targetOffset + " of " + target;
        generations[entry]++;
        states.setPlain(entry, TAKEN);
        refused[entry] = false;
        targets[entry] = target;
        targetOffsets[entry] = targetOffset;
        targetBytes[entry] = target == null ? 0 : bytes;
    }

    /**
     * Returns the number that identifies a request in frames. It consists of the entry and of the number of times that
     * the entry was allocated.
     */
    long name(int entry) {
        return generations[entry] << ENTRY_BITS | entry;
    }

    /** Frees an entry. */
    void release(int entry) {
        assert states.get(entry) == TAKEN : "request entry " + entry + " is given back in state " + states.get(entry);
        targets[entry] = null;
        states.setRelease(entry, FREE);
    }

    /**
     * Forgets a request that its caller has abandoned, so that the answer will be dropped. The entry stays in use until
     * the answer arrives. Called under the receiving lock.
     */
    void forget(int entry) {
        assert states.get(entry) == TAKEN : "request entry " + entry + " is forgotten in state " + states.get(entry);
        targets[entry] = null;
        states.setRelease(entry, FORGOTTEN);
    }

    boolean isAnswered(int entry) {
        return Words.load(words, offset(entry)) >= generations[entry];
    }

    void await(int entry, Waiter waiter, Waiter.Check check) {
        waiter.await(words, offset(entry), generations[entry], check);
    }

    boolean isRefused(int entry) {
        assert isAnswered(entry) : "the request in entry " + entry + " is not answered";
        return refused[entry];
    }

    long value(int entry) {
        assert states.get(entry) == TAKEN : "the request in entry " + entry + " is in state " + states.get(entry);
        return values[entry];
    }

    // ---- answers

    /**
     * Returns the index of the entry that a frame names. The result may be any number below 256, and need not be an
     * entry of the table, because another process sends it.
     */
    static int entry(Frame frame) {
        return (int) (frame.word & (1 << ENTRY_BITS) - 1);
    }

    /**
     * Returns the entry of the request that a reply answers.
     *
     * @throws ProtocolException if there is no such request
     */
    int find(Frame reply) throws ProtocolException {
        int entry = entry(reply);
        if (entry >= ENTRIES || reply.word != name(entry) || isAnswered(entry)) {
            throw new ProtocolException("a reply to what nobody asked");
        }
        return entry;
    }

    /**
     * Directs the payload of an arriving reply to the memory that its request has named as target.
     *
     * @throws ProtocolException if there is no such request, or the payload lies outside the target
     */
    void aim(PayloadTarget payloadTarget, Frame reply) throws ProtocolException {
        int entry = find(reply);
        MemorySegment target = targets[entry];
        if (target != null) {
            if (reply.offset < 0 || reply.offset > targetBytes[entry] - reply.length) {
                throw new ProtocolException("a reply outside of what was asked for");
            }
            payloadTarget.into(target, targetOffsets[entry] + reply.offset);
        }
    }

    /** Notes the value of a reply that has arrived, and whether the reply refuses the request. */
    void note(int entry, Frame reply) {
        if (reply.has(FrameLayout.REFUSED)) {
            refused[entry] = true;
        }
        values[entry] = reply.value;
    }

    /** Ends all waits, because no more answers will arrive. */
    void giveUp() {
        for (int entry = 0; entry < ENTRIES; entry++) {
            Words.store(words, offset(entry), Long.MAX_VALUE);
        }
    }

    /** Marks a request as answered, and so ends the wait of its caller. */
    void answer(int entry) {
        Words.store(words, offset(entry), generations[entry]);
    }
}
