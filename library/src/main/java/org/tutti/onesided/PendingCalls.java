/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

import org.tutti.NonBlockingPart;
import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.Members;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The table of a rank's non-blocking calls on parts at other nodes that have begun and have not ended. The number of
 * entries is limited. There are three kinds of entries:
 * <ul>
 * <li>a get that is one request of the fabric. Its bytes arrive in the caller's memory without any action of this
 * class. A thread that waits for one call then records all answers that have arrived, also those of other calls;
 * <li>any other get. It has a virtual thread, which makes the blocking call;
 * <li>a put, an accumulate or a replacement in the {@link CallQueue} of its part.
 * </ul>
 *
 * <p><b>Concurrency.</b> Any thread begins calls, and any thread waits for some. The table is changed under this
 * object's monitor. No thread holds the monitor while it waits, because it waits for a word that grows with every call
 * that has ended. An entry of the table is reserved before the fabric is asked, so that several threads do not begin
 * more calls than the table has entries. A thread that has read the word sees the bytes of a get, because the thread
 * that stored the word had read the fabric's word of the answer before, or had made the call.
 *
 * <p><b>Order.</b> Entries are numbered in the order in which they begin. A later call into the same part waits for the
 * queued calls with lower numbers, so calls into one part start in the order of the program.
 *
 * <p><b>Why it ends.</b> A queued call waits only for queued calls of its part with lower numbers, which are before it
 * in the queue, and for the fabric. A get waits for lower numbers, too, and no put waits for a get.
 */
final class PendingCalls implements Waiter.Progress {
    private static final int CALLS_MAX = NonBlockingPart.IN_FLIGHT_MAX;
    private static final int ON_THREAD = -3;
    private static final int QUEUED = -4;

    private final SectionTransport fabric;
    private final Members members;
    private final int rank;
    private final ProgressPolicy policy;
    private final Waiter answers;
    private final Waiter threads;
    private final CallCheck answer;
    private final PartAddress[] parts = new PartAddress[CALLS_MAX];
    private final int[] requests = new int[CALLS_MAX]; // of the fabric; or the kind of a call with a thread
    private final OneSidedRequest[] owners = new OneSidedRequest[CALLS_MAX];
    private final long[] numbers = new long[CALLS_MAX];
    private final MemorySegment ended = MemorySegment.ofArray(new long[1]);
    private int reserved;
    private volatile int count;
    private volatile int onThreads;
    private volatile int queued;
    private volatile long begun;

    /**
     * Creates the table of a rank's non-blocking calls on parts at other nodes.
     *
     * @param fabric the transport to other nodes
     * @param members the states of the communicator's ranks: joined, left or failed
     * @param rank the rank that makes the calls
     * @param coreForEach whether every rank of the node has a core of its own, so that a waiting rank may spin
     * @param policy the record of whether the rank waits for its requests
     */
    PendingCalls(SectionTransport fabric, Members members, int rank, boolean coreForEach, ProgressPolicy policy) {
        this.fabric = fabric;
        this.members = members;
        this.rank = rank;
        this.policy = policy;
        this.answers = Waiter.forAnswers(coreForEach, this, null);
        this.threads = new Waiter(coreForEach, this);
        this.answer = new CallCheck(members, rank);
    }

    /** Returns this rank, a rank of the job. */
    int rankInJob() {
        return members.rankInJob(rank);
    }

    /** Returns the name of this rank for messages. */
    String self() {
        return members.describe(rank);
    }

    /** Returns the failure that ends all waits, or null if there is none. */
    RuntimeException failure() {
        return members.failure(CallCheck.ANY);
    }

    /** Returns the record of whether the rank waits for its requests. */
    ProgressPolicy policy() {
        return policy;
    }

    // ---- calls that begin

    /**
     * Requests all bytes of a get by one request of the fabric. If the table or the fabric has no room for it, this
     * method waits until another call has ended.
     *
     * @param owner the request of the program to which the call belongs
     * @param part the address of the other rank's memory that has the bytes
     * @param pieces the bytes in both memories; in the caller's memory they are one run
     * @param check decides whether a wait for room must end
     * @return whether the bytes are requested; false if there is no room, and no other call for whose end to wait
     */
    boolean begin(OneSidedRequest owner, PartAddress part, SectionPieces pieces, CallCheck check) {
        while (true) {
            int request = reserve() ? ask(owner, part, pieces, check) : SectionTransport.NO_ENTRY;
            if (request != SectionTransport.NO_ENTRY) {
                check.requireThere(request >= 0);
                return true;
            }
            if (!awaitAnother(check)) {
                return false;
            }
        }
    }

