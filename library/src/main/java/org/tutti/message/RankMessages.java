/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

import org.tutti.collective.machine.Machine;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Asking;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;

/**
 * The messages of a rank, of all its communicators. Each layer of this package uses only the layers below it. From the
 * top down:
 *
 * <ol>
 * <li>{@link CommunicatorMessages}: the calls of a rank on one communicator.
 * <li>This class: a rank has one.
 * <li>{@link FarMessages}: messages of ranks on other nodes, as active messages.
 * <li>{@link Mailbox}: matches {@link UnexpectedMessages} with {@link PostedReceives}.
 * <li>{@link IncomingChannel}, {@link OutgoingChannel}, {@link NodeTransfers}: messages of ranks on this node.
 * <li>{@link PendingSend}, {@link PendingReceive}: non-blocking calls, which {@link MessagesInFlight} moves on.
 * <li>{@link Send}, {@link Receive}, {@link Arrival}, {@link MatchTable}: the state of calls and messages.
 * </ol>
 *
 * <p>Any number of threads may send and receive.
 */
public final class RankMessages {
    private final Background background;
    private final MessageProgress progress;
    private final Machine machine;
    private final Memory memory;
    private final MemorySegment doors;
    private final RankAddresses addresses;
    private final int rank;
    private final boolean spins;
    private final Mailbox mailbox;
    private final FarMessages far; // null if all ranks are on this node
    private final NodeTransfers transfers;
    private final MessagesInFlight inFlight;
    private final MessageWatch watch;
    private final Asking asking = new Asking();
    private final RankTable<OutgoingChannel> channels = new RankTable<>();
    private final IntFunction<OutgoingChannel> opener = this::open;

    /**
     * Creates the messages of a rank.
     *
     * @param progress takes messages of this rank while a thread waits
     * @param machine the access to memory, whose waits use that progress
     * @param fabric the transport to other nodes; null if all ranks are on this node
     * @param memory the shared memory of this node
     * @param doors the {@linkplain Doors doors} of this node
     * @param addresses finds the ranks of the job
     * @param rank this rank, a rank of the job
     * @param size the number of ranks of the job
     * @param rails the number of rails of the job
     * @param spins whether each rank of the node has a core, so that this rank may spin
     */
    public RankMessages(MessageProgress progress, Machine machine, SectionTransport fabric, Memory memory,
            MemorySegment doors, RankAddresses addresses, int rank, int size, int rails,
            boolean spins) {
        this(Background.LIVE, progress, machine, fabric, memory, doors, addresses, rank, size, rails, spins);
    }

    /** Creates the messages of a rank with a background of its own. */
    RankMessages(Background background, MessageProgress progress, Machine machine, SectionTransport fabric,
            Memory memory, MemorySegment doors, RankAddresses addresses, int rank, int size, int rails,
            boolean spins) {
        RankTable<FarPeer> peers = new RankTable<>();
        this.background = background;
        this.progress = progress;
        this.machine = machine;
        this.memory = memory;
        this.doors = doors;
        this.addresses = addresses;
        this.rank = rank;
        this.spins = spins;
        this.mailbox = new Mailbox(machine, memory, doors, rank, peers, this::decline);
        this.inFlight = new MessagesInFlight(background, mailbox);
        this.watch = new MessageWatch(background, progress, mailbox, inFlight);
        progress.fill(mailbox, inFlight);
        this.far = fabric == null ? null
                : new FarMessages(background, machine, fabric, addresses, rank, size, mailbox, peers, rails);
        this.transfers = new NodeTransfers(machine, memory, rank);
    }

    private void decline(int source, long offer) {
        far.courier(source).add(() -> far.receives.decline(source, offer));
    }

    /** {@return the progress that every wait of this rank needs} */
    public MessageProgress progress() {
        return progress;
    }

    /** {@return the handler of the messages that other nodes send to this rank; null if there are none} */
    public RegionHandler handler() {
        return far;
    }

    /** {@return the most bytes of such a message} */
    public static long handlerBytesMax() {
        return FarLayout.BYTES_MAX;
    }

    /** Tells of messages that this rank has not received, because it leaves its job. */
    public void warnOfUnreceived() {
        String unreceived = mailbox.describeUnreceived();
        if (unreceived != null) {
            System.getLogger(RankMessages.class.getName()).log(System.Logger.Level.WARNING, "rank " + rank
                    + " leaves its job with " + unreceived + "; receive each message that is sent to it");
        }
    }

    /** Returns this rank, a rank of the job. */
    int rank() {
        return rank;
    }

