/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;

import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * Counts the frames that this side has sent to another process, the frames that the process has acked as received, and
 * the frames that it has acked as handled. A word of memory holds the last of these counts, so that threads can wait
 * for it. When the other process is gone, the word gets the greatest possible value, so that no thread waits for ever.
 * The count before the loss stays known ({@link #number}).
 *
 * <p>Acks are noted under the receiving lock, but any thread may give up the other side at any time. The word is
 * therefore raised with a compare-and-set. It fails only if the other side was given up, and then the word already has
 * the greatest value.
 */
final class AckCounter {
    private static final long ACKED = 0;
    private static final long GIVEN_UP = Long.MAX_VALUE;

    private final MemorySegment words;
    private volatile long sent;
    private volatile long acked;
    private volatile long received;

    AckCounter(Arena arena) {
        this.words = arena.allocate(Words.LINE_BYTES, Words.LINE_BYTES);
    }

    /** Returns the number of frames that have been sent, or are in the rails' buffers. */
    long sent() {
        return sent;
    }

    /** Notes the number of frames that have been sent. Called under the sending lock. */
    void noteSent(long number) {
        assert number >= 0 && number <= sent + 1 : "frame " + number + " is sent after " + sent;
        sent = number;
    }

    /** Returns the number of frames that the other side has acked as handled. */
    long number() {
        return acked;
    }

    /**
     * Notes an ack of handled frames. An ack that comes late, with a lower number than an earlier one, has no effect.
     *
     * @throws ProtocolException if more frames are acked than were sent
     */
    void note(long count) throws ProtocolException {
        if (count > sent) {
            throw new ProtocolException("it has acknowledged " + count + " frames of " + sent);
        }
        long before = acked;
        if (count > before) {
            acked = count;
            Words.compareAndSet(words, ACKED, before, count);
        }
    }

    /**
     * Returns the number of frames that the other side has acked as received. These frames need not be retransmitted,
     * but some of them may not have been handled.
     */
    long received() {
        return Math.max(acked, received);
    }

    /**
     * Notes an ack of received frames. Called under the receiving lock.
     *
     * @throws ProtocolException if more frames are acked than were sent
     */
    void noteReceived(long number) throws ProtocolException {
        if (number > sent) {
            throw new ProtocolException("it has received " + number + " frames of " + sent);
        }
        if (number > received) {
            received = number;
        }
    }

    /** Ends all waits, because no more acks will arrive. */
    void giveUp() {
        Words.store(words, ACKED, GIVEN_UP);
    }

    /** Waits until the other side has handled all frames up to a number, or is gone. */
    void await(long number, Waiter waiter, Waiter.Check check) {
        assert number <= sent : "the count of " + number + " frames is awaited of " + sent;
        waiter.await(words, ACKED, number, check);
    }
}
