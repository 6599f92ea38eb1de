/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Another node's rank, as this rank knows it: the credit of both for their messages, and the numbers by which their
 * messages keep their order. With several rails, active messages may arrive in another order than they were sent.
 */
final class FarPeer {
    /** The most messages that wait for an earlier one, and their most bytes. */
    private static final int EARLY_MAX = 1 << 13;
    private static final long EARLY_BYTES_MAX = 32 << 20;

    /** Takes a numbered message in its turn. Returns false if the other rank had no credit for it. */
    @FunctionalInterface
    interface Taker {
        boolean take(int operation, long argument0, long argument1, MemorySegment message, long offset, long bytes);
    }

    private record Early(int operation, long argument0, long argument1, MemorySegment message) {}

    /** The credit of both ranks. */
    final FarCredit credit = new FarCredit();

    /** Makes the transfers of non-blocking messages to and from the other rank. */
    final Courier courier;

    /** Orders the threads that send to the other rank. */
    final Lock sending = new ReentrantLock();

    private long sent; // guarded by the lock
    private final LongTable<Early> early = new LongTable<>();
    private long earlyBytes;
    private final LongTable<IncomingPut> matchedOffers = new LongTable<>(); // guarded by itself
    private long taken;

    /**
     * Creates what a rank knows of another one before their first message.
     *
     * @param background runs transfers while no thread polls for them
     * @param flush writes what transfers have left in buffers
     */
    FarPeer(Background background, Runnable flush) {
        courier = new Courier(background, flush);
    }

    /** Records that a receive has matched an offer of the other rank, and begins the put of the payload. */
    void offerMatched(long offer, IncomingPut put) {
        credit.offerEnds();
        synchronized (matchedOffers) {
            put.begin();
            matchedOffers.put(offer, put);
        }
    }

    /**
     * Opens the put of an offer that a receive has matched.
     *
     * @param put the put
     * @param region the region for the payload, 0 without a payload
     * @param receive the number of the receive, 0 if it does not wait
     * @return false if the other rank has withdrawn the offer
     */
    boolean open(IncomingPut put, long region, long receive) {
        synchronized (matchedOffers) {
            put.open(region, receive);
            return !put.isWithdrawn();
        }
    }

    /**
     * Records that the other rank has withdrawn an offer, if a receive has matched it.
     *
     * @param offer the offer; it may be any number
     * @param waker ends the wait of a receive, which is given by its number
     */
    void withdraw(long offer, LongConsumer waker) {
        synchronized (matchedOffers) {
            IncomingPut put = matchedOffers.get(offer);
            if (put != null) {
                put.withdraw();
                if (put.number() != 0) {
                    waker.accept(put.number());
                }
            }
        }
    }

    /** Returns how many offers of the other rank are matched, and not forgotten. */
    int matchedOffers() {
        synchronized (matchedOffers) {
            return matchedOffers.count();
        }
    }

    /** Forgets an offer, because its receive has ended or begins again. */
    void forget(long offer) {
        synchronized (matchedOffers) {
            matchedOffers.remove(offer);
        }
    }

    /** Returns the number of the next message to the other rank. The caller has the lock. */
    long nextNumber() {
        return sent;
    }

    /** Records that the message with the next number has been sent. The caller has the lock. */
    void setSent() {
        sent++;
    }

    /**
     * Takes a message of the other rank if its number is the next one. Then takes the kept messages that follow it. A
     * message with a later number is copied and kept. Returns false if the number cannot be, or the other rank had no
     * credit for a message. Credit for an offer is asked in turn, because an earlier message may withdraw another one.
     */
    synchronized boolean arrive(long number, int operation, long argument0, long argument1, MemorySegment message,
            long offset, long bytes, long cost, Taker taker) {
        if (number < taken || number > taken && early.get(number) != null || !credit.arrives(cost)) {
            return false;
        }
        if (number > taken) {
            if (early.count() == EARLY_MAX || earlyBytes + bytes > EARLY_BYTES_MAX) {
                return false;
            }
            earlyBytes += bytes;
            MemorySegment copy = MemorySegment.ofArray(new byte[(int) bytes]);
            MemorySegment.copy(message, offset, copy, 0, bytes);
            early.put(number, new Early(operation, argument0, argument1, copy));
            return true;
        }
        boolean isTaken = taker.take(operation, argument0, argument1, message, offset, bytes);
        taken += isTaken ? 1 : 0;
        while (isTaken && early.get(taken) != null) {
            Early next = early.remove(taken);
            earlyBytes -= next.message.byteSize();
            isTaken = taker.take(next.operation, next.argument0, next.argument1, next.message, 0,
                    next.message.byteSize());
            taken += isTaken ? 1 : 0;
        }
        return isTaken;
    }
}
