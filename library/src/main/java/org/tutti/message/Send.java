/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.SectionPieces;

/**
 * The state of one send. Objects are reused. The thread that calls send owns the
 * object. If the message is offered to a rank on another node, the thread that reads the connection writes the answer
 * into it, and then raises {@link #acceptedWord}.
 */
final class Send {
    /** Ends the waits of this send. */
    final MessageCheck check;

    /** A word that grows when the receiver has answered an offer. */
    final MemorySegment acceptedWord = MemorySegment.ofArray(new long[1]);

    final SectionPieces pieces = new SectionPieces();
    final PutTarget place = new PutTarget();

    private long communicator;
    private int tag;
    private DataType type;
    private MemorySegment source;
    private long uses;
    private int targetRank;
    private long region;
    private long words;
    private long receiveNumber;
    private MemorySegment buffer;

    Send(MessageCheck check) {
        this.check = check;
    }

    void begin(long ofCommunicator, int ofTag, DataType ofType, MemorySegment ofSource) {
        communicator = ofCommunicator;
        tag = ofTag;
        type = ofType;
        source = ofSource;
        uses++;
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

    long bytes() {
        return source.byteSize();
    }

    /** Returns the value of {@link #acceptedWord} once the receiver has answered. */
    long acceptedValue() {
        return uses;
    }

    /** Sets the rank of the job to which the message is offered. */
    void setTarget(int rank) {
        targetRank = rank;
        region = 0;
    }

    int target() {
        return targetRank;
    }

    /**
     * Records the answer to an offer.
     *
     * @param ofRegion the region for the payload, 0 if the receiver does not want it
     * @param ofWords the region with the word that is raised when the payload is there
     * @param number the number of the receive, which tells the word
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

    long receiveNumber() {
        return receiveNumber;
    }

    /** Returns the memory in which a message to another node is written together with its header. */
    MemorySegment buffer() {
        if (buffer == null) {
            buffer = Arena.ofAuto().allocate(FarMessages.MESSAGE_BYTES_MAX, Long.BYTES);
        }
        return buffer;
    }

    /** Ends the send, and drops the references to the caller's memory. */
    void end() {
        source = null;
        pieces.end();
    }
}
