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
    static final int PLACES = 32;

    /**
     * The number of entries, the first ones, that are reserved for calls that wait for the answer before they do
     * anything else.
     */
    static final int PLACES_KEPT = 16;

    private static final int PLACE_BITS = 8;
    private static final int FREE = 0;
    private static final int TAKEN = 1;
    private static final int FORGOTTEN = 2;

    private final MemorySegment words;
    private final long[] generations = new long[PLACES];
    private final AtomicIntegerArray states = new AtomicIntegerArray(PLACES);
    private final boolean[] refused = new boolean[PLACES];
    private final MemorySegment[] targets = new MemorySegment[PLACES];
    private final long[] targetOffsets = new long[PLACES];
    private final long[] targetBytes = new long[PLACES];
    private final long[] values = new long[PLACES];

    Requests(Arena arena) {
        this.words = arena.allocate((long) PLACES * Long.BYTES, Words.LINE_BYTES);
    }

    private static long offset(int place) {
        return (long) place * Long.BYTES;
    }

    /** Returns a free entry, from a first one on, or −1 when all are taken. */
    int free(int first) {
        for (int place = first; place < PLACES; place++) {
            if (isFree(place)) {
                return place;
            }
        }
        return -1;
    }

    private boolean isFree(int place) {
        int state = states.getAcquire(place);
        return state == FREE || state == FORGOTTEN && isAnswered(place);
    }

    /** Takes an entry; a request for a value has no target. */
    void take(int place, MemorySegment target, long targetOffset, long bytes) {
        assert isFree(place) : "request place " + place + " is taken, which is in state " + states.get(place);
        assert targetOffset >= 0 && bytes >= 0 && (target == null || targetOffset <= target.byteSize() - bytes)
                : "an answer of " + bytes + " bytes at " + targetOffset + " of " + target;
        generations[place]++;
        states.setPlain(place, TAKEN);
        refused[place] = false;
        targets[place] = target;
        targetOffsets[place] = targetOffset;
        targetBytes[place] = target == null ? 0 : bytes;
    }

    /** The number of a request in frames: its entry, and how often that entry was taken. */
    long name(int place) {
        return generations[place] << PLACE_BITS | place;
    }

    /** Frees an entry. */
    void release(int place) {
        assert states.get(place) == TAKEN : "request place " + place + " is given back in state " + states.get(place);
        targets[place] = null;
        states.setRelease(place, FREE);
    }

    /** Drops the answer that will arrive; the entry stays taken until then. Called under the receiving lock. */
    void forget(int place) {
        assert states.get(place) == TAKEN : "request place " + place + " is forgotten in state " + states.get(place);
        targets[place] = null;
        states.setRelease(place, FORGOTTEN);
    }

    boolean isAnswered(int place) {
        return Words.load(words, offset(place)) >= generations[place];
    }

    void await(int place, Waiter waiter, Waiter.Check check) {
        waiter.await(words, offset(place), generations[place], check);
    }

    boolean isRefused(int place) {
        assert isAnswered(place) : "the request in place " + place + " is not answered";
        return refused[place];
    }

    long value(int place) {
        assert states.get(place) == TAKEN : "the request in place " + place + " is in state " + states.get(place);
        return values[place];
    }

    // ---- answers

    /** The entry that a frame names; any value below 256, because another process names it. */
    static int place(Frame frame) {
        return (int) (frame.word & (1 << PLACE_BITS) - 1);
    }

    /** Finds the request that a reply answers. */
    int find(Frame reply) throws ProtocolException {
        int place = place(reply);
        if (place >= PLACES || reply.word != name(place) || isAnswered(place)) {
            throw new ProtocolException("a reply to what nobody asked");
        }
        return place;
    }

    /** Directs the payload of an arriving reply to its target. */
    void aim(PayloadTarget payloadTarget, Frame reply) throws ProtocolException {
        int place = find(reply);
        MemorySegment target = targets[place];
        if (target != null) {
            if (reply.offset < 0 || reply.offset > targetBytes[place] - reply.length) {
                throw new ProtocolException("a reply outside of what was asked for");
            }
            payloadTarget.into(target, targetOffsets[place] + reply.offset);
        }
    }

    /** Notes a reply that has arrived. */
    void note(int place, Frame reply) {
        if (reply.has(FrameLayout.REFUSED)) {
            refused[place] = true;
        }
        values[place] = reply.value;
    }

    /** Ends all waits, because no more answers will arrive. */
    void giveUp() {
        for (int place = 0; place < PLACES; place++) {
            Words.store(words, offset(place), Long.MAX_VALUE);
        }
    }

    /** Marks a request as answered. */
    void answer(int place) {
        Words.store(words, offset(place), generations[place]);
    }
}
