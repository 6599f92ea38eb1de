/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The unanswered requests of this process to another one, and the targets of the answers: a table with a fixed number
 * of entries. An entry has a word that grows with every answer, and for which the requesting call waits. Entries are
 * taken under the peer's sending lock; answers arrive under its receiving lock. A call frees its entry without a lock,
 * with release order, after it has read the entry for the last time. The call that takes the entry next has read its
 * state with acquire order.
 */
final class Requests {
    /** The most requests that may be unanswered. */
    static final int ENTRIES = 32;

    /**
     * The number of entries, the first ones, that are reserved for calls that wait for the answer before they do
     * anything else.
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

    /** Returns a free entry, from a first one on, or −1 when all are taken. */
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

    /** Takes an entry; a request for a value has no target. */
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

    /** Returns the number of a request in frames: its entry, and how often that entry was taken. */
    long name(int entry) {
        return generations[entry] << ENTRY_BITS | entry;
    }

    /** Frees an entry. */
    void release(int entry) {
        assert states.get(entry) == TAKEN : "request entry " + entry + " is given back in state " + states.get(entry);
        targets[entry] = null;
        states.setRelease(entry, FREE);
    }

    /** Drops the answer that will arrive; the entry stays taken until then. Called under the receiving lock. */
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

    /** Returns the entry that a frame names; any value below 256, because another process names it. */
    static int entry(Frame frame) {
        return (int) (frame.word & (1 << ENTRY_BITS) - 1);
    }

    /** Finds the request that a reply answers. */
    int find(Frame reply) throws ProtocolException {
        int entry = entry(reply);
        if (entry >= ENTRIES || reply.word != name(entry) || isAnswered(entry)) {
            throw new ProtocolException("a reply to what nobody asked");
        }
        return entry;
    }

    /** Directs the payload of an arriving reply to its target. */
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

    /** Notes a reply that has arrived. */
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

    /** Marks a request as answered. */
    void answer(int entry) {
        Words.store(words, offset(entry), generations[entry]);
    }
}
