/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.random.RandomGenerator;

import org.tutti.FoundMessage;
import org.tutti.Message;
import org.tutti.MessageWithdrawnException;
import org.tutti.ReceiveRequest;
import org.tutti.Request;
import org.tutti.message.MatchingHistory.Posted;
import org.tutti.message.MatchingHistory.Sent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread of a rank that sends and receives at random on a communicator, and records its calls. After the last step,
 * the actor tells each rank so by a message of another communicator, which follows all its messages. When the actor has
 * heard that from all ranks, each message for it has come. A receive that is pending then has no message, and the actor
 * drains the messages that no receive has taken.
 */
final class MatchingActor {
    /**
     * Lengths in bytes around the limits: of a slot and of a cache line; of an eager message between nodes with several
     * rails, on a node, and with one rail; of a piece for several rails, of a chunk, and of a frame.
     */
    private static final int[] LENGTHS = {0, 1, 8, 39, 40, 41, 48, 49, 1000, 3967, 3968, 3969, 4096, 8191, 8192, 8193,
            32_767, 32_768, 32_769, 61_407, 61_408, 61_409, 65_536, 65_537, 98_305};
    private static final int LENGTHS_SHORT = 16;
    private static final int OPEN_MAX = 40;
    private static final int GUARD_BYTES = 16;

    private final MatchingHistory history;
    private final RandomGenerator random;
    private final MatchingCalls calls;
    private final MatchingCalls ends;
    private final int communicator;
    private final int rank;
    private final int size;
    private final int[] tags;
    private final boolean takesAnyTag;
    private final boolean withdraws;
    private final int lengths;
    private final List<OpenSend> sends = new ArrayList<>();
    private final List<OpenReceive> receives = new ArrayList<>();
    private final List<OpenProbe> probes = new ArrayList<>();
    private final List<Request> endRequests = new ArrayList<>();

    private record OpenSend(Sent sent, Request request, boolean isSynchronous) {}

    private record OpenReceive(Posted posted, ReceiveRequest request, MemorySegment target) {}

    private record OpenProbe(Posted posted, FoundMessage found) {}

    /**
     * Creates an actor.
     *
     * @param history records the calls
     * @param random decides the calls
     * @param calls the calls on the communicator
     * @param ends the calls on a communicator without other messages
     * @param communicator the communicator, as the history names it
     * @param rank the rank of the actor
     * @param size the number of ranks
     * @param tags the tags that no other thread of a rank uses on the communicator; the first one tells the end
     * @param takesAnyTag whether no other thread of a rank uses the communicator
     * @param hasLong whether any actor sends long messages
     * @param withdraws whether the actor withdraws sends, which the model of matching checks less strictly
     */
    MatchingActor(MatchingHistory history, RandomGenerator random, MatchingCalls calls, MatchingCalls ends,
            int communicator, int rank, int size, int[] tags, boolean takesAnyTag, boolean hasLong, boolean withdraws) {
        this.history = history;
        this.random = random;
        this.calls = calls;
        this.ends = ends;
        this.communicator = communicator;
        this.rank = rank;
        this.size = size;
        this.tags = tags;
        this.takesAnyTag = takesAnyTag;
        this.withdraws = withdraws;
        this.lengths = hasLong ? LENGTHS.length : LENGTHS_SHORT;
    }

    /** Makes a call. */
    void step() {
        int choice = random.nextInt(100);
        if (choice < 35 && sends.size() < OPEN_MAX) {
            send();
        } else if (choice < 65 && receives.size() < OPEN_MAX) {
            receive();
        } else if (choice < 75) {
            tryProbe(anySource(), anyTag());
        } else if (choice < 80 && !probes.isEmpty()) {
            take(probes.remove(random.nextInt(probes.size())));
        } else if (choice < 85 && !receives.isEmpty()) {
            cancel(receives.get(random.nextInt(receives.size())));
        } else if (choice < 88 && withdraws && !sends.isEmpty()) {
            withdraw(sends.get(random.nextInt(sends.size())));
        } else if (choice < 95) {
            look();
        } else if (calls.mayWait() && withdraws && random.nextBoolean()) {
            sendNow();
        } else if (calls.mayWait()) {
            receiveNow();
        }
    }

    private int anySource() {
        return random.nextInt(3) == 0 ? MatchingHistory.ANY : random.nextInt(size);
    }

    private int anyTag() {
        return takesAnyTag && random.nextInt(3) == 0 ? MatchingHistory.ANY : tag();
    }

    private int tag() {
        return tags[random.nextInt(tags.length)];
    }

    // ---- sending

    private Sent newMessage(int target, int tag) {
        return history.send(communicator, rank, target, tag, LENGTHS[random.nextInt(lengths)]);
    }

    private MemorySegment payload(Arena arena, Sent sent) {
        return memory(arena, sent.content().length).copyFrom(MemorySegment.ofArray(sent.content()));
    }

    private MemorySegment memory(Arena arena, int bytes) {
        return random.nextBoolean() ? MemorySegment.ofArray(new byte[bytes])
                : arena.allocate(Math.max(1, bytes)).asSlice(0, bytes);
    }

