/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.SectionPieces;
import org.tutti.memory.Memory;

/**
 * The state of one send. Objects are reused. The call that sends owns the object. If the message is offered to a rank
 * on another node, the thread that reads the connection writes the answer into it, and then raises {@link
 * #acceptedWord}.
 */
final class Send {
    /** Ends the waits of this send. */
    final MessageCheck check;

    /** A word that grows when the receiver has answered an offer. */
    final MemorySegment acceptedWord = MemorySegment.ofArray(new long[1]);

    final SectionPieces pieces = new SectionPieces();
    final PutTarget place = new PutTarget();

    /** The bytes that a put to another node takes; without memory between two puts. */
    final PutSource bytesOfPut = new PutSource();

    private long communicator;
    private int tag;
    private DataType type;
    private MemorySegment source;
    private long uses;
    private int targetRank;
    private long offer;
    private long region;
    private long words;
    private long receiveNumber;
    private MemorySegment buffer = MemorySegment.NULL;
    private MemorySegment held; // the payload, if other threads cannot read the source
    private boolean isSynchronous;
    private boolean isWritten;
    private RuntimeException failure;
    private long awaited;
    private OutgoingTransfer transfer;
    private Runnable onAnswer; // runs when another node has answered an offer; null if the calling thread awaits it

    Send(MessageCheck check) {
        this.check = check;
    }

    void begin(long ofCommunicator, int ofTag, DataType ofType, MemorySegment ofSource, boolean synchronous) {
        communicator = ofCommunicator;
        tag = ofTag;
        type = ofType;
        source = ofSource;
        isSynchronous = synchronous;
        isWritten = false;
        failure = null;
        transfer = null;
        uses++;
    }

    /** Sets an action that runs when a rank of another node has answered an offer. */
    void setOnAnswer(Runnable whenAnswered) {
        onAnswer = whenAnswered;
    }

    /** Returns that action, or null. */
    Runnable onAnswer() {
        return onAnswer;
    }

    /** Returns whether the send waits until a receive has matched the message. */
    boolean isSynchronous() {
        return isSynchronous;
    }

    long communicator() {
        return communicator;
    }

    int tag() {
        return tag;
    }

    DataType type() {
        return type;
    }

    MemorySegment source() {
        return source;
    }

    /** Returns the elements, or a copy of them that every thread can read. */
    MemorySegment payload() {
        return held == null ? source : held;
    }

    /** Lets other threads read the payload of a message that may be eager. */
    void hold() {
        if (source.byteSize() <= ChannelLayout.EAGER_BYTES_MAX && !Memory.isOpenToAll(source)) {
            held = MemorySegment.ofArray(new byte[(int) source.byteSize()]);
            held.copyFrom(source);
        }
    }

    /** Records that the message has been written to a channel. */
    void setWritten() {
        isWritten = true;
    }

    /** Records that the message cannot be written to a channel. */
    void fail(RuntimeException thrown) {
        failure = thrown;
    }

    /** Returns whether the message has been written to a channel. Throws if that has failed. */
    boolean isWritten() {
        if (failure != null) {
            throw failure;
        }
        return isWritten;
    }

    /** Sets the value of the channel's word for which a queued message waits. */
    void awaits(long value) {
        awaited = value;
    }

    long awaitedValue() {
        return awaited;
    }

    /** Sets the transfer by which the payload must be handed over to a rank of this node. */
    void setTransfer(OutgoingTransfer ofPayload) {
        transfer = ofPayload;
    }

    /** Returns that transfer, or null. */
    OutgoingTransfer transfer() {
        return transfer;
    }

    long bytes() {
        return source.byteSize();
    }

    /** Returns the value of {@link #acceptedWord} once the receiver has answered. */
    long acceptedValue() {
        return uses;
    }

    /** Sets the rank of the job to which the message is offered, and the number of the offer. */
    void setTarget(int rank, long number) {
        targetRank = rank;
        offer = number;
        region = 0;
        receiveNumber = 0;
    }

    long offer() {
        return offer;
    }

    int target() {
        return targetRank;
    }

    /**
     * Records the answer to an offer.
     *
     * @param ofRegion the region for the payload, 0 if the receiver does not want it, or the payload is empty
     * @param ofWords the region with the word that is raised when the payload is there
     * @param number the number of the receive, which tells the word; 0 if the receiver does not wait
     */
    void accept(long ofRegion, long ofWords, long number) {
        region = ofRegion;
        words = ofWords;
        receiveNumber = number;
    }

    long words() {
        return words;
    }

    long region() {
        return region;
    }

    /** Returns whether the receiver waits until this side has put the payload, also if no payload is wanted. */
    boolean isAwaited() {
        return receiveNumber != 0;
    }

    long receiveNumber() {
        return receiveNumber;
    }

    /**
     * Returns the memory in which a message to another node is written together with its header. It has at least the
     * given length, and keeps its bytes until a longer one is needed.
     */
    MemorySegment buffer(long bytes) {
        if (buffer.byteSize() < bytes) {
            buffer = MemorySegment.ofArray(new long[(int) (bytes + Long.BYTES - 1) / Long.BYTES]);
        }
        return buffer;
    }

    /** Ends the send, and drops the references to the caller's memory. */
    void end() {
        source = null;
        held = null;
        transfer = null;
        onAnswer = null;
        pieces.end();
    }
}
