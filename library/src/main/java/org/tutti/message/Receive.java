/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;

/**
 * The state of one receive: its arguments while it waits, and the message that has matched it. Objects are reused.
 *
 * <p><b>Threads.</b> The thread that calls receive owns the object. Another thread of the rank, or a thread that reads
 * a connection, may match it. It does so under the lock of the {@link Mailbox}, and the owner reads the result under
 * the same lock. The owner withdraws the receive before it returns for another reason, so no thread writes to the
 * target afterwards.
 */
final class Receive extends MatchTable.Entry {
    /** The request of a receive that any thread may move on. The thread that matches it has the mailbox's lock. */
    interface Pending extends MessageInFlight {
        /** Goes on, because a message has matched. No other thread sees that yet. */
        void matched();

        /** Begins the transfer from another node. Other threads see that a message has matched. */
        void startTransfer();
    }

    /** In place of a source or tag: any. */
    static final int ANY = -1;

    /** Ends the waits of this receive. */
    final MessageCheck check;

    /** A word that grows when the receive is matched, for a wait that has no other word. */
    final MemorySegment matchedWord = MemorySegment.ofArray(new long[1]);

    private DataType type;
    private MemorySegment target; // null for a probe until its message is received
    private Pending pending; // null if the calling thread awaits the receive
    private IncomingTransfer incoming; // made for the first message that a rank of this node has offered
    private IncomingPut put; // made for the first message that a rank of another node has offered
    private long uses;
    private boolean matched;

    private int matchedSource;
    private int matchedTag;
    private DataType matchedType;
    private long matchedBytes;
    private boolean isOffer;
    private Thread owner;
    private long transfer;
    private long transferNumber;
    private MemorySegment held; // a payload that the matching thread could not write to the target
    private RuntimeException failure;

    private MemorySegment awaitedMemory;
    private long awaitedWord;
    private long awaitedValue;

    Receive(MessageCheck check) {
        this.check = check;
    }

    /** Returns the put that brings the payload of a message that a rank of another node has offered. */
    IncomingPut put() {
        if (put == null) {
            put = new IncomingPut();
        }
        return put;
    }

    /** Begins a receive that the calling thread awaits. The source is a rank of the job, or {@link #ANY}. */
    void begin(long ofCommunicator, int fromSource, int ofTag, DataType ofType, MemorySegment into) {
        begin(ofCommunicator, fromSource, ofTag);
        type = ofType;
        target = into;
        owner = Thread.currentThread();
    }

    /** Begins a receive that any thread may move on. */
    void begin(long ofCommunicator, int fromSource, int ofTag, DataType ofType, MemorySegment into,
            Pending ofRequest) {
        begin(ofCommunicator, fromSource, ofTag);
        type = ofType;
        target = into;
        pending = ofRequest;
    }

    /** Begins a receive of a message whose elements are received later. */
    void begin(long ofCommunicator, int fromSource, int ofTag) {
        communicator = ofCommunicator;
        source = fromSource;
        tag = ofTag;
        type = null;
        target = null;
        beginAgain();
    }

    /** Sets the memory for the elements of a message that has matched. */
    void into(DataType ofType, MemorySegment ofTarget) {
        type = ofType;
        target = ofTarget;
    }

    /** Returns the request of a receive that any thread may move on, or null. */
    Pending pending() {
        return pending;
    }

    /** Returns the transfer that takes the payload of a message that a rank of this node has offered. */
    IncomingTransfer incoming() {
        if (incoming == null) {
            incoming = new IncomingTransfer();
        }
        return incoming;
    }

    /** Begins the receive again, because the sender has withdrawn the message that has matched. */
    void beginAgain() {
        uses++;
        matched = false;
        isOffer = false;
    }

    /** Returns the value of {@link #matchedWord} once this receive is matched. */
    long matchedValue() {
        return uses;
    }

    /** Returns whether the calling thread is the one that waits in this receive. */
    @SuppressWarnings("ReferenceEquality")
    boolean isOwn() {
        return owner == Thread.currentThread();
    }

    boolean isWildcard() {
        return source == ANY || tag == ANY;
    }

    /** Returns whether a message with this description matches. */
    boolean accepts(long ofCommunicator, int fromSource, int ofTag) {
        return communicator == ofCommunicator && (source == ANY || source == fromSource)
                && (tag == ANY || tag == ofTag);
    }

    /** Takes a message that matches, with its payload if the payload is there and fits. */
    void match(Arrival message) {
        assert !matched && accepts(message.communicator, message.source, message.tag)
                : "a message of rank " + message.source + " with tag " + message.tag + " for a receive of " + source
                        + " with " + tag;
        matchedSource = message.source;
        matchedTag = message.tag;
        matchedType = message.type;
        matchedBytes = message.bytes;
        isOffer = message.isOffer;
        transfer = message.transfer;
        transferNumber = message.transferNumber;
        if (!isOffer && (target == null || fits())) {
            copy(message);
        }
        matched = true;
    }

    private void copy(Arrival message) {
        try {
            if (target != null && target.isAccessibleBy(Thread.currentThread())) {
                MemorySegment.copy(message.payload, message.payloadOffset, target, 0, matchedBytes);
            } else {
                held = MemorySegment.ofArray(new byte[(int) matchedBytes]);
                MemorySegment.copy(message.payload, message.payloadOffset, held, 0, matchedBytes);
            }
        } catch (IllegalStateException closed) { // another thread has closed the arena of the target
            failure = closed;
        }
    }

    /** Returns whether the message that has matched has elements of the receive's type, and not too many. */
    boolean fits() {
        return matchedType == type && matchedBytes <= target.byteSize();
    }

    /** Sets the word that has the value when this receive may be matched. */
    void awaits(MemorySegment memory, long word, long value) {
        awaitedMemory = memory;
        awaitedWord = word;
        awaitedValue = value;
    }

    MemorySegment awaitedMemory() {
        return awaitedMemory;
    }

    long awaitedWord() {
        return awaitedWord;
    }

    long awaitedValue() {
        return awaitedValue;
    }

    boolean isMatched() {
        return matched;
    }

    /** Returns whether the payload is still to be transferred from the sender. */
    boolean isOffer() {
        return isOffer;
    }

    long transfer() {
        return transfer;
    }

    long transferNumber() {
        return transferNumber;
    }

    MemorySegment target() {
        return target;
    }

    DataType type() {
        return type;
    }

    /** Returns the sender of the message that has matched, a rank of the job. */
    int matchedSource() {
        return matchedSource;
    }

    int matchedTag() {
        return matchedTag;
    }

    DataType matchedType() {
        return matchedType;
    }

    long matchedBytes() {
        return matchedBytes;
    }

    /**
     * Completes the receive on the thread that owns it. Copies a payload that another thread could not write to the
     * target. Throws if another thread has found the target closed.
     */
    void complete() {
        if (failure != null) {
            throw failure;
        }
        if (held != null) {
            MemorySegment.copy(held, 0, target, 0, matchedBytes);
        }
    }

    /** Ends the receive, and drops the references to the caller's memory. */
    void end() {
        held = null;
        target = null;
        failure = null;
        owner = null;
        pending = null;
    }
}
