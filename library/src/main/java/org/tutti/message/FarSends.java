/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.fabric.SectionTransport;

import static org.tutti.message.FarLayout.HEADER_BYTES;

/**
 * The sends of a rank to ranks on other nodes. A send is complete when an eager message is written. Other messages are
 * offered. When a receive has matched the offer, the answer names a region for the payload. The sender puts the payload
 * there, and then raises a word of the receiver.
 */
final class FarSends {
    private static final int OFFERS_MAX = 1 << 20;

    private final Machine machine;
    private final SectionTransport fabric;
    private final RankAddresses addresses;
    private final int rank;
    private final FarWriter writer;
    private final long eagerBytesMax;
    private final Awaited<Send> offers = new Awaited<>(OFFERS_MAX);

    /**
     * Begins without a send.
     *
     * @param machine the access to memory, which polls the fabric while it waits
     * @param fabric the transport to other nodes
     * @param addresses finds the ranks of the job
     * @param rank this rank, a rank of the job
     * @param writer sends active messages
     * @param rails the number of rails of the job
     */
    FarSends(Machine machine, SectionTransport fabric, RankAddresses addresses, int rank, FarWriter writer,
            int rails) {
        this.machine = machine;
        this.fabric = fabric;
        this.addresses = addresses;
        this.rank = rank;
        this.writer = writer;
        this.eagerBytesMax = (rails == 1 ? FarLayout.BYTES_MAX : FarLayout.BYTES_MAX_SHARED) - HEADER_BYTES;
    }

    /** Sends a message to a rank of another node. Returns when the sender may use its memory again. */
    void send(Send send, int target) {
        if (start(send, target)) {
            return;
        }
        try {
            machine.await(send.acceptedWord, 0, send.acceptedValue(), send.check);
        } catch (Throwable failure) {
            if (withdraw(send)) {
                throw failure;
            }
        }
        finish(send);
        fabric.flush();
    }

    /**
     * Sends a message eagerly, or offers it. Returns whether the sender may use its memory again. If not, {@link
     * #finish} must follow when the receiver has answered.
     */
    boolean start(Send send, int target) {
        boolean isSent = sendAtOnce(send, target);
        if (!isSent) {
            offer(send, target);
        }
        return isSent;
    }

    /** Sends a message eagerly. Returns false, and has no effect, if the message must be offered. */
    boolean sendAtOnce(Send send, int target) {
        long bytes = send.bytes();
        FarCredit credit = writer.peer(target).credit;
        if (bytes > eagerBytesMax || send.isSynchronous() || !credit.take(EagerCredit.cost(bytes))) {
            return false;
        }
        boolean isSent = false;
        try {
            MemorySegment.copy(send.source(), 0, send.buffer(HEADER_BYTES + bytes), HEADER_BYTES, bytes);
            writer.tellNumbered(send, target, FarLayout.MESSAGE, Envelope.eager(send.tag(), send.type(), bytes), 0, 0,
                    bytes);
            isSent = true;
        } finally {
            if (!isSent) {
                credit.giveBack(EagerCredit.cost(bytes));
            }
        }
        return true;
    }

    private void offer(Send send, int target) {
        FarCredit credit = writer.peer(target).credit;
        if (!credit.takeForOffer()) {
            throw new IllegalStateException("rank " + rank + " of the job has " + FarCredit.OFFERS_MAX
                    + " messages to rank " + target + " that no receive has matched, which is the limit; let rank "
                    + target + " receive some of them before the next send");
        }
        boolean isOffered = false;
        try {
            send.setTarget(target, offers.add(send));
            writer.tellNumbered(send, target, FarLayout.MESSAGE, Envelope.offer(send.tag(), send.type()), send.bytes(),
                    send.offer(), 0);
            isOffered = true;
        } finally {
            if (!isOffered) {
                offers.remove(send.offer());
                credit.giveBackForOffer();
            }
        }
    }

    /** Returns whether the receiver has answered an offer. */
    boolean isAnswered(Send send) {
        return machine.load(send.acceptedWord, 0) >= send.acceptedValue();
    }

    /**
     * Transfers the payload of an offer that the receiver has answered, if the receiver wants it, and tells a receiver
     * that waits. A flush must follow.
     */
    void finish(Send send) {
        offers.remove(send.offer());
        writer.peer(send.target()).credit.giveBackForOffer();
        if (!send.isAwaited()) {
            return;
        }
        send.check.beginTransfer();
        try {
            putPayload(send, send.target());
        } catch (Throwable failure) { // for example because another thread has closed the arena of the source
            tellWithdrawn(send);
            throw failure;
        }
    }

    private void putPayload(Send send, int target) {
        int process = addresses.process(target);
        if (send.region() != 0) {
            try {
                send.bytesOfPut.add(send.source(), 0, send.bytes());
                send.check.requireThere(
                        fabric.put(send.place.at(process, send.region(), 0), send.bytesOfPut, send.check));
            } finally {
                send.bytesOfPut.clear();
            }
        }
        send.check.requireThere(fabric.put(send.place.at(process, send.words(), 0)
                .raise(FarReceives.word(send.receiveNumber()), send.receiveNumber(), 0), send.bytesOfPut, send.check));
    }

    /** Withdraws an offer. Returns false if the receiver has answered it before, so that the send goes on. */
    boolean withdraw(Send send) {
        synchronized (offers) {
            if (isAnswered(send)) {
                return false;
            }
            offers.remove(send.offer());
        }
        send.check.beginTransfer();
        tellWithdrawn(send);
        writer.peer(send.target()).credit.giveBackForOffer();
        return true;
    }

    private void tellWithdrawn(Send send) {
        writer.tellNumbered(send, send.target(), FarLayout.WITHDRAW, 0, 0, send.offer(), 0);
    }

    /**
     * Takes the answer to an offer. Returns false if the answer is not from the rank that has the offer.
     *
     * @param source the rank that answers
     * @param offer the number of the offer; it may have any value
     * @param region the region for the payload
     * @param words the region of the receiver's words
     * @param receive the number of the receive
     */
    boolean accepted(int source, long offer, long region, long words, long receive) {
        synchronized (offers) {
            Send send = offers.find(offer);
            if (send == null || send.target() != source) {
                return send == null; // it was withdrawn
            }
            send.accept(region, words, receive);
            Runnable onAnswer = send.onAnswer(); // another call may have the object after the store
            machine.store(send.acceptedWord, 0, send.acceptedValue());
            if (onAnswer != null) {
                onAnswer.run();
            }
            return true;
        }
    }
}
