/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;

import static org.tutti.message.FarLayout.HEADER_BYTES;
import static org.tutti.message.FarLayout.LONG;

/** Sends the active messages of a rank to ranks on other nodes, and knows these ranks. */
final class FarWriter {
    private final SectionTransport fabric;
    private final RankAddresses addresses;
    private final int rank;
    private final RankTable<FarPeer> peers;
    private final IntFunction<FarPeer> peerMaker;

    /**
     * Creates the writer of a rank.
     *
     * @param background runs transfers while no thread polls for them
     * @param fabric the transport to other nodes
     * @param addresses finds the ranks of the job
     * @param rank this rank, a rank of the job
     * @param peers the ranks on other nodes
     */
    FarWriter(Background background, SectionTransport fabric, RankAddresses addresses, int rank,
            RankTable<FarPeer> peers) {
        this.fabric = fabric;
        this.addresses = addresses;
        this.rank = rank;
        this.peers = peers;
        this.peerMaker = _ -> new FarPeer(background, fabric::flush);
    }

    /** Returns what this rank knows of another one. */
    FarPeer peer(int other) {
        return peers.getOrMake(other, peerMaker);
    }

    /** Sends a numbered message. If this method throws, no byte was sent, and the next message has the same number. */
    void tellNumbered(Send send, int target, int operation, long envelope, long offeredBytes, long offer,
            long payloadBytes) {
        FarPeer peer = peer(target);
        MemorySegment buffer = send.buffer(HEADER_BYTES);
        Locks.acquire(peer.sending, send.check);
        try {
            buffer.set(LONG, FarLayout.NUMBER, peer.nextNumber());
            buffer.set(LONG, FarLayout.OFFERED_BYTES, offeredBytes);
            buffer.set(LONG, FarLayout.OFFER, offer);
            send.check.requireThere(tell(send, target, operation, envelope, send.communicator(),
                    HEADER_BYTES + payloadBytes));
            peer.setSent();
        } finally {
            peer.sending.unlock();
        }
        fabric.flush();
    }

    /** Answers an offer. {@link #flush} must follow. Returns false if the sender is gone. */
    boolean accept(Send answer, int source, long offer, long region, long words, long receive) {
        answer.buffer(HEADER_BYTES).set(LONG, FarLayout.WORDS, words);
        answer.buffer(HEADER_BYTES).set(LONG, FarLayout.RECEIVE, receive);
        return tell(answer, source, FarLayout.ACCEPT, offer, region, HEADER_BYTES);
    }

    /** Tells a rank that its offer is not wanted. {@link #flush} must follow. */
    void decline(int source, long offer) {
        MemorySegment buffer = MemorySegment.ofArray(new long[(int) (HEADER_BYTES / Long.BYTES)]);
        buffer.set(LONG, FarLayout.SOURCE, rank);
        SectionPieces pieces = new SectionPieces();
        pieces.begin(0, buffer, 0, HEADER_BYTES);
        fabric.sendPacked(addresses.process(source), addresses.region(source), pieces, HEADER_BYTES, FarLayout.ACCEPT,
                offer, 0, () -> {
                });
    }

    /** Tells a rank the cost of all its eager messages that have been matched. {@link #flush} must follow. */
    void returnCredit(Send answer, int source, long cost) {
        tell(answer, source, FarLayout.CREDIT, cost, 0, HEADER_BYTES);
    }

    /** Sends an active message whose bytes are in the buffer of a send. Returns false if the target is gone. */
    private boolean tell(Send send, int target, int operation, long argument0, long argument1, long bytes) {
        send.buffer(HEADER_BYTES).set(LONG, FarLayout.SOURCE, rank);
        send.pieces.begin(0, send.buffer(HEADER_BYTES), 0, bytes);
        return fabric.sendPacked(addresses.process(target), addresses.region(target), send.pieces, bytes, operation,
                argument0, argument1, send.check);
    }

    /** Writes what has been sent and may still be in a buffer. */
    void flush() {
        fabric.flush();
    }
}
