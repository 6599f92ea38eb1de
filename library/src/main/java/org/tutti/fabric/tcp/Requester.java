/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.LongWait;
import org.tutti.memory.Waiter;

/**
 * Executes the calls that request something from another process, which are gets and atomic operations. Each request
 * occupies an entry in the table of unanswered requests ({@link Requests}), and is sent under the sending lock of the
 * {@link Peer}. The call then waits without a lock until the answer raises a word of the entry. A call that abandons a
 * request acquires the receiving lock, so that no thread writes to the request's target afterwards.
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
     * Requests contiguous bytes of a region of the other process, without waiting for them. They have arrived in the
     * target when {@link #await} returns true.
     *
     * @return the request, or −1 if the process is gone
     */
    int get(long region, long offset, MemorySegment target, long targetOffset, long bytes, Waiter.Check check) {
        return get(region, offset, null, bytes, target, targetOffset, true, check);
    }

    /** Requests the next bytes of a transfer, as {@link SectionTransport#beginGet} describes. */
    int get(long region, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset, boolean waits,
            Waiter.Check check) {
        return get(region, 0, pieces, bytes, target, targetOffset, waits, check);
    }

    private int get(long region, long offset, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset,
            boolean waits, Waiter.Check check) {
        int request = lockWithEntry(waits, check);
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
     * Requests an atomic operation on a region of the other process, without waiting for it. The operation is done when
     * {@link #await} returns true.
     *
     * @return the request, or −1 if the process is gone
     */
    int atomic(long region, long offset, AtomicOperation operation, long operand, long expected, Waiter.Check check) {
        int request = lockWithEntry(true, check);
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
     * Acquires the sending lock and finds a free entry in the table of unanswered requests.
     *
     * @param waits whether to wait for a free entry
     * @return the entry, with the lock held. Without the lock, {@link SectionTransport#NO_ENTRY} if no entry is free,
     *            or −1 if the process is gone
     */
    private int lockWithEntry(boolean waits, Waiter.Check check) {
        int request = tryLockWithEntry(waits ? 0 : Requests.ENTRIES_KEPT, check);
        return waits && request == SectionTransport.NO_ENTRY ? awaitEntry(check) : request;
    }

    private int tryLockWithEntry(int first, Waiter.Check check) {
        if (session.isGone()) {
            return -1;
        }
        sending.lock(check);
        int request = requests.free(first);
        if (request >= 0) {
            return request;
        }
        sending.unlock();
        return SectionTransport.NO_ENTRY;
    }

    /**
     * Waits until an entry is free, and returns it with the lock held. The lock is not held during the wait, because
     * other threads may need it before they free their entries.
     */
    private int awaitEntry(Waiter.Check check) {
        int request = SectionTransport.NO_ENTRY;
        try (var wait = new LongWait()) {
            for (int turn = 1; request == SectionTransport.NO_ENTRY; turn++) {
                wait.turn(check);
                sending.pollAndYield(turn, check);
                request = tryLockWithEntry(0, check);
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
     * Waits for the answer to a request. If no answer will arrive, or the check throws an exception, the request is
     * forgotten, and no thread writes to its target afterwards.
     *
     * @return whether there is an answer
     */
    boolean await(int request, Waiter waiter, Waiter.Check check) {
        boolean answered = false;
        try {
            requests.await(request, waiter, check);
            answered = !session.isGone();
        } finally {
            if (!answered) {
                forget(request); // no thread writes to the caller's memory afterwards
            }
        }
        return answered;
    }

    /**
     * Returns the answer to a request, and frees the entry of the request.
     *
     * @throws IndexOutOfBoundsException if the request was refused
     */
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

    /**
     * Abandons a request. When this method returns, no thread writes to the request's target any more. The entry stays
     * in use until the answer arrives.
     */
    void forget(int request) {
        session.receiving().lock(); // no other thread is writing to the target then
        try {
            requests.forget(request);
            inbound.dropReplies(request);
        } finally {
            session.receiving().unlock();
        }
    }
}
