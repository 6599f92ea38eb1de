/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

import org.tutti.collective.machine.Machine;
import org.tutti.fabric.SectionTransport;

/**
 * The receives of a rank that have matched offers of ranks on other nodes. Such a receive registers its target, and
 * tells the sender the region. The sender puts the payload there, and then raises a word of this rank. A receive
 * without a payload awaits the word, too, because the sender may have withdrawn the offer. Nothing awaits a message
 * that is dropped, and its answer names no word.
 */
final class FarReceives {
    private static final int RECEIVES_MAX = 1 << 15;
    private static final long WORD_BYTES = 16; // of which the fabric also writes the second half

    private final Machine machine;
    private final SectionTransport fabric;
    private final Mailbox mailbox;
    private final FarWriter writer;
    private final Awaited<Receive> receives = new Awaited<>(RECEIVES_MAX);
    private final LongConsumer waker = this::wake;
    private MemorySegment words; // one for each receive that awaits a payload
    private long wordsRegion;

    /**
     * Begins without a receive.
     *
     * @param machine the access to memory, which polls the fabric while it waits
     * @param fabric the transport to other nodes
     * @param mailbox matches this rank's messages
     * @param writer sends active messages
     */
    FarReceives(Machine machine, SectionTransport fabric, Mailbox mailbox, FarWriter writer) {
        this.machine = machine;
        this.fabric = fabric;
        this.mailbox = mailbox;
        this.writer = writer;
    }

    /**
     * Takes the payload of an offered message that a receive has matched.
     *
     * @param receive the receive, which the message has matched
     * @param answer sends the answer
     * @return false if the sender has withdrawn the message
     */
    boolean receive(Receive receive, Send answer) {
        if (!beginPut(receive, answer)) {
            return false;
        }
        fabric.flush();
        boolean isEnded = false;
        try {
            if (!hasCome(receive)) {
                IncomingPut put = receive.put();
                receive.check.awaitTransfer(machine, words, word(put.number()), put.number());
            }
            isEnded = true;
        } finally {
            if (!isEnded) {
                endPut(receive);
            }
        }
        return endPut(receive);
    }

    /**
     * Lets the sender of an offered message put the payload, and does not wait for it. A flush must follow, and {@link
     * #endPut} when {@link #hasCome} says so, or when the transfer must end.
     *
     * @param receive the receive, which the message has matched
     * @param answer sends the answer
     * @return false if the sender has withdrawn the message
     */
    boolean beginPut(Receive receive, Send answer) {
        int source = receive.matchedSource();
        IncomingPut put = receive.put();
        boolean isThere = false;
        boolean isAnswered = false;
        try {
            isThere = open(receive);
            if (isThere) {
                answer.check.requireThere(writer.accept(answer, source, receive.transfer(), put.region(), wordsRegion,
                        put.number()));
            }
            isAnswered = true;
        } finally {
            if (!isAnswered) {
                close(receive);
                writer.accept(answer, source, receive.transfer(), 0, 0, 0); // so that the sender goes on
                fabric.flush();
            }
        }
        if (!isThere) {
            close(receive);
        }
        return isThere;
    }

    /** Makes a place for the payload. Returns false if the sender has withdrawn the message. */
    private boolean open(Receive receive) {
        IncomingPut put = receive.put();
        long region = 0;
        long number = 0;
        if (receive.target() != null) { // the receive must know whether the sender withdraws the message meanwhile
            openWords();
            region = receive.fits() && receive.matchedBytes() > 0
                    ? fabric.register(put.memory(receive.target(), receive.matchedBytes())) : 0;
            number = add(receive, region);
        }
        return writer.peer(receive.matchedSource()).open(put, region, number);
    }

    private synchronized void openWords() {
        if (words == null) {
            words = Arena.ofAuto().allocate(RECEIVES_MAX * WORD_BYTES, WORD_BYTES);
            wordsRegion = fabric.register(words);
        }
    }

    private long add(Receive receive, long region) {
        long number = 0;
        try {
            number = receives.add(receive);
        } finally {
            if (number == 0) { // too many receives
                revoke(region);
            }
        }
        return number;
    }

    /** Returns the offset of the word of a receive with a number. */
    static long word(long number) {
        return Awaited.place(number) * WORD_BYTES;
    }

    /** Returns whether the sender has put the payload, if it is wanted, or has withdrawn it, or need not be awaited. */
    boolean hasCome(Receive receive) {
        long number = receive.put().number();
        return number == 0 || machine.load(words, word(number)) >= number;
    }

    /** Returns the word that grows when the payload has come. */
    AwaitedWord awaitedPut(Receive receive) {
        long number = receive.put().number();
        return new AwaitedWord(words, word(number), number);
    }

    /** Ends the put of a payload. Returns false if the sender has withdrawn the message. */
    boolean endPut(Receive receive) {
        boolean isComplete = hasCome(receive) && !receive.put().isWithdrawn();
        close(receive);
        if (isComplete) {
            receive.put().copyTo(receive.target());
        }
        return isComplete;
    }

    private void close(Receive receive) {
        writer.peer(receive.matchedSource()).forget(receive.transfer()); // first: a withdrawal must not raise the word
        IncomingPut put = receive.put();
        if (put.number() != 0) {
            receives.remove(put.number());
            revoke(put.region());
        }
    }

    private void revoke(long region) {
        if (region != 0) {
            fabric.revoke(region);
        }
    }

    /** Tells a rank of another node that its unmatched offer is not wanted. A flush must follow. */
    void decline(int source, long offer) {
        writer.peer(source).credit.offerEnds(); // the sender may send another one as soon as it has the answer
        writer.decline(source, offer);
    }

    /** Tells the sender of an offer that a receive has matched that the offer is not wanted. */
    void refuse(Receive receive) {
        int source = receive.matchedSource();
        long offer = receive.transfer();
        FarPeer peer = writer.peer(source);
        peer.forget(offer);
        peer.courier.add(() -> writer.decline(source, offer));
    }

    /** Ends an offer that its sender has withdrawn. A receive that has matched it looks for another message. */
    void withdrawn(int source, long offer) {
        FarPeer peer = writer.peer(source);
        if (mailbox.removeOffer(source, offer)) {
            peer.credit.offerEnds();
        } else {
            peer.withdraw(offer, waker);
        }
    }

    private void wake(long number) {
        machine.store(words, word(number), number);
    }
}
