/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntFunction;

import org.tutti.TuttiException;
import org.tutti.collective.machine.Machine;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;

/**
 * The messages of a rank to and from ranks on other nodes. They are active messages, which the {@link Mailbox} of the
 * receiver takes when they arrive, on the thread that reads the connection. A rank that computes therefore takes
 * messages, too.
 *
 * <ul>
 * <li>{@link #MESSAGE}: a header, and the payload of an eager message. The sender is then done.
 * <li>{@link #WITHDRAW}: the sender does not wait any longer until a receive matches its offer.
 * <li>{@link #ACCEPT}: a receive has matched an offer. The answer names a region for the payload, or none if the
 * payload is empty or not wanted. The sender puts the payload there, and then raises a word of the receiver. A receive
 * without a payload awaits the word, too, because the sender may have withdrawn the offer. Nothing awaits a message
 * that is dropped, and its answer names no word.
 * <li>{@link #CREDIT}: the cost of all eager messages that have been matched.
 * </ul>
 *
 * <p>The first two are numbered, because they take effect in the order of sending ({@link FarPeer}). The two arguments
 * of a message hold the envelope and the number of the communicator. The answers name the call that awaits them by a
 * number ({@link Awaited}).
 */
final class FarMessages implements RegionHandler {
    private static final int MESSAGE = 0;
    private static final int WITHDRAW = 1;
    private static final int ACCEPT = 2;
    private static final int CREDIT = 3;

    // the header
    private static final long SOURCE = 0;
    private static final long NUMBER = 8;
    private static final long OFFERED_BYTES = 16;
    private static final long OFFER = 24;
    private static final long HEADER_BYTES = 32;

    // the header of an answer, after the source
    private static final long WORDS = 8;
    private static final long WORD = 16;

    /** The length of the longest active message with one rail. The fabric sends it in one frame. */
    static final int MESSAGE_BYTES_MAX = 60 << 10;

    /** The length of the longest active message with several rails, which share longer messages. */
    private static final int MESSAGE_BYTES_MAX_SHARED = 4000;

    private static final int OFFERS_MAX = 1 << 20;
    private static final int RECEIVES_MAX = 1 << 15;
    private static final long WORD_BYTES = 16; // of which the fabric also writes the second half

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Machine machine;
    private final SectionTransport fabric;
    private final RankAddresses addresses;
    private final int rank;
    private final int size;
    private final Mailbox mailbox;
    private final RankTable<FarPeer> peers;
    private final IntFunction<FarPeer> peerMaker;
    private final long eagerBytesMax;
    private final Awaited<Send> offers = new Awaited<>(OFFERS_MAX);
    private final Awaited<Receive> receives = new Awaited<>(RECEIVES_MAX);
    private final FarPeer.Taker taker = this::take;
    private MemorySegment words; // one for each receive that awaits a payload
    private long wordsRegion;

    /**
     * Creates the messages of a rank to and from ranks on other nodes.
     *
     * @param background runs transfers while no thread polls for them
     * @param machine the access to memory, which polls the fabric while it waits
     * @param fabric the transport to other nodes
     * @param addresses finds the ranks of the job
     * @param rank this rank, a rank of the job
     * @param size the number of ranks of the job
     * @param mailbox matches this rank's messages
     * @param peers the ranks on other nodes
     * @param rails the number of rails of the job
     */
    FarMessages(Background background, Machine machine, SectionTransport fabric, RankAddresses addresses, int rank,
            int size, Mailbox mailbox, RankTable<FarPeer> peers, int rails) {
        this.eagerBytesMax = (rails == 1 ? MESSAGE_BYTES_MAX : MESSAGE_BYTES_MAX_SHARED) - HEADER_BYTES;
        this.machine = machine;
        this.fabric = fabric;
        this.peerMaker = _ -> new FarPeer(background, fabric::flush);
        this.addresses = addresses;
        this.rank = rank;
        this.size = size;
        this.mailbox = mailbox;
        this.peers = peers;
    }

    private FarPeer peer(int other) {
        return peers.getOrMake(other, peerMaker);
    }

