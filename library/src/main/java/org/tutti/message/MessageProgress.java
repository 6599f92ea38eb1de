/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.tutti.memory.Waiter;

/**
 * Takes messages of a rank while one of its threads waits, in whatever call. The thread also receives what other nodes
 * send, if there are any. Without it, a sender that has filled its channel would wait for as long as the receiver waits
 * for something else.
 */
public final class MessageProgress implements Waiter.Progress {
    private final Waiter.Progress fabric; // null if there are no other nodes
    private Mailbox mailbox;
    private MessagesInFlight inFlight;
    private final AtomicInteger polls = new AtomicInteger();
    private final AtomicReference<Poller> poller = new AtomicReference<>();

    /** A thread that awaits a message of a rank on another node, and polls for the courier of that rank. */
    private record Poller(Thread thread, Courier courier) {}

    /**
     * Creates the progress of a rank's waiting threads.
     *
     * @param fabric receives what other nodes send; null if there are none
     */
    public MessageProgress(Waiter.Progress fabric) {
        this.fabric = fabric;
    }

    /** Sets the mailbox and the non-blocking calls, before any thread waits. */
    void fill(Mailbox ofRank, MessagesInFlight ofCalls) {
        mailbox = ofRank;
        inFlight = ofCalls;
    }

    /** {@return the number of polls by threads that wait or ask, of which some may not have been counted} */
    int polls() {
        return polls.get();
    }

    @Override
    public boolean poll() {
        polls.lazySet(polls.getPlain() + 1); // a full fence would cost more than the poll
        boolean arrived = fabric != null && fabric.poll();
        arrived |= mailbox.poll();
        Courier courier = courierOfThisThread();
        arrived |= courier != null && courier.poll();
        return inFlight.poll() || arrived;
    }

    /** Lets the calling thread poll for a courier, if no other thread polls for one. Returns whether it does. */
    boolean beginPolling(Courier courier) {
        boolean begins = poller.get() == null
                && poller.compareAndSet(null, new Poller(Thread.currentThread(), courier));
        if (begins) {
            courier.beginPolling();
        }
        return begins;
    }

    /** Ends what {@link #beginPolling(Courier)} has begun on the calling thread. */
    void endPolling(Courier courier) {
        poller.set(null);
        courier.endPolling();
    }

    @SuppressWarnings("ReferenceEquality")
    private Courier courierOfThisThread() {
        Poller now = poller.get();
        return now != null && now.thread == Thread.currentThread() ? now.courier : null;
    }

    @Override
    public boolean looksAtNodes() {
        return fabric != null;
    }

    @Override
    public void awaitArrival() {
        if (fabric != null) {
            fabric.awaitArrival();
        } else {
            Waiter.Progress.super.awaitArrival();
        }
    }

    @Override
    public void sleep(MemorySegment memory, long offset, long atLeast, long nanosMax) {
        if (fabric != null) {
            fabric.sleep(memory, offset, atLeast, nanosMax);
        } else {
            Waiter.Progress.super.sleep(memory, offset, atLeast, nanosMax);
        }
    }

    @Override
    public void beginPolling() {
        Courier courier = courierOfThisThread();
        if (courier != null) {
            courier.beginPolling();
        }
        if (fabric != null) {
            fabric.beginPolling();
        }
    }

    @Override
    public void endPolling(boolean sleeps) {
        Courier courier = sleeps ? courierOfThisThread() : null;
        if (courier != null) {
            courier.endPolling();
        }
        if (fabric != null) {
            fabric.endPolling(sleeps);
        }
    }

    @Override
    public void arrived() {
        if (fabric != null) {
            fabric.arrived();
        }
    }
}
