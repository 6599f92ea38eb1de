/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

import org.tutti.collective.machine.Machine;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Memory;

/**
 * The messages of a rank, of all its communicators. Each layer of this package uses only the layers below it. From the
 * top down:
 *
 * <ol>
 * <li>{@link CommunicatorMessages}: the calls of a rank on one communicator.
 * <li>This class: a rank has one.
 * <li>{@link FarMessages}: messages of ranks on other nodes, as active messages.
 * <li>{@link Mailbox}: matches messages with receives.
 * <li>{@link IncomingChannel}, {@link OutgoingChannel}, {@link Transfer}: messages of ranks on this node.
 * <li>{@link Send}, {@link Receive}, {@link Arrival}, {@link MatchTable}: the state of calls and messages.
 * </ol>
 *
 * <p>Any number of threads may send and receive.
 */
public final class RankMessages {
    private final MessageProgress progress;
    private final Machine machine;
    private final Memory memory;
    private final MemorySegment doors;
    private final RankAddresses addresses;
    private final int rank;
    private final Mailbox mailbox;
    private final FarMessages far; // null if all ranks are on this node
    private final TransferPool transfers;
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
     */
    public RankMessages(MessageProgress progress, Machine machine, SectionTransport fabric, Memory memory,
            MemorySegment doors, RankAddresses addresses, int rank, int size) {
        RankTable<FarPeer> peers = new RankTable<>();
        this.progress = progress;
        this.machine = machine;
        this.memory = memory;
        this.doors = doors;
        this.addresses = addresses;
        this.rank = rank;
        this.mailbox = new Mailbox(machine, memory, doors, rank, peers);
        progress.fill(mailbox);
        this.far = fabric == null ? null
                : new FarMessages(machine, fabric, addresses, rank, size, mailbox, peers);
        this.transfers = new TransferPool(machine, memory);
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
        return FarMessages.MESSAGE_BYTES_MAX;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    /** Sends a message to a rank of the job. Returns when the sender may use its memory again. */
    void send(Send send, int target) {
        if (!addresses.isHere(target)) {
            far.send(send, target);
            return;
        }
        Transfer transfer = channels.getOrMake(target, opener).send(send, transfers);
        if (transfer != null) {
            try {
                transfer.send(send.source(), send.check);
            } finally {
                if (transfer.isFree()) {
                    transfers.putBack(transfer);
                }
            }
        }
    }

    private OutgoingChannel open(int target) {
        return new OutgoingChannel(machine, memory, doors, rank, target);
    }

    /** Waits until a receive is matched. If the wait must end, withdraws the receive and throws. */
    void match(Receive receive) {
        try {
            mailbox.begin(receive);
            await(receive);
        } catch (Throwable failure) {
            if (mailbox.withdraw(receive)) {
                throw failure;
            }
        }
    }

    /**
     * Takes the payload of the message that has matched a receive, if the payload is still with the sender. Returns
     * false if the sender has withdrawn the message.
     */
    boolean fetch(Receive receive, Send answer) {
        int source = receive.matchedSource();
        if (!addresses.isHere(source)) {
            boolean isTaken = !receive.isOffer() || far.receive(receive, answer);
            far.returnCredit(source, answer);
            return isTaken;
        }
        return !receive.isOffer() || Transfer.receive(machine, memory, receive.transfer(), receive.transferNumber(),
                receive.matchedBytes(), receive.fits() ? receive.target() : null, receive.check);
    }

    /**
     * Waits until a receive is matched. While the thread waits, it takes messages from all channels. If the source is
     * on this node, the thread also looks at the next word of its channel, where its message is seen first.
     */
    private void await(Receive receive) {
        boolean hasWord = receive.source != Receive.ANY && addresses.isHere(receive.source);
        while (!mailbox.serve(receive)) {
            if (hasWord) {
                machine.await(receive.awaitedMemory(), receive.awaitedWord(), receive.awaitedValue(), receive.check);
            } else {
                machine.await(receive.matchedWord, 0, receive.matchedValue(), receive.check);
            }
        }
    }
}