    // ---- sending

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
        FarPeer peer = peer(target);
        if (bytes > eagerBytesMax || send.isSynchronous() || !peer.credit.take(EagerCredit.cost(bytes))) {
            return false;
        }
        boolean isSent = false;
        try {
            MemorySegment.copy(send.source(), 0, send.buffer(HEADER_BYTES + bytes), HEADER_BYTES, bytes);
            tellNumbered(send, target, MESSAGE, Envelope.eager(send.tag(), send.type(), bytes), 0, 0, bytes);
            isSent = true;
        } finally {
            if (!isSent) {
                peer.credit.giveBack(EagerCredit.cost(bytes));
            }
        }
        return true;
    }

    private void offer(Send send, int target) {
        FarCredit credit = peer(target).credit;
        if (!credit.takeForOffer()) {
            throw new IllegalStateException("rank " + rank + " of the job has " + FarCredit.OFFERS_MAX
                    + " messages to rank " + target + " that no receive has matched, which is the limit; let rank "
                    + target + " receive some of them before the next send");
        }
        boolean isOffered = false;
        try {
            send.setTarget(target, offers.add(send));
            tellNumbered(send, target, MESSAGE, Envelope.offer(send.tag(), send.type()), send.bytes(), send.offer(), 0);
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
     * that waits. {@link #flush} must follow.
     */
    void finish(Send send) {
        offers.remove(send.offer());
        peer(send.target()).credit.giveBackForOffer();
        if (!send.isAwaited()) {
            return;
        }
        send.check.beginTransfer();
        try {
            putPayload(send, send.target());
        } catch (Throwable failure) { // for example because another thread has closed the arena of the source
            tellNumbered(send, send.target(), WITHDRAW, 0, 0, send.offer(), 0);
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
                .raise(word(send.receiveNumber()), send.receiveNumber(), 0), send.bytesOfPut, send.check));
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
        tellNumbered(send, send.target(), WITHDRAW, 0, 0, send.offer(), 0);
        peer(send.target()).credit.giveBackForOffer();
        return true;
    }

    /** Sends a numbered message. If this method throws, no byte was sent, and the next message has the same number. */
    private void tellNumbered(Send send, int target, int operation, long envelope, long offeredBytes, long offer,
            long payloadBytes) {
        FarPeer peer = peer(target);
        MemorySegment buffer = send.buffer(HEADER_BYTES);
        Locks.acquire(peer.sending, send.check);
        try {
            buffer.set(LONG, NUMBER, peer.nextNumber());
            buffer.set(LONG, OFFERED_BYTES, offeredBytes);
            buffer.set(LONG, OFFER, offer);
            send.check.requireThere(tell(send, target, operation, envelope, send.communicator(),
                    HEADER_BYTES + payloadBytes));
            peer.setSent();
        } finally {
            peer.sending.unlock();
        }
        fabric.flush();
    }

    /** Writes what has been sent and may still be in a buffer. */
    void flush() {
        fabric.flush();
    }

    /** Sends an active message whose bytes are in the buffer of a send. Returns false if the target is gone. */
    private boolean tell(Send send, int target, int operation, long argument0, long argument1, long bytes) {
        send.buffer(HEADER_BYTES).set(LONG, SOURCE, rank);
        send.pieces.begin(0, send.buffer(HEADER_BYTES), 0, bytes);
        boolean isThere = fabric.sendPacked(addresses.process(target), addresses.region(target), send.pieces, bytes,
                operation, argument0, argument1, send.check);
        return isThere;
    }

    // ---- receiving

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
     * Lets the sender of an offered message put the payload, and does not wait for it. {@link #flush} must follow, and
     * {@link #endPut} when {@link #hasCome} says so, or when the transfer must end.
     *
     * @param receive the receive, which the message has matched
     * @param answer sends the answer
     * @return false if the sender has withdrawn the message
     */
    boolean beginPut(Receive receive, Send answer) {
        FarPeer peer = peer(receive.matchedSource());
        IncomingPut put = receive.put();
        put.begin();
        if (peer.isWithdrawn(receive.transfer())) {
            close(receive);
            return false;
        }
        boolean isAccepted = false;
        try {
            if (receive.target() != null) { // the receive must know whether the sender withdraws the message meanwhile
                openWords();
                long region = receive.fits() && receive.matchedBytes() > 0
                        ? fabric.register(put.memory(receive.target(), receive.matchedBytes())) : 0;
                put.open(region, addAwaited(receive, region));
            }
            answer.check.requireThere(accept(answer, receive.matchedSource(), receive.transfer(), put.region(),
                    put.number()));
            isAccepted = true;
        } finally {
            if (!isAccepted) {
                close(receive);
                accept(answer, receive.matchedSource(), receive.transfer(), 0, 0); // so that the sender goes on
                fabric.flush();
            }
        }
        if (put.number() != 0 && peer.isWithdrawn(receive.transfer())) { // before the receive could be found
            close(receive);
            return false;
        }
        return true;
    }

    private long addAwaited(Receive receive, long region) {
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

    /** Returns whether the sender has put the payload, if it is wanted, or has withdrawn it, or need not be awaited. */
    boolean hasCome(Receive receive) {
        long number = receive.put().number();
        return number == 0 || machine.load(words, word(number)) >= number;
    }

    /** Ends the put of a payload. Returns false if the sender has withdrawn the message. */
    boolean endPut(Receive receive) {
        IncomingPut put = receive.put();
        boolean isComplete = hasCome(receive) && !receive.isWithdrawn();
        close(receive);
        if (isComplete) {
            put.copyTo(receive.target());
        }
        return isComplete;
    }

    private void close(Receive receive) {
        IncomingPut put = receive.put();
        if (put.number() != 0) {
            receives.remove(put.number());
            revoke(put.region());
        }
        peer(receive.matchedSource()).forget(receive.transfer());
    }

    private void revoke(long region) {
        if (region != 0) {
            fabric.revoke(region);
        }
    }

    /** Returns the word that grows when the payload has come. */
    AwaitedWord awaitedPut(Receive receive) {
        long number = receive.put().number();
        return new AwaitedWord(words, word(number), number);
    }

    /** Returns the courier of a rank on another node. */
    Courier courier(int other) {
        return peer(other).courier;
    }

    private boolean accept(Send answer, int source, long offer, long region, long number) {
        answer.buffer(HEADER_BYTES).set(LONG, WORDS, wordsRegion);
        answer.buffer(HEADER_BYTES).set(LONG, WORD, number);
        return tell(answer, source, ACCEPT, offer, region, HEADER_BYTES);
    }

    private synchronized void openWords() {
        if (words == null) {
            words = Arena.ofAuto().allocate(RECEIVES_MAX * WORD_BYTES, WORD_BYTES);
            wordsRegion = fabric.register(words);
        }
    }

    /** Returns the offset of the word of a receive with a number. */
    private static long word(long number) {
        return Awaited.place(number) * WORD_BYTES;
    }

    /** Tells a rank of another node that its offer is not wanted. {@link #flush} must follow. */
    void decline(int source, long offer) {
        peer(source).credit.offerEnds(); // the sender may send another one as soon as it has the answer
        answerWithoutPlace(source, offer);
    }

    /** Tells the sender of an offer that a receive has matched that the offer is not wanted. */
    void refuse(Receive receive) {
        int source = receive.matchedSource();
        long offer = receive.transfer();
        peer(source).forget(offer);
        courier(source).add(() -> answerWithoutPlace(source, offer));
    }

    /** Returns how many offers of a rank of another node are matched, and not answered to the end. */
    int matchedOffers(int source) {
        return peer(source).matchedOffers();
    }

    private void answerWithoutPlace(int source, long offer) {
        MemorySegment buffer = MemorySegment.ofArray(new long[(int) (HEADER_BYTES / Long.BYTES)]);
        buffer.set(LONG, SOURCE, rank);
        SectionPieces pieces = new SectionPieces();
        pieces.begin(0, buffer, 0, HEADER_BYTES);
        fabric.sendPacked(addresses.process(source), addresses.region(source), pieces, HEADER_BYTES, ACCEPT, offer, 0,
                () -> {
                });
    }

    /** Returns whether a rank of another node must be told of its matched messages. */
    boolean isCreditDue(int source) {
        return peer(source).credit.isDue();
    }

    /**
     * Tells a rank of another node of its matched messages, if it must know. The receive is complete, so it does not
     * fail if the answer cannot be sent. A later receive then sends it.
     */
    void returnCredit(int source, Send answer) {
        FarCredit credit = peer(source).credit;
        long before = credit.returned();
        long all = credit.toReturn();
        if (all > 0) {
            try {
                tell(answer, source, CREDIT, all, 0, HEADER_BYTES);
                fabric.flush();
            } catch (TuttiException _) {
                credit.takeBack(all, before);
            }
        }
    }

    // ---- what other nodes send

    @Override
    public boolean accepts(int operation, long offset, long bytes) {
        return offset == 0 && (operation == MESSAGE ? bytes >= HEADER_BYTES && bytes <= MESSAGE_BYTES_MAX
                : operation > MESSAGE && operation <= CREDIT && bytes == HEADER_BYTES);
    }

    @Override
    public long handle(int process, int operation, long argument0, long argument1, long offset, MemorySegment message,
            long messageOffset, long bytes) {
        long source = message.get(LONG, messageOffset + SOURCE);
        if (source < 0 || source >= size || addresses.isHere((int) source)) {
            return REFUSED;
        }
        if (!addresses.hasJoined((int) source)) {
            return 0; // the sender knows before this node that all ranks have joined; the message waits
        }
        if (addresses.process((int) source) != process) {
            return REFUSED;
        }
        boolean isValid = switch (operation) {
            case ACCEPT -> accepted((int) source, argument0, argument1, message, messageOffset);
            case CREDIT -> {
                peer((int) source).credit.confirm(argument0);
                yield true;
            }
            default -> (operation == WITHDRAW || Envelope.isPlausible(argument0)
                    && bytes == HEADER_BYTES + Envelope.bytes(argument0)
                    && message.get(LONG, messageOffset + OFFERED_BYTES) >= 0)
                    && peer((int) source).arrive(message.get(LONG, messageOffset + NUMBER), operation, argument0,
                            argument1, message, messageOffset, bytes, cost(operation, argument0), taker);
        };
        return isValid ? bytes : REFUSED;
    }

    private static long cost(int operation, long envelope) {
        return operation == WITHDRAW || Envelope.isOffer(envelope) ? 0 : EagerCredit.cost(Envelope.bytes(envelope));
    }

    /** Takes a numbered message in its turn. Returns false if the sender had no credit for it. */
    private boolean take(int operation, long envelope, long communicator, MemorySegment message, long offset,
            long bytes) {
        assert bytes >= HEADER_BYTES : "a message of " + bytes + " bytes";
        int source = (int) message.get(LONG, offset + SOURCE);
        long offer = message.get(LONG, offset + OFFER);
        if (operation == MESSAGE) {
            if (Envelope.isOffer(envelope) && !peer(source).credit.offerArrives()) {
                return false;
            }
            mailbox.arrive(source, communicator, envelope, message.get(LONG, offset + OFFERED_BYTES), offer, message,
                    offset + HEADER_BYTES);
        } else if (mailbox.removeOffer(source, offer)) {
            peer(source).credit.offerEnds();
        } else {
            endReceive(source, offer);
        }
        return true;
    }

    /** Ends the transfer of an offer that was withdrawn after a receive had matched it. */
    private void endReceive(int source, long offer) {
        synchronized (receives) {
            long number = receives.numberOf(each -> each.matchedSource() == source && each.transfer() == offer);
            if (number != 0) {
                receives.find(number).setWithdrawn();
                machine.store(words, word(number), number);
            } else {
                peer(source).withdraw(offer); // the receive is about to accept it
            }
        }
    }

    private boolean accepted(int source, long offer, long region, MemorySegment message, long offset) {
        synchronized (offers) {
            Send send = offers.find(offer);
            if (send == null || send.target() != source) {
                return send == null; // it was withdrawn
            }
            send.accept(region, message.get(LONG, offset + WORDS), message.get(LONG, offset + WORD));
            Runnable onAnswer = send.onAnswer(); // another call may have the object after the store
            machine.store(send.acceptedWord, 0, send.acceptedValue());
            if (onAnswer != null) {
                onAnswer.run();
            }
            return true;
        }
    }
}
