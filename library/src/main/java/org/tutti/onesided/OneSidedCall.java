/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.Members;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.SectionPieces;
import org.tutti.memory.Spares;
import org.tutti.memory.Waiter;

/**
 * The state of one call on remote memory, for example a put or a get. A call takes an object from the pool
 * {@link Spares} when it begins and puts it back when it ends, so that calls allocate nothing. One thread at a time
 * uses an object.
 */
final class OneSidedCall {
    /** The greatest number of requests that a get sends before the first answer has arrived. */
    static final int ASKED_MAX = 16;

    /**
     * The size, in bytes, of the buffer in which a get from another node arrives if its bytes do not lie consecutively
     * in the caller's memory. A long get is divided into {@link Chunks}. The buffer has room for eight of the longest
     * chunks, so that the next ones arrive while the first is unpacked. Streaming without pipelining has one chunk at a
     * time in the buffer.
     */
    static final long STREAM_BUFFER_BYTES = 256 << 10;

    private static final long[] NONE = {};

    /** The sections of the call. */
    final SectionPieces pieces = new SectionPieces();

    /** One run of the sections, for calls that request each run separately. */
    final SectionPieces run = new SectionPieces();

    /** The target of a put with a notification. */
    final PutTarget notified = new PutTarget();

    /** The bytes of a put with a notification. */
    final PutSource source = new PutSource();

    /** The value that an atomic operation found. */
    final long[] result = new long[1];

    /** The check that ends the call's waits. */
    final CallCheck check;

    /** The check that ends the call's wait for a notification. */
    final NotificationCheck arrival;

    /** The outstanding requests of a get, in a ring; see {@link FarPart}. */
    final int[] asked = new int[ASKED_MAX];
    final long[] askedBytes = new long[ASKED_MAX];
    final boolean[] buffered = new boolean[ASKED_MAX];
    int askedFirst;
    int askedCount;

    private long[] fences = NONE;
    private boolean inUse; // read only by assertions
    private MemorySegment streamBuffer;
    private AnyNotification any;

    OneSidedCall(Members members, int rank, int size) {
        this.check = new CallCheck(members, rank);
        this.arrival = new NotificationCheck(members, rank, size);
    }

    /** Records that a call begins or ends. Returns whether the state has changed. Only assertions use this method. */
    boolean setInUse(boolean now) {
        boolean before = inUse;
        inUse = now;
        return before != now;
    }

    /** Returns the array in which a fence of several processes keeps its requests. */
    long[] fences(int processes) {
        if (fences.length < processes) {
            fences = new long[processes];
        }
        return fences;
    }

    /** Returns the buffer in which chunks arrive before they are unpacked. It is created at first use. */
    MemorySegment streamBuffer() {
        if (streamBuffer == null) {
            streamBuffer = Arena.ofAuto().allocate(STREAM_BUFFER_BYTES);
        }
        return streamBuffer;
    }

    /** Returns the wait for a notification at any of several words. It is created at first use. */
    AnyNotification any(Waiter.Progress progress, boolean coreForEach) {
        if (any == null) {
            any = new AnyNotification(progress, coreForEach);
        }
        return any;
    }

    /** Ends the call, and drops its references to the caller's memory. */
    void end() {
        pieces.end();
        run.end();
    }
}
