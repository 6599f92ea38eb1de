/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A history of sends and receives, and a model that decides whether a sequential matching explains the history. The
 * model uses no code of the library.
 *
 * <p><b>Model.</b> A match is a receive together with its message. Each match happens at one moment, which no call
 * shows. The moment is after the call of the send and after the call of the receive, and before the receive is seen to
 * have ended. For a synchronous send, the moment is also before the send is seen to have ended. Two rules tell which of
 * two matches is the earlier one:
 *
 * <ol>
 * <li>A receive got a message, and also accepts an older message of the same sender. The older message must not be
 * pending then. Therefore some receive got the older message, and its match is the earlier one.
 * <li>A receive got a message that a receive posted before also accepts. The receive that was posted before must not be
 * pending then. Therefore it was cancelled before this match, or its own match is the earlier one.
 * </ol>
 *
 * <p>The history is right if moments exist that obey both rules, because each match then takes the oldest message and
 * the oldest receive at its moment. Rule 1 must never put a match before one whose receive was posted earlier: that
 * receive accepts both messages, so rule 2 puts its match first, and the two matches cross. If no two matches cross,
 * both rules follow the order of posting. Then each match can have the earliest moment that the calls and the matches
 * before it allow, and this moment must not be later than the match was seen. Messages of several senders have no order
 * among each other: a wildcard receive may take either, and only rule 2 and the moments of the calls restrict it.
 *
 * <p>A probe that finds a message is a receive that is posted and matched during the call. A probe in vain is no
 * receive. A receive that nothing has ended is pending at the end. Then rule 2 refuses each message that it accepts and
 * a later receive got, also a receive that drains the queue. Because a history must receive each message, no message
 * and receive that match are left.
 *
 * <p><b>Withdrawal.</b> No receive gets a message that its sender has withdrawn. A receive may have been matched with
 * it for a while, and does not take other messages meanwhile. Therefore rule 2 spares receives that accept a withdrawn
 * message.
 *
 * <p><b>Identity.</b> The first bytes of a content tell the message, and all bytes are compared then. Messages of equal
 * envelope and equal content, such as empty ones, are told apart by their order.
 * All receives that got one of them accept all of them, so both rules demand that the oldest receive got the oldest
 * message.
 *
 * <p><b>Threads.</b> Any thread may record calls. If several threads of a rank receive or send at the same time, no
 * receive may accept messages of two threads of a rank, and no message may match receives of two threads, because the
 * order of their calls is not known.
 */
final class MatchingHistory {
    /** In place of a source or a tag: any. */
    static final int ANY = -1;

    private final AtomicLong clock = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    private final Queue<Posted> posted = new ConcurrentLinkedQueue<>();

    /** The destination of messages. Only messages and receives of the same place match. */
    private record Place(int communicator, int rank) {}

    /** The envelope of a message, and the first bytes of its content. */
    private record Identity(Place place, int source, int tag, int bytes, long head) {
        static Identity of(Place place, int source, int tag, byte[] content) {
            long head = ByteBuffer.wrap(Arrays.copyOf(content, Long.BYTES)).getLong();
            return new Identity(place, source, tag, content.length, head);
        }
    }

    /** A message. */
    final class Sent {
        private final long at = clock.incrementAndGet();
        private final Identity identity;
        private final byte[] content;
        private volatile long takenUntil = Long.MAX_VALUE;
        private volatile boolean isWithdrawn;
        private Posted receive;

        private Sent(Identity identity, byte[] content) {
            this.identity = identity;
            this.content = content;
        }

        byte[] content() {
            return content;
        }

        /** Records that a synchronous send has been seen to have ended. */
        void taken() {
            takenUntil = clock.incrementAndGet();
        }

        /** Records that the sender has withdrawn the message. */
        void withdrawn() {
            isWithdrawn = true;
        }

        @Override
        public String toString() {
            return at + ": rank " + identity.source + " sends " + identity.bytes + " bytes to "
                    + identity.place + " with tag " + identity.tag + (isWithdrawn ? ", withdrawn" : "");
        }
    }

    /** A receive. */
    final class Posted {
        private final long at = clock.incrementAndGet();
        private final Place place;
        private final int source;
        private final int tag;
        private volatile Identity got;
        private volatile byte[] content;
        private volatile long seenAt = Long.MAX_VALUE;
        private volatile long cancelAt;
        private volatile boolean isCancelled;
        private Sent message;
        private boolean isSpared;
        private long earliest;

        private Posted(Place place, int source, int tag) {
            this.place = place;
            this.source = source;
            this.tag = tag;
        }

        /** Records that the receive has been seen to have ended with a message. */
        void got(int ofSource, int ofTag, byte[] ofMessage) {
            content = ofMessage;
            got = Identity.of(place, ofSource, ofTag, ofMessage);
            matched();
        }

        /** Records that the receive has been seen to have a message, which {@link #got} tells later. */
        void matched() {
            seenAt = Math.min(seenAt, clock.incrementAndGet());
        }

