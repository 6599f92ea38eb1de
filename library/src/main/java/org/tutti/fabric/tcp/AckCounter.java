/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;

import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * How many frames this side has sent, how many of them the other side has handled, and a word to wait for that by. When
 * the other side is gone the word is as great as it can be, so that no thread waits for ever; what was counted until
 * then stays known.
 *
 * <p>Counts are noted under the receiving lock, and the other side may be given up by any thread at any time: therefore
 * the word is raised by compare-and-swap, which fails only because of that, and then need not be raised.
 */
final class AckCounter {
    private static final long COUNTED = 0;
    private static final long GIVEN_UP = Long.MAX_VALUE;

    private final MemorySegment words;
    private volatile long sent;
    private volatile long counted;
    private volatile long received;

    AckCounter(Arena arena) {
        this.words = arena.allocate(Words.LINE_BYTES, Words.LINE_BYTES);
    }

    /** How many frames have been sent, or are in the rails' buffers. */
    long sent() {
        return sent;
    }

    /** So many have been sent; under the sending lock. */
    void noteSent(long number) {
        assert number >= 0 && number <= sent + 1 : "frame " + number + " is sent after " + sent;
        sent = number;
    }

    /** All frames up to this number were counted. */
    long number() {
        return counted;
    }

    /** Takes note of a count; smaller ones than the last come late, and say nothing. */
    void note(long count) throws ProtocolException {
        if (count > sent) {
            throw new ProtocolException("it has counted " + count + " frames of " + sent);
        }
        long before = counted;
        if (count > before) {
            counted = count;
            Words.compareAndSet(words, COUNTED, before, count);
        }
    }

    /** All frames up to this number have arrived, and need not be sent again; some may not have been handled yet. */
    long received() {
        return Math.max(counted, received);
    }

    /** Takes note that so many frames have arrived; under the receiving lock. */
    void noteReceived(long number) throws ProtocolException {
        if (number > sent) {
            throw new ProtocolException("it has received " + number + " frames of " + sent);
        }
        if (number > received) {
            received = number;
        }
    }

    /** Nothing will be counted any more. */
    void giveUp() {
        Words.store(words, COUNTED, GIVEN_UP);
    }

    /** Waits until so many frames were counted, or the other side is gone. */
    void await(long number, Waiter waiter, Waiter.Check check) {
        assert number <= sent : "the count of " + number + " frames is awaited of " + sent;
        waiter.await(words, COUNTED, number, check);
    }
}
