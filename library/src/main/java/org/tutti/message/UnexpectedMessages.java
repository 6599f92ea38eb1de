/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The messages that have come and that no receive has matched. The {@link Mailbox} guards this table with its lock. The
 * objects of messages that have left the table are used again.
 */
final class UnexpectedMessages extends MatchTable<Arrival> {
    private static final int SPARES_MAX = 1024;
    private static final int SWEPT_MIN = 1024;

    private final RankTable<LongTable<Arrival>> farOffers = new RankTable<>(); // of each rank, by their numbers
    private int sweptAt = SWEPT_MIN;
    private Arrival[] spares = new Arrival[16];
    private int spareCount;

    /** Keeps a message, with its payload. Returns an object for the next message. */
    Arrival keep(Arrival message) {
        message.keep();
        add(message);
        if (message.isFarOffer) {
            farOffers.getOrMake(message.source, _ -> new LongTable<>()).put(message.transfer, message);
        }
        return spareCount == 0 ? new Arrival() : spares[--spareCount];
    }

    /** Returns the oldest message that a receive accepts, or null. */
    Arrival find(Receive receive) {
        if (!receive.isWildcard()) {
            return oldest(receive.communicator, receive.source, receive.tag);
        }
        Arrival kept = oldest();
        while (kept != null && !receive.accepts(kept.communicator, kept.source, kept.tag)) {
            kept = after(kept);
        }
        return kept;
    }

    /** Returns the offer of a rank on another node with a number, which may be any; or null. */
    Arrival findOffer(int source, long number) {
        LongTable<Arrival> offers = farOffers.get(source);
        return offers == null ? null : offers.get(number);
    }

    @Override
    void remove(Arrival message) {
        super.remove(message);
        if (message.isFarOffer) { // a rank that uses a number twice has one entry
            farOffers.get(message.source).remove(message.transfer);
        }
    }

    /** Removes the messages that fulfill a condition, each after an action. */
    void removeIf(Predicate<Arrival> condition, Consumer<Arrival> action) {
        for (Arrival kept = oldest(); kept != null;) {
            Arrival after = after(kept);
            if (condition.test(kept)) {
                remove(kept);
                action.accept(kept);
                putBack(kept);
            }
            kept = after;
        }
    }

    /** Returns whether the table must be swept before it becomes twice as long. */
    boolean isSweepDue() {
        return count() >= sweptAt;
    }

    /** Removes the messages that their senders have withdrawn. */
    void sweep(Predicate<Arrival> isWithdrawn) {
        removeIf(isWithdrawn, _ -> {
        });
        sweptAt = Math.max(SWEPT_MIN, 2 * count());
    }

    /** Puts back the object of a message that has left the table. */
    void putBack(Arrival message) {
        if (message.isShort() && spareCount < SPARES_MAX) {
            if (spareCount == spares.length) {
                spares = Arrays.copyOf(spares, 2 * spareCount);
            }
            spares[spareCount++] = message;
        }
    }

    /** Describes the messages. Returns null if there are none. */
    String describe() {
        Arrival oldest = oldest();
        return oldest == null ? null : count() + (count() == 1 ? " message" : " messages")
                + " unreceived, of which the oldest has come from rank " + oldest.source + " with tag " + oldest.tag
                + " and has " + oldest.bytes / oldest.type.bytes() + " elements of type " + oldest.type;
    }
}
