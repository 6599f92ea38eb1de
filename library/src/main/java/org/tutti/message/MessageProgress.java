/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

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

    @Override
    public boolean poll() {
        boolean arrived = fabric != null && fabric.poll();
        arrived |= mailbox.poll();
        return inFlight.poll() || arrived;
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
        if (fabric != null) {
            fabric.beginPolling();
        }
    }

    @Override
    public void endPolling(boolean sleeps) {
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
