/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;

/** The receiver's side of a put, by which a rank of another node brings the payload of an offer. Objects are reused. */
final class IncomingPut {
    private MemorySegment staged; // receives the payload if other threads cannot write to the target
    private long region;
    private long number;
    private boolean isWithdrawn;

    /** Begins without a place for the payload, because a receive has matched the offer. */
    void begin() {
        staged = null;
        region = 0;
        number = 0;
        isWithdrawn = false;
    }

    /** Returns the memory for the payload: the target, or memory of this object that other threads can write to. */
    MemorySegment memory(MemorySegment target, long bytes) {
        if (Memory.isOpenToAll(target)) {
            return target.byteSize() == bytes ? target : target.asSlice(0, bytes);
        }
        staged = Arena.ofAuto().allocate(bytes);
        return staged;
    }

    /** Sets the region with that memory, 0 without a payload, and the number of the receive, which tells its word. */
    void open(long ofRegion, long ofReceive) {
        region = ofRegion;
        number = ofReceive;
    }

    /** Records that the sender has withdrawn the offer. */
    void withdraw() {
        isWithdrawn = true;
    }

    /** Returns whether the sender has withdrawn the offer. */
    boolean isWithdrawn() {
        return isWithdrawn;
    }

    /** Returns the region for the payload, or 0 if the receiver does not want the payload, or the payload is empty. */
    long region() {
        return region;
    }

    /** Returns the number of the receive, or 0 if the receiver drops the message, and does not wait for its sender. */
    long number() {
        return number;
    }

    /** Ends with the payload, on a thread that can write to the target. */
    void copyTo(MemorySegment target) {
        if (staged != null) {
            MemorySegment.copy(staged, 0, target, 0, staged.byteSize());
            staged = null;
        }
    }
}
