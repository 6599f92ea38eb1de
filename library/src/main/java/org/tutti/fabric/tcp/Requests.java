/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * What this process has asked another one for, and where the answers go: a fixed number of places. A place has a word
 * that grows with every answer, for which the asker waits. Places are given under the peer's sending lock; answers come
 * in under its receiving lock. Who has a place gives it back without either, with release order, after its last look at
 * what belongs to the place; who takes it next has read that with acquire order.
 */
final class Requests {
    /** The most requests that may be unanswered. */
    static final int PLACES = 32;

    /** How many of the places, the first ones, are for calls that wait for the answer before they do anything else. */
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

    /** A place for a request, not before the first one that it may take, or −1 when all are taken. */
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

    /** Takes a place; a request for a value has no target. */
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

    /** What a request is called in frames: its place and how often that was taken. */
    long name(int place) {
        return generations[place] << PLACE_BITS | place;
    }

    /** Gives a place back. */
    void release(int place) {
        assert states.get(place) == TAKEN : "request place " + place + " is given back in state " + states.get(place);
        targets[place] = null;
        states.setRelease(place, FREE);
    }

    /** Drops the answer that will come; the place stays taken until then. Under the receiving lock. */
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

    /** The place that a frame names; anything below 256, as others name it. */
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

    /** Sends the payload of an arriving reply to where it belongs. */
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

    /** Takes note of a reply that has arrived. */
    void note(int place, Frame reply) {
        if (reply.has(FrameLayout.REFUSED)) {
            refused[place] = true;
        }
        values[place] = reply.value;
    }

    /** Ends all waits for answers, as none will come any more. */
    void giveUp() {
        for (int place = 0; place < PLACES; place++) {
            Words.store(words, offset(place), Long.MAX_VALUE);
        }
    }

    /** Says that a request is answered. */
    void answer(int place) {
        Words.store(words, offset(place), generations[place]);
    }
}