    private synchronized boolean reserve() {
        if (count + reserved == CALLS_MAX) {
            return false;
        }
        reserved++;
        return true;
    }

    /** Waits until one more call has ended. Returns false if there is none. */
    private boolean awaitAnother(CallCheck check) {
        long seen = Words.load(ended, 0);
        if (count == 0) {
            return false;
        }
        await(ended, seen + 1, check);
        return true;
    }

    /** Requests the bytes of a get for which an entry is reserved. */
    private int ask(OneSidedRequest owner, PartAddress part, SectionPieces pieces, CallCheck check) {
        int request = SectionTransport.NO_ENTRY;
        try {
            request = fabric.beginGet(part.process(), part.region(), pieces, pieces.left(), pieces.memory(),
                    pieces.here().offset(), false, check);
            assert request < 0 || pieces.part().left() == 0 : pieces.part().left() + " bytes are not requested";
        } finally {
            if (request >= 0) {
                fill(owner, part, request);
            } else {
                giveBack();
            }
        }
        return request;
    }

    private synchronized void giveBack() {
        reserved--;
    }

    /** Fills a reserved entry, and returns its number. */
    private synchronized long fill(OneSidedRequest owner, PartAddress part, int request) {
        assert reserved > 0 && count + reserved <= CALLS_MAX
                : count + " calls are pending, and " + reserved + " reserved";
        reserved--;
        owner.begin();
        parts[count] = part;
        requests[count] = request;
        owners[count] = owner;
        long number = begun + 1;
        numbers[count] = number;
        noteKind(request, 1);
        begun = number;
        count = count + 1;
        return number;
    }

    private void noteKind(int request, int more) {
        int withThread = onThreads + (request < 0 ? more : 0);
        int inQueue = queued + (request == QUEUED ? more : 0);
        onThreads = withThread;
        queued = inQueue;
    }

    private void awaitEntry(CallCheck check) {
        while (!reserve()) {
            if (!awaitAnother(check)) {
                Thread.yield(); // other threads have reserved all entries, and fill them now
            }
        }
    }

    /**
     * Makes a get on a virtual thread. If the table has no room for it, this method waits until another call has ended.
     *
     * @param owner the request of the program to which the call belongs
     * @param part the address of the other rank's memory that has the bytes
     * @param call makes the blocking call, given the number of the entry
     * @param check decides whether a wait for room must end
     */
    void begin(OneSidedRequest owner, PartAddress part, LongConsumer call, CallCheck check) {
        awaitEntry(check);
        long number = fill(owner, part, ON_THREAD);
        start("get", () -> {
            Throwable failure = run(number, call);
            synchronized (this) {
                end(number, failure);
            }
            fabric.arrived(); // wakes threads that wait for the call
        });
    }

    /**
     * Adds a call to the queue of a part. If the table has no room for it, this method waits until another call has
     * ended.
     *
     * @param owner the request of the program to which the call belongs
     * @param part the address of the other rank's memory to which the call writes
     * @param queue the queue of the part
     * @param call makes the blocking call, given the number of the entry
     * @param check decides whether a wait for room must end
     */
    void begin(OneSidedRequest owner, PartAddress part, CallQueue queue, LongConsumer call, CallCheck check) {
        awaitEntry(check);
        boolean starts;
        synchronized (this) {
            starts = queue.add(fill(owner, part, QUEUED), call);
        }
        if (starts) {
            start("put", () -> runAll(queue));
        }
    }

    // ---- threads

    private void start(String label, Runnable calls) {
        try {
            Thread.ofVirtual().name("tutti rank " + rank + " " + label).start(() -> {
                policy.enter();
                calls.run();
                policy.leave();
            });
        } catch (Throwable _) { // too little memory: the caller makes the calls
            calls.run();
        }
    }

    private void runAll(CallQueue queue) {
        boolean more = true;
        while (more) {
            CallQueue.Queued first = first(queue);
            Throwable failure = run(first.number(), first.call());
            synchronized (this) {
                more = queue.remove();
                end(first.number(), failure);
            }
            fabric.arrived(); // wakes threads that wait for the call
        }
    }

