/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.NonBlockingPart;
import org.tutti.collective.members.Members;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The table of a rank's non-blocking gets from other nodes. An entry stands for one piece of a get, and the number of
 * entries is limited. The bytes arrive in the caller's memory without any action of this class. A thread that waits for
 * one request then records all answers that have arrived, also those for other requests.
 *
 * <p><b>Concurrency.</b> Any thread begins pieces, and any thread waits for some. The table is changed under this
 * object's monitor. No thread holds the monitor while it waits, because it waits for a word that grows with every piece
 * that has ended. An entry of the table is reserved before the fabric is asked, so that several threads do not ask for
 * more pieces than the table has entries. A thread that has read the word sees the bytes, because the thread that
 * stored the word had read the fabric's word of the answer before.
 */
final class PendingGets implements Waiter.Progress {
    private static final int PIECES_MAX = NonBlockingPart.IN_FLIGHT_MAX;

    private final SectionTransport fabric;
    private final Members members;
    private final int rank;
    private final Waiter waiter;
    private final CallCheck answer;
    private final PartAddress[] parts = new PartAddress[PIECES_MAX];
    private final int[] requests = new int[PIECES_MAX];
    private final OneSidedRequest[] owners = new OneSidedRequest[PIECES_MAX];
    private final long[] numbers = new long[PIECES_MAX]; // numbers of pieces within the owner
    private final MemorySegment ended = MemorySegment.ofArray(new long[1]);
    private int reserved;
    private volatile int count;

    /**
     * Creates the table of a rank's non-blocking gets from other nodes.
     *
     * @param fabric the transport to other nodes
     * @param members the states of the communicator's ranks: joined, left or failed
     * @param rank the rank that gets
     * @param coreForEach whether every rank of the node has a core of its own, so that a waiting rank may spin
     */
    PendingGets(SectionTransport fabric, Members members, int rank, boolean coreForEach) {
        this.fabric = fabric;
        this.members = members;
        this.rank = rank;
        this.waiter = Waiter.forAnswers(coreForEach, this);
        this.answer = new CallCheck(members, rank);
    }

    /** Returns the name of this rank for messages. */
    String self() {
        return members.describe(rank);
    }

    /** Returns the failure that ends all waits, or null if there is none. */
    RuntimeException failure() {
        return members.failure(CallCheck.ANY);
    }

    /**
     * Requests one piece of a non-blocking get. If the table or the fabric has no room for it, this method waits until
     * another piece has ended. If there is no other piece, it gets the bytes by a blocking call.
     *
     * @param owner the request to which the piece belongs
     * @param part the address of the other rank's memory that has the bytes
     * @param offset the offset of the bytes in that memory
     * @param target the caller's memory in which the bytes arrive
     * @param targetOffset the offset in the caller's memory at which they arrive
     * @param length the number of bytes
     * @param check decides whether a wait for room must end
     * @param piece an object of the caller, which this method sets so that it describes the bytes
     */
    void begin(OneSidedRequest owner, PartAddress part, long offset, MemorySegment target, long targetOffset,
            long length,
            CallCheck check, SectionPieces piece) {
        piece.begin(offset, target, targetOffset, length);
        while (true) {
            int request = !reserve() ? SectionTransport.NO_ENTRY
                    : ask(owner, part, piece, length, target, targetOffset, check);
            if (request == SectionTransport.NO_ENTRY) {
                long seen = Words.load(ended, 0);
                if (count > 0) {
                    await(ended, seen + 1, check);
                    continue;
                }
                check.requireThere(fabric.get(part.process(), part.region(), offset, target, targetOffset, length,
                        check));
                return;
            }
            check.requireThere(request >= 0);
            return;
        }
    }

    private synchronized boolean reserve() {
        if (count + reserved == PIECES_MAX) {
            return false;
        }
        reserved++;
        return true;
    }

    /** Requests a piece for which an entry is reserved. */
    private int ask(OneSidedRequest owner, PartAddress part, SectionPieces piece, long length, MemorySegment target,
            long targetOffset, CallCheck check) {
        int request = SectionTransport.NO_ENTRY;
        try {
            request = fabric.beginGet(part.process(), part.region(), piece, length, target, targetOffset, false, check);
        } finally {
            fill(owner, part, request);
        }
        return request;
    }

    /** Fills a reserved entry with a request, or frees it if there is no request. */
    private synchronized void fill(OneSidedRequest owner, PartAddress part, int request) {
        assert reserved > 0 && count + reserved <= PIECES_MAX
                : count + " pieces are pending, and " + reserved + " reserved";
        reserved--;
        if (request >= 0) {
            numbers[count] = owner.begin();
            parts[count] = part;
            requests[count] = request;
            owners[count] = owner;
            count = count + 1;
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns whether any of the first pieces of a request has not ended. Later pieces may have ended earlier. */
    synchronized boolean isPending(OneSidedRequest owner, long pieces) {
        for (int i = 0; i < count; i++) {
            if (owners[i] == owner && numbers[i] <= pieces) {
                return true;
            }
        }
        return false;
    }

    /** Waits until a word that counts ended pieces has reached a value. */
    void await(MemorySegment word, long atLeast, Waiter.Check check) {
        fabric.flush();
        waiter.await(word, 0, atLeast, check);
    }

    /** Waits until all pieces have ended. */
    void awaitAll(Waiter.Check check) {
        while (count > 0) {
            long seen = Words.load(ended, 0);
            if (count > 0) {
                await(ended, seen + 1, check);
            }
        }
    }

    @Override
    public boolean poll() {
        return fabric.poll() | takeAnswers();
    }

    @Override
    public void awaitArrival() {
        fabric.awaitArrival();
    }

    private synchronized boolean takeAnswers() {
        boolean any = false;
        for (int i = count - 1; i >= 0; i--) {
            if (fabric.isAnswered(parts[i].process(), requests[i])) {
                RuntimeException failure = null;
                try {
                    answer.begin("get", parts[i].rank(), Long.MAX_VALUE)
                            .requireThere(fabric.awaitGet(parts[i].process(), requests[i], answer));
                } catch (RuntimeException e) {
                    failure = e;
                }
                remove(i, failure);
                any = true;
            }
        }
        return any;
    }

    private void remove(int piece, RuntimeException failure) {
        assert piece >= 0 && piece < count : "piece " + piece + " ends of " + count;
        OneSidedRequest owner = owners[piece];
        int last = count - 1;
        parts[piece] = parts[last];
        requests[piece] = requests[last];
        owners[piece] = owners[last];
        numbers[piece] = numbers[last];
        parts[last] = null;
        owners[last] = null;
        count = last;
        owner.end(failure);
        Words.store(ended, 0, Words.load(ended, 0) + 1);
    }

    /**
     * Ends the pieces of a request, or of all requests for null. Afterwards nothing writes to their memory any more.
     */
    synchronized void drop(OneSidedRequest owner, RuntimeException reason) {
        for (int i = count - 1; i >= 0; i--) {
            if (owner == null || owners[i] == owner) {
                fabric.forgetGet(parts[i].process(), requests[i]);
                remove(i, reason);
            }
        }
    }
}