    private void send() {
        int target = random.nextInt(size);
        int tag = tag();
        boolean isSynchronous = random.nextInt(6) == 0;
        Sent sent = newMessage(target, tag);
        sends.add(new OpenSend(sent, calls.send(payload(Arena.ofAuto(), sent), target, tag, isSynchronous),
                isSynchronous));
    }

    private void withdraw(OpenSend open) {
        if (calls.withdraw(open.request)) {
            open.sent.withdrawn();
            sends.remove(open);
        }
    }

    private void ended(OpenSend open) {
        sends.remove(open);
        if (open.isSynchronous) {
            open.sent.taken();
        }
    }

    /** Sends from memory that only this thread can read, and waits for a short time. */
    private void sendNow() {
        int target = random.nextInt(size);
        int tag = tag();
        Sent sent = newMessage(target, tag);
        try (Arena arena = Arena.ofConfined()) {
            if (!calls.sendNow(payload(arena, sent), target, tag, random.nextInt(6) == 0)) {
                sent.withdrawn();
            }
        }
    }

    // ---- receiving

    private MemorySegment target(Arena arena) {
        return memory(arena, LENGTHS[lengths - 1] + GUARD_BYTES);
    }

    private void receive() {
        int source = anySource();
        int tag = anyTag();
        MemorySegment target = target(Arena.ofAuto());
        Posted posted = history.receive(communicator, rank, source, tag);
        receives.add(new OpenReceive(posted, calls.receive(target, source, tag), target));
    }

    /** Receives to memory that only this thread can write, and waits for a short time. */
    private void receiveNow() {
        int source = anySource();
        int tag = anyTag();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = target(arena);
            Posted posted = history.receive(communicator, rank, source, tag);
            posted.beginCancel();
            Message message = calls.receiveNow(target, source, tag);
            if (message == null) {
                posted.cancelled();
            } else {
                record(posted, message, target);
            }
        }
    }

    private static void record(Posted posted, Message message, MemorySegment target) {
        posted.got(message.source(), message.tag(), content(target, message.count()));
    }

    /** Returns the elements that have come. The bytes after them must not have changed. */
    private static byte[] content(MemorySegment target, long bytes) {
        assertThat(target.asSlice(bytes, GUARD_BYTES).toArray(ValueLayout.JAVA_BYTE)).as("bytes after a message")
                .containsOnly(0);
        return target.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    private void ended(OpenReceive open) {
        receives.remove(open);
        try {
            record(open.posted, open.request.message(), open.target);
        } catch (CancellationException _) { // the cancellation came after a match with a message that was withdrawn
            open.posted.cancelled();
        }
    }

    private void cancel(OpenReceive open) {
        open.posted.beginCancel();
        if (open.request.cancel()) {
            open.posted.cancelled();
            receives.remove(open);
        }
    }

    /** Looks whether some requests have ended. */
    private void look() {
        List.copyOf(receives).stream().filter(_ -> random.nextBoolean()).filter(each -> each.request.isDone())
                .forEach(this::ended);
        List.copyOf(sends).stream().filter(_ -> random.nextBoolean()).filter(each -> each.request.isDone())
                .forEach(this::ended);
    }

    private boolean tryProbe(int source, int tag) {
        Posted posted = history.receive(communicator, rank, source, tag);
        FoundMessage found = calls.tryProbe(source, tag);
        if (found == null) {
            posted.drop();
            return false;
        }
        posted.matched();
        probes.add(new OpenProbe(posted, found));
        return true;
    }

    private void take(OpenProbe open) {
        MemorySegment target = target(Arena.ofAuto());
        try {
            calls.receive(open.found, target);
        } catch (MessageWithdrawnException _) {
            open.posted.drop();
            return;
        }
        open.posted.got(open.found.source(), open.found.tag(), content(target, open.found.count()));
    }

    // ---- the end

    /** Tells all ranks that this actor has made its last send. */
    void startEnd() {
        for (int other = 0; other < size; other++) {
            endRequests.add(ends.receive(MemorySegment.ofArray(new byte[0]), other, tags[0]));
            endRequests.add(ends.send(MemorySegment.ofArray(new byte[0]), other, tags[0], false));
        }
    }

    /** Receives all messages for this actor, which have come when the other ranks have told their ends. */
    void drain() {
        endRequests.forEach(ends::await);
        while (!receives.isEmpty()) {
            OpenReceive open = receives.getFirst();
            if (open.request.cancel()) {
                receives.remove(open); // it stays pending in the history
            } else {
                calls.await(open.request);
                ended(open);
            }
        }
        for (int tag : tags) {
            boolean isAny;
            do {
                isAny = tryProbe(MatchingHistory.ANY, tag);
            } while (isAny);
        }
        probes.forEach(this::take);
    }

    /** Awaits the sends of this actor. All actors drain meanwhile, or have done so. */
    void finish() {
        for (OpenSend each : List.copyOf(sends)) {
            calls.await(each.request);
            ended(each);
        }
    }
}
