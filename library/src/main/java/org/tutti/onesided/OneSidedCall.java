/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.collective.members.Members;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Transport;

/**
 * The state of a call on remote memory while the call lasts, kept for the next call, so that calls allocate nothing.
 * One thread has it at a time: a call takes it from the {@link Spares}, and puts it back.
 */
final class OneSidedCall {
    /** How many runs are asked for before the first has come. */
    static final int ASKED_MAX = 16;

    /**
     * The buffer into which chunks of sections are got. A long get is divided twice (ARMCI, section 3): first into what
     * fits in here, and that into chunks, of which the next ones come while the first is unpacked.
     */
    static final long STREAM_BUFFER_BYTES = 256 << 10;

    private static final long[] NONE = {};

    /** The sections of the call. */
    final SectionPieces pieces = new SectionPieces();

    /** One run of them, where each is asked for by itself. */
    final SectionPieces run = new SectionPieces();

    /** Where a put with a notification goes. */
    final PutTarget notified = new PutTarget();

    /** The old value that an atomic operation has found. */
    final long[] result = new long[1];

    /** Ends the call's waits. */
    final CallCheck check;

    /** Ends the call's wait for a notification. */
    final NotificationCheck arrival;

    /** The requests of a get, in a ring: see {@link FarPart}. */
    final int[] asked = new int[ASKED_MAX];
    final long[] askedBytes = new long[ASKED_MAX];
    final boolean[] buffered = new boolean[ASKED_MAX];
    int askedFirst;
    int askedCount;

    private long[] fences = NONE;
    private boolean inUse; // only assertions look
    private MemorySegment streamBuffer;
    private AnyNotification any;

    OneSidedCall(Members members, int rank, int size) {
        this.check = new CallCheck(members, rank);
        this.arrival = new NotificationCheck(members, rank, size);
    }

    /** Says that a call begins or ends; returns whether that is news; for assertions. */
    boolean setInUse(boolean now) {
        boolean before = inUse;
        inUse = now;
        return before != now;
    }

    /** Where a fence of several processes keeps what it has asked each. */
    long[] fences(int processes) {
        if (fences.length < processes) {
            fences = new long[processes];
        }
        return fences;
    }

    /** Where chunks of sections are got before they are unpacked; made when it is needed first. */
    MemorySegment streamBuffer() {
        if (streamBuffer == null) {
            streamBuffer = Arena.ofAuto().allocate(STREAM_BUFFER_BYTES);
        }
        return streamBuffer;
    }

    /** The wait for a notification at any of several words; made when it is needed first. */
    AnyNotification any(Transport fabric, boolean coreForEach) {
        if (any == null) {
            any = new AnyNotification(fabric, coreForEach);
        }
        return any;
    }

    /** The call has ended: nobody's memory is kept for longer. */
    void end() {
        pieces.end();
        run.end();
    }
}