        /** Records that a call begins that may cancel the receive. */
        void beginCancel() {
            cancelAt = clock.incrementAndGet();
        }

        /** Records that the receive has been cancelled. */
        void cancelled() {
            isCancelled = true;
        }

        /** Removes the receive, because it is a probe in vain. */
        void drop() {
            posted.remove(this);
        }

        private boolean accepts(Sent candidate) {
            return (source == ANY || source == candidate.identity.source)
                    && (tag == ANY || tag == candidate.identity.tag);
        }

        private long seenUntil() {
            return Math.min(seenAt, message.takenUntil);
        }

        @Override
        public String toString() {
            return at + ": " + place + " receives from " + source + " with tag " + tag
                    + (message != null ? ", got (" + message + "), seen at " + seenUntil()
                            : got != null ? ", got " + got + ", seen at " + seenAt
                                    : isCancelled ? ", cancelled at " + cancelAt : ", pending");
        }
    }

    /** Records the call of a send, before it begins, and makes its content. */
    Sent send(int communicator, int source, int destination, int tag, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(numbers.incrementAndGet()).nextBytes(content);
        Sent message = new Sent(Identity.of(new Place(communicator, destination), source, tag, content),
                content);
        sent.add(message);
        return message;
    }

    /** Records the call of a receive, before it begins. */
    Posted receive(int communicator, int rank, int source, int tag) {
        Posted receive = new Posted(new Place(communicator, rank), source, tag);
        posted.add(receive);
        return receive;
    }

    // ---- check

    /** Throws if no sequential matching explains the history. All calls must have ended. */
    void check() {
        identify();
        Map<Place, List<Sent>> messages = sent.stream().collect(Collectors.groupingBy(each -> each.identity.place));
        inOrder().collect(Collectors.groupingBy(each -> each.place)).forEach((place, receives) -> {
            List<Sent> toPlace = messages.getOrDefault(place, List.of());
            List<Sent> withdrawn = toPlace.stream().filter(each -> each.isWithdrawn).toList();
            receives.forEach(each -> each.isSpared = withdrawn.stream().anyMatch(each::accepts));
            receives.stream().filter(each -> each.message != null)
                    .forEach(each -> checkMatch(each, toPlace, receives));
        });
    }

    private Stream<Posted> inOrder() {
        return posted.stream().sorted(Comparator.comparingLong(each -> each.at));
    }

    /** Finds the message of each receive. */
    private void identify() {
        Map<Identity, Deque<Sent>> unreceived = new HashMap<>();
        sent.stream().filter(each -> !each.isWithdrawn).sorted(Comparator.comparingLong(each -> each.at))
                .forEach(each -> unreceived.computeIfAbsent(each.identity, _ -> new ArrayDeque<>()).add(each));
        inOrder().filter(each -> each.got != null).forEach(each -> {
            Sent message = unreceived.getOrDefault(each.got, new ArrayDeque<>()).poll();
            require(message != null, "no message is left that is what was received", each);
            require(Arrays.equals(each.content, message.content), "other bytes were received than sent", each);
            require(each.accepts(message), "the receive does not accept its message (" + message + ")", each);
            each.message = message;
            message.receive = each;
        });
        unreceived.values().forEach(left -> require(left.isEmpty(), "a message is lost", left.peek()));
    }

    /** Finds the earliest moment of a match. The matches of all receives that were posted before have theirs. */
    private void checkMatch(Posted match, List<Sent> messages, List<Posted> receives) {
        match.earliest = Math.max(match.at, match.message.at);
        for (Sent older : messages) {
            if (older.at < match.message.at && older.identity.source == match.message.identity.source
                    && !older.isWithdrawn && match.accepts(older)) {
                require(older.receive.at < match.at || match.isSpared,
                        "an older message (" + older + ") was left behind", match);
                match.earliest = Math.max(match.earliest, older.receive.earliest);
            }
        }
        for (Posted older : receives) {
            if (older.at < match.at && older.accepts(match.message) && !older.isSpared) {
                require(older.message != null || older.isCancelled,
                        "a receive is pending (" + older + ") whose message was received by", match);
                match.earliest = Math.max(match.earliest, older.message != null ? older.earliest : older.cancelAt);
            }
        }
        require(match.earliest <= match.seenUntil(), "the match was seen before moment " + match.earliest
                + ", before which it cannot be", match);
    }

    private void require(boolean condition, String fault, Object culprit) {
        if (!condition) {
            throw new AssertionError(fault + ": " + culprit + "\n" + this);
        }
    }

    @Override
    public String toString() {
        return Stream.concat(sent.stream().map(each -> Map.entry(each.at, each.toString())),
                posted.stream().map(each -> Map.entry(each.at, each.toString())))
                .sorted(Map.Entry.comparingByKey()).map(Map.Entry::getValue).collect(Collectors.joining("\n"));
    }
}