    /** Returns what runs beside the threads of this rank. */
    Background background() {
        return background;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    /** Returns the non-blocking sends and receives of this rank that have not ended. */
    MessagesInFlight inFlight() {
        return inFlight;
    }

    // ---- sending

    /** Sends a message to a rank of the job. Returns when the sender may use its memory again. */
    void send(Send send, int target) {
        if (!addresses.isHere(target)) {
            far.sends.send(send, target);
            return;
        }
        OutgoingChannel channel = channels.getOrMake(target, opener);
        if (!channel.send(send)) {
            awaitRoom(channel, send);
        }
        if (send.transfer() != null) {
            transfers.handOver(send);
        }
    }

    private void awaitRoom(OutgoingChannel channel, Send send) {
        while (!channel.advance(send)) {
            try {
                machine.await(channel.memory(), channel.awaitedWord(), send.awaitedValue(), send.check);
            } catch (Throwable failure) {
                if (channel.withdraw(send)) {
                    throw failure;
                }
            }
        }
    }

    /** Sends a message, if it is eager and has room. Otherwise returns false, and has no effect. */
    boolean sendAtOnce(Send send, int target) {
        return addresses.isHere(target) ? channels.getOrMake(target, opener).sendAtOnce(send)
                : far.sends.sendAtOnce(send, target);
    }

    /** Begins to send a message, without waiting for a receive. Returns whether the send is complete. */
    boolean start(Send send, int target) {
        return addresses.isHere(target) ? channels.getOrMake(target, opener).send(send) && send.transfer() == null
                : far.sends.start(send, target);
    }

    /** Writes a started message to its channel, if that is possible without waiting. Returns whether it is written. */
    boolean isWritten(Send send, int target) {
        return !addresses.isHere(target) || channels.get(target).advance(send);
    }

    /** Moves a started and written message on, without waiting. Returns whether the send is complete. */
    boolean advance(Send send, int target) {
        if (!addresses.isHere(target)) {
            return far.sends.isAnswered(send) && !send.isAwaited() && complete(send);
        }
        if (send.transfer() == null) {
            return true;
        }
        if (send.transfer().isMatched()) {
            send.check.beginTransfer();
        }
        return transfers.advance(send);
    }

    private boolean complete(Send send) {
        far.sends.finish(send); // sends nothing, because the receiver does not wait
        return true;
    }

    /** Returns whether {@link #finish} must go on with a started message to another node. */
    boolean needsTransfer(Send send, int target) {
        return !addresses.isHere(target) && far.sends.isAnswered(send);
    }

    /** Transfers the payload of an offered message to another node. */
    void finish(Send send) {
        far.sends.finish(send);
    }

    /** Ends a started message, which is complete, withdrawn, or has failed. */
    void end(Send send) {
        transfers.end(send);
    }

    /** Withdraws a started message. Returns false if it must be completed. */
    boolean withdraw(Send send, int target) {
        if (!addresses.isHere(target)) {
            return far.sends.withdraw(send);
        }
        return channels.get(target).withdraw(send) || send.transfer() != null && transfers.withdraw(send);
    }

    /** Returns the word that grows when a started message can be moved on. */
    AwaitedWord awaited(Send send, int target, boolean isWritten) {
        if (!addresses.isHere(target)) {
            return new AwaitedWord(send.acceptedWord, 0, send.acceptedValue());
        }
        if (!isWritten) {
            OutgoingChannel channel = channels.get(target);
            return new AwaitedWord(channel.memory(), channel.awaitedWord(), send.awaitedValue());
        }
        OutgoingTransfer transfer = send.transfer();
        return new AwaitedWord(transfer.memory(), transfer.awaitedWord(), transfer.awaitedValue());
    }

    private OutgoingChannel open(int target) {
        return new OutgoingChannel(machine, memory, doors, rank, target, transfers.outgoing());
    }

    // ---- receiving

    /** Waits until a receive is matched. If the wait must end, withdraws the receive and throws. */
    void match(Receive receive) {
        if (spins && hasWord(receive)) {
            mailbox.spin(receive.source);
        }
        if (!mailbox.begin(receive)) {
            awaitMatch(receive);
        }
    }

    /** Waits until a receive is matched with another message, because the sender has withdrawn the one before. */
    void matchAgain(Receive receive) {
        if (!mailbox.beginAgain(receive)) {
            awaitMatch(receive);
        }
    }

    private void awaitMatch(Receive receive) {
        try {
            await(receive);
        } catch (Throwable failure) {
            if (mailbox.withdraw(receive)) {
                throw failure;
            }
        }
    }

    /**
     * Matches a receive with a message that has come. Returns false if there is none, and the receive has no effect.
     */
    boolean tryMatch(Receive receive) {
        progress.poll();
        mailbox.begin(receive);
        while (!mailbox.withdraw(receive)) {
            if (!isWithdrawn(receive)) {
                return true;
            }
            mailbox.beginAgain(receive);
        }
        return false;
    }

    /** Refuses the message that has matched a receive, if a rank of another node has offered it. */
    void refuse(Receive receive) {
        if (receive.isOffer() && !addresses.isHere(receive.matchedSource())) {
            far.receives.refuse(receive);
        }
    }

    /** Returns whether the message that has matched a receive is one of this node that its sender has withdrawn. */
    boolean isWithdrawn(Receive receive) {
        return receive.isOffer() && addresses.isHere(receive.matchedSource())
                && transfers.isWithdrawn(receive);
    }

    /**
     * Takes the payload of the message that has matched a receive, if the payload is still with the sender. Returns
     * false if the sender has withdrawn the message.
     */
    boolean fetch(Receive receive, Send answer) {
        int source = receive.matchedSource();
        if (!addresses.isHere(source)) {
            boolean isTaken = !receive.isOffer() || far.receives.receive(receive, answer);
            far.returnCredit(source, answer);
            return isTaken;
        }
        return !receive.isOffer() || transfers.fetch(receive);
    }

    /** Begins a receive that later calls move on. */
    void start(Receive receive) {
        if (!mailbox.begin(receive)) {
            watch.begin();
        }
    }

    /** Begins a started receive again, because the sender has withdrawn the message that has matched. */
    void startAgain(Receive receive) {
        mailbox.beginAgain(receive);
    }

    /** Returns whether a started receive is matched. */
    boolean isMatched(Receive receive) {
        return machine.load(receive.matchedWord, 0) >= receive.matchedValue();
    }

    /** Returns whether the message that has matched a started receive must be transferred from another node. */
    boolean needsTransfer(Receive receive) {
        return isMatched(receive) && receive.isOffer() && !addresses.isHere(receive.matchedSource());
    }

    /** Begins to take the payload from a rank of this node. Returns false if the sender has withdrawn the message. */
    boolean beginTransfer(Receive receive) {
        return transfers.begin(receive);
    }

    /** Lets a rank of another node put the payload. Returns false if the sender has withdrawn the message. */
    boolean beginPut(Receive receive, Send answer) {
        return far.receives.beginPut(receive, answer);
    }

    /** Returns whether the put of a payload has ended. */
    boolean hasCome(Receive receive) {
        return far.receives.hasCome(receive);
    }

    /** Ends the put of a payload. Returns false if the sender has withdrawn the message. */
    boolean endPut(Receive receive) {
        return far.receives.endPut(receive);
    }

    /** Returns the word that grows when the put of a payload has ended. */
    AwaitedWord awaitedPut(Receive receive) {
        return far.receives.awaitedPut(receive);
    }

    /** Withdraws a started receive. Returns false if it is matched. */
    boolean withdraw(Receive receive) {
        return mailbox.withdraw(receive);
    }

    /** Returns the word that grows when a started receive can be moved on. */
    AwaitedWord awaited(Receive receive) {
        long rings = mailbox.bell().rings();
        boolean isMatched = mailbox.serve(receive);
        if (!isMatched && receive.source == Receive.ANY) {
            return mailbox.bell().awaited(rings);
        }
        return !isMatched && hasWord(receive)
                ? new AwaitedWord(receive.awaitedMemory(), receive.awaitedWord(), receive.awaitedValue())
                : new AwaitedWord(receive.matchedWord, 0, receive.matchedValue());
    }

    /** Returns whether a rank of another node must be told of its matched messages. */
    boolean isCreditDue(int source) {
        return !addresses.isHere(source) && far.isCreditDue(source);
    }

    /** Tells a rank of another node of its matched messages, if it must know. */
    void returnCredit(int source, Send answer) {
        if (!addresses.isHere(source)) {
            far.returnCredit(source, answer);
        }
    }

    /**
     * Waits until a receive is matched. While the thread waits, it takes messages from all channels. If the source is
     * on this node, the thread also looks at the next word of its channel, where its message is seen first.
     */
    private void await(Receive receive) {
        if (receive.source == Receive.ANY) {
            awaitAny(receive);
            return;
        }
        boolean hasWord = hasWord(receive);
        do {
            if (hasWord) {
                machine.await(receive.awaitedMemory(), receive.awaitedWord(), receive.awaitedValue(), receive.check);
            } else {
                machine.await(receive.matchedWord, 0, receive.matchedValue(), receive.check);
            }
        } while (!mailbox.serve(receive));
    }

    private void awaitAny(Receive receive) {
        long rings = mailbox.bell().rings(); // before the channels are read
        while (!mailbox.serve(receive)) {
            mailbox.awaitRing(rings, receive.check);
            rings = mailbox.bell().rings();
        }
    }

    private boolean hasWord(Receive receive) {
        return receive.source != Receive.ANY && addresses.isHere(receive.source);
    }

    // ---- non-blocking messages

    /** Waits for a word of a non-blocking message. */
    void await(AwaitedWord word, Waiter.Check check) {
        if (mailbox.bell().isAwaited(word)) {
            mailbox.awaitRing(word.value() - 1, check);
        } else {
            machine.await(word.memory(), word.word(), word.value(), check);
        }
    }

    /** Returns the counter of the calls that ask in vain whether a message has ended. */
    Asking asking() {
        return asking;
    }

    /** Lets other threads move a message on, which has begun. */
    void addInFlight(MessageInFlight message) {
        inFlight.add(message);
        watch.begin();
    }

    /** Returns the courier of a rank of the job; null if the rank is on this node, or none. */
    Courier courier(int other) {
        return other == Receive.ANY || addresses.isHere(other) ? null : far.courier(other);
    }

    /** Writes what transfers to other nodes have left in buffers. */
    void flushTransfers() {
        far.flush();
    }
}