    private synchronized CallQueue.Queued first(CallQueue queue) {
        return queue.first();
    }

    private static Throwable run(long number, LongConsumer call) {
        try {
            call.accept(number);
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    private void end(long number, Throwable failure) {
        int entry = 0;
        while (numbers[entry] != number) {
            entry++;
        }
        remove(entry, failure);
    }

    // ---- waits

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns whether any call waits in a queue, or is made from there. */
    boolean isAnyQueued() {
        return queued > 0;
    }

    /** Returns the number of the call that has begun last. */
    long begun() {
        return begun;
    }

    /** Returns whether any call of a request has not ended, among the calls up to a number. */
    synchronized boolean isPending(OneSidedRequest owner, long upTo) {
        for (int i = 0; i < count; i++) {
            if (owners[i] == owner && numbers[i] <= upTo) {
                return true;
            }
        }
        return false;
    }

    private synchronized boolean isQueued(PartAddress part, long upTo) {
        for (int i = 0; i < count; i++) {
            if (requests[i] == QUEUED && numbers[i] <= upTo && (part == null || parts[i].equals(part))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Waits until queued calls have ended.
     *
     * @param part the part into which they write, or null for any part
     * @param upTo the number of the last call for whose end to wait
     */
    void awaitQueued(PartAddress part, long upTo, CallCheck check) {
        for (long seen = Words.load(ended, 0); isQueued(part, upTo); seen = Words.load(ended, 0)) {
            if (check.isInBackground()) {
                threads.await(ended, 0, seen + 1, check);
            } else {
                await(ended, seen + 1, check);
            }
        }
    }

    /** Waits until a word that counts ended calls has reached a value. */
    void await(MemorySegment word, long atLeast, Waiter.Check check) {
        fabric.flush();
        if (onThreads == 0) {
            answers.await(word, 0, atLeast, check);
        } else {
            policy.begin();
            try {
                threads.await(word, 0, atLeast, check);
            } finally {
                policy.end();
            }
        }
    }

    /** Waits until all calls have ended. */
    void awaitAll(CallCheck check) {
        while (awaitAnother(check)) {
            check.check();
        }
    }

    /** Records the answers that have arrived, because a thread asks whether a request is done. */
    void look() {
        poll();
        if (onThreads > 0) {
            policy.look();
        }
    }

    @Override
    public boolean poll() {
        return fabric.poll() | takeAnswers();
    }

    @Override
    public void beginPolling() {
        fabric.beginPolling();
    }

    @Override
    public void endPolling(boolean sleeps) {
        fabric.endPolling(sleeps);
    }

    @Override
    public void awaitArrival() {
        fabric.awaitArrival();
    }

    @Override
    public void sleep(MemorySegment memory, long offset, long atLeast, long nanosMax) {
        fabric.sleep(memory, offset, atLeast, nanosMax);
    }

    // ---- calls that end

    private synchronized boolean takeAnswers() {
        boolean any = false;
        for (int i = count - 1; i >= 0; i--) {
            if (requests[i] >= 0 && fabric.isAnswered(parts[i].process(), requests[i])) {
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

    private void remove(int entry, Throwable failure) {
        assert entry >= 0 && entry < count : "entry " + entry + " ends of " + count;
        OneSidedRequest owner = owners[entry];
        int last = count - 1;
        noteKind(requests[entry], -1);
        parts[entry] = parts[last];
        requests[entry] = requests[last];
        owners[entry] = owners[last];
        numbers[entry] = numbers[last];
        parts[last] = null;
        owners[last] = null;
        count = last;
        owner.end(failure);
        Words.store(ended, 0, Words.load(ended, 0) + 1);
    }

    /**
     * Ends the gets of a request, or of all requests for null, that are requests of the fabric. Afterwards no thread of
     * the fabric writes to their memory any more. A call with a thread ends by itself, because its own check sees the
     * failure or the deadline.
     */
    synchronized void drop(OneSidedRequest owner, RuntimeException reason) {
        for (int i = count - 1; i >= 0; i--) {
            if (requests[i] >= 0 && (owner == null || owners[i] == owner)) {
                fabric.forgetGet(parts[i].process(), requests[i]);
                remove(i, reason);
            }
        }
    }
}
