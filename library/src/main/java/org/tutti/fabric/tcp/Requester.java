/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.LongWait;
import org.tutti.memory.Waiter;

/**
 * The calls that ask another process for something: gets and atomic operations. A request takes a place among the
 * {@link Requests} and is sent under the sending lock of its {@link Peer}. Whoever waits for the answer holds no lock,
 * as the place has a word that the answer raises; whoever gives it up takes the receiving lock, so that nobody is
 * writing to the target afterwards.
 */
final class Requester {
    private final Session session;
    private final SendingSide sending;
    private final Outbound outbound;
    private final Requests requests;
    private final Inbound inbound;
    private final Frame asked = new Frame();

    Requester(Session session, SendingSide sending, Outbound outbound, Requests requests, Inbound inbound) {
        this.session = session;
        this.sending = sending;
        this.outbound = outbound;
        this.requests = requests;
        this.inbound = inbound;
    }

    /**
     * Asks for bytes; they are here when {@link #await} returns.
     *
     * @return the request, or −1 when the process is gone
     */
    int get(long region, long offset, MemorySegment target, long targetOffset, long bytes, Waiter.Check check) {
        return get(region, offset, null, bytes, target, targetOffset, true, check);
    }

    /** See {@link SectionTransport#beginGet}. */
    int get(long region, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset, boolean waits,
            Waiter.Check check) {
        return get(region, 0, pieces, bytes, target, targetOffset, waits, check);
    }

    private int get(long region, long offset, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset,
            boolean waits, Waiter.Check check) {
        int request = lockWithPlace(waits, check);
        if (request < 0) {
            return request;
        }
        try {
            requests.take(request, target, targetOffset, bytes);
            describe(FrameLayout.GET, request, region, bytes).offset = offset;
            return send(request, pieces, check);
        } finally {
            sending.unlock();
        }
    }

    /**
     * Asks for an atomic operation; it is done when {@link #await} returns.
     *
     * @return the request, or −1 when the process is gone
     */
    int atomic(long region, long offset, AtomicOperation operation, long operand, long expected, Waiter.Check check) {
        int request = lockWithPlace(true, check);
        if (request < 0) {
            return request;
        }
        try {
            requests.take(request, null, 0, 0);
            describe(FrameLayout.ATOMIC, request, region, operand).offset = offset;
            asked.operation = (short) operation.ordinal();
            asked.tag = expected;
            return send(request, null, check);
        } finally {
            sending.unlock();
        }
    }

    /**
     * Takes the sending lock when there is a place for a request.
     *
     * @param waits whether to wait for a place
     * @return the place; or, without the lock, {@link SectionTransport#NO_PLACE}, or −1 when the process is gone
     */
    private int lockWithPlace(boolean waits, Waiter.Check check) {
        int request = tryLockWithPlace(waits ? 0 : Requests.PLACES_KEPT, check);
        return waits && request == SectionTransport.NO_PLACE ? awaitPlace(check) : request;
    }

    private int tryLockWithPlace(int first, Waiter.Check check) {
        if (session.isGone()) {
            return -1;
        }
        sending.lock(check);
        int request = requests.free(first);
        if (request >= 0) {
            return request;
        }
        sending.unlock();
        return SectionTransport.NO_PLACE;
    }

    /** Waits without the lock, which others need who take answers and free places. */
    private int awaitPlace(Waiter.Check check) {
        int request = SectionTransport.NO_PLACE;
        try (var wait = new LongWait()) {
            for (int turn = 1; request == SectionTransport.NO_PLACE; turn++) {
                wait.turn(check);
                sending.pollAndYield(turn, check);
                request = tryLockWithPlace(0, check);
            }
        }
        return request;
    }

    private Frame describe(byte kind, int request, long region, long value) {
        asked.of(kind).region = region;
        asked.word = requests.name(request);
        asked.value = value;
        return asked;
    }

    private int send(int request, SectionPieces pieces, Waiter.Check check) {
        boolean sent = false;
        try {
            Rail rail = sending.railWithRoom(
                    FrameLayout.HEADER_BYTES + (pieces == null ? 0 : FrameLayout.REQUEST_BYTES_MAX), check);
            if (rail != null) {
                asked.length = pieces == null ? 0
                        : PackedRuns.writeRequest(asked, pieces, asked.value, rail.outgoing(), rail.payloadAt());
                outbound.appendWritten(rail, asked);
                sent = true;
            }
        } finally {
            if (!sent) { // perhaps the check has thrown
                requests.release(request);
            }
        }
        outbound.write();
        return sent ? request : -1;
    }

    boolean isAnswered(int request) {
        return requests.isAnswered(request);
    }

    /**
     * Waits for the answer to a request, which is forgotten when none will come, or the check throws.
     *
     * @return whether there is one
     */
    boolean await(int request, Waiter waiter, Waiter.Check check) {
        boolean answered = false;
        try {
            requests.await(request, waiter, check);
            answered = !session.isGone();
        } finally {
            if (!answered) {
                forget(request); // nobody writes to the caller's memory then
            }
        }
        return answered;
    }

    /** Takes the answer to a request, whose place is free afterwards; throws when it was refused. */
    long take(int request) {
        boolean refused = requests.isRefused(request);
        long value = requests.value(request);
        requests.release(request);
        if (refused) {
            throw new IndexOutOfBoundsException("the process of rank " + session.process()
                    + " has refused access: the memory is closed there, or the range is not inside it");
        }
        return value;
    }

    /** Gives up waiting for the answer to a request; its place stays taken until the answer comes. */
    void forget(int request) {
        session.receiving().lock(); // nobody is writing to the target now
        try {
            requests.forget(request);
            inbound.dropReplies(request);
        } finally {
            session.receiving().unlock();
        }
    }
}
