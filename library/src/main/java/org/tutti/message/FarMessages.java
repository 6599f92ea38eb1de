/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.TuttiException;
import org.tutti.collective.machine.Machine;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionTransport;

import static org.tutti.message.FarLayout.HEADER_BYTES;
import static org.tutti.message.FarLayout.LONG;

/**
 * The messages of a rank to and from ranks on other nodes ({@link FarSends}, {@link FarReceives}). They are active
 * messages ({@link FarLayout}), which the {@link Mailbox} of the receiver takes when they arrive, on the thread that
 * reads the connection. A rank that computes therefore takes messages, too.
 *
 * <p>Messages and withdrawals are numbered, because they take effect in the order of sending ({@link FarPeer}). The
 * answers name the call that awaits them by a number ({@link Awaited}).
 */
final class FarMessages implements RegionHandler {
    /** The sends of this rank. */
    final FarSends sends;

    /** The receives of this rank. */
    final FarReceives receives;

    private final RankAddresses addresses;
    private final int size;
    private final Mailbox mailbox;
    private final FarWriter writer;
    private final FarPeer.Taker taker = this::take;

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
        this.addresses = addresses;
        this.size = size;
        this.mailbox = mailbox;
        this.writer = new FarWriter(background, fabric, addresses, rank, peers);
        this.sends = new FarSends(machine, fabric, addresses, rank, writer, rails);
        this.receives = new FarReceives(machine, fabric, mailbox, writer);
    }

    /** Returns the courier of a rank on another node. */
    Courier courier(int other) {
        return writer.peer(other).courier;
    }

    /** Writes what has been sent and may still be in a buffer. */
    void flush() {
        writer.flush();
    }

    /** Returns how many offers of a rank of another node are matched, and not answered to the end. */
    int matchedOffers(int source) {
        return writer.peer(source).matchedOffers();
    }

    /** Returns whether a rank of another node must be told of its matched messages. */
    boolean isCreditDue(int source) {
        return writer.peer(source).credit.isDue();
    }

    /**
     * Tells a rank of another node of its matched messages, if it must know. The receive is complete, so it does not
     * fail if the answer cannot be sent. A later receive then sends it.
     */
    void returnCredit(int source, Send answer) {
        FarCredit credit = writer.peer(source).credit;
        long before = credit.returned();
        long all = credit.toReturn();
        if (all > 0) {
            try {
                writer.returnCredit(answer, source, all);
                writer.flush();
            } catch (TuttiException _) {
                credit.takeBack(all, before);
            }
        }
    }

    // ---- what other nodes send

    @Override
    public boolean accepts(int operation, long offset, long bytes) {
        return offset == 0 && FarLayout.isPlausible(operation, bytes);
    }

    @Override
    public long handle(int process, int operation, long argument0, long argument1, long offset, MemorySegment message,
            long messageOffset, long bytes) {
        long source = message.get(LONG, messageOffset + FarLayout.SOURCE);
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
            case FarLayout.ACCEPT -> sends.accepted((int) source, argument0, argument1,
                    message.get(LONG, messageOffset + FarLayout.WORDS),
                    message.get(LONG, messageOffset + FarLayout.RECEIVE));
            case FarLayout.CREDIT -> {
                writer.peer((int) source).credit.confirm(argument0);
                yield true;
            }
            default -> (operation == FarLayout.WITHDRAW || Envelope.isPlausible(argument0)
                    && bytes == HEADER_BYTES + Envelope.bytes(argument0)
                    && message.get(LONG, messageOffset + FarLayout.OFFERED_BYTES) >= 0)
                    && writer.peer((int) source).arrive(message.get(LONG, messageOffset + FarLayout.NUMBER), operation,
                            argument0, argument1, message, messageOffset, bytes, cost(operation, argument0), taker);
        };
        return isValid ? bytes : REFUSED;
    }

    private static long cost(int operation, long envelope) {
        return operation == FarLayout.WITHDRAW || Envelope.isOffer(envelope) ? 0
                : EagerCredit.cost(Envelope.bytes(envelope));
    }

    /** Takes a numbered message in its turn. Returns false if the sender had no credit for it. */
    private boolean take(int operation, long envelope, long communicator, MemorySegment message, long offset,
            long bytes) {
        assert bytes >= HEADER_BYTES : "a message of " + bytes + " bytes";
        int source = (int) message.get(LONG, offset + FarLayout.SOURCE);
        long offer = message.get(LONG, offset + FarLayout.OFFER);
        if (operation == FarLayout.WITHDRAW) {
            receives.withdrawn(source, offer);
            return true;
        }
        if (Envelope.isOffer(envelope) && !writer.peer(source).credit.offerArrives()) {
            return false;
        }
        mailbox.arrive(source, communicator, envelope, message.get(LONG, offset + FarLayout.OFFERED_BYTES), offer,
                message, offset + HEADER_BYTES);
        return true;
    }
}
