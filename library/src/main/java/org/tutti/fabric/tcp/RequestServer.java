/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;

/**
 * A queue of the gets and atomic operations that another process has requested and this process has not answered. It
 * holds at most {@value Requests#ENTRIES} requests, because the other process has no more entries for unanswered ones.
 * An atomic operation is executed when its request is added. Requested bytes are read when there is room to send them.
 * Requests are added under the peer's receiving lock and answered under its sending lock, so the queue is a ring with
 * one writer and one reader.
 *
 * <p>A request may ask for packed runs, several stretches of contiguous bytes, and then brings a description of them.
 * The description is kept with the entry of its request, in {@value FrameLayout#REQUEST_BYTES_MAX} bytes that are
 * allocated at the first need. The requesting process does not reuse the entry before it has the answer, so the
 * answering thread reads the description that was written before the request was added. If a process reuses an entry
 * too early, it gets at worst wrong bytes of the same region, because every run is checked again immediately before it
 * is read.
 */
final class RequestServer {
    private static final AtomicOperation[] OPERATIONS = AtomicOperation.values();

    private final Regions regions;
    private final Frame[] ring = new Frame[Requests.ENTRIES];
    private final MemorySegment[] descriptions = new MemorySegment[Requests.ENTRIES];
    private final int[] descriptionBytes = new int[Requests.ENTRIES];
    private final PackedRuns arriving = new PackedRuns();
    private final PackedRuns answered = new PackedRuns();
    private volatile long added;
    private volatile long removed;

    RequestServer(Regions regions) {
        this.regions = regions;
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Frame();
        }
    }

    boolean isEmpty() {
        return removed == added;
    }

    /**
     * Adds a request to the queue, and executes it if it is an atomic operation. A request is refused if its range does
     * not lie in a region of this process. A refused request is added, too, because it is answered with the refusal.
     *
     * @return whether the request is granted
     * @throws ProtocolException if the queue is full
     */
    boolean add(Frame asked) throws ProtocolException {
        if (added - removed >= ring.length) {
            throw new ProtocolException("more than " + ring.length + " unanswered requests");
        }
        Frame answer = ring[(int) (added % ring.length)];
        answer.copyFrom(asked);
        answer.flags = (byte) (asked.flags & FrameLayout.PACKED);
        Region region = regions.find(asked.region);
        boolean granted = region != null && (asked.kind == FrameLayout.GET ? isReadable(region, asked)
                : isChangeable(region, asked));
        if (!granted) {
            answer.flags = FrameLayout.REFUSED; // and no description
        } else if (asked.kind == FrameLayout.GET) {
            answer.tag = 0;
        } else {
            answer.value = OPERATIONS[asked.operation].apply(region.segment(), asked.offset, asked.value, asked.tag);
        }
        long all = added + 1;
        added = all; // written only with the receiving lock
        return granted;
    }

    private static boolean isReadable(Region region, Frame asked) {
        return asked.has(FrameLayout.PACKED) || asked.value > 0 && region.contains(asked.offset, asked.value);
    }

    private static boolean isChangeable(Region region, Frame asked) {
        if (asked.operation < 0 || asked.operation >= OPERATIONS.length) {
            return false;
        }
        int bytes = OPERATIONS[asked.operation].bytes();
        return region.contains(asked.offset, bytes) && asked.offset % bytes == 0;
    }

    /**
     * Checks the description of the runs that a request asks for, and keeps a copy until the request is answered. The
     * request itself is added later if frames before it have not arrived yet.
     *
     * @throws ProtocolException if the description is invalid
     */
    void keepDescription(Frame asked, MemorySegment bounceBuffer) throws ProtocolException {
        int entry = Requests.entry(asked);
        if (entry >= Requests.ENTRIES || asked.value <= 0 || asked.value > FrameLayout.PAYLOAD_BYTES_MAX) {
            throw new ProtocolException("a request for " + asked.value + " bytes of packed runs in entry " + entry);
        }
        arriving.beginRequest(asked, bounceBuffer, asked.length);
        while (arriving.next()) {
            continue; // next() throws if the description is invalid
        }
        if (descriptions[entry] == null) {
            descriptions[entry] = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(FrameLayout.REQUEST_BYTES_MAX));
        }
        MemorySegment.copy(bounceBuffer, 0, descriptions[entry], 0, asked.length);
        descriptionBytes[entry] = asked.length;
    }

    /**
     * Copies the next bytes of a request from the region to a buffer, from which they are sent.
     *
     * @return whether the bytes were copied; false if some of them lie outside the region, or the region's memory is
     *            closed
     */
    boolean read(Frame asked, Region region, int length, MemorySegment buffer, long at) {
        try {
            if (asked.has(FrameLayout.PACKED)) {
                return gather(asked, region, buffer, at);
            }
            MemorySegment.copy(region.segment(), asked.offset + asked.tag, buffer, at, length);
            return true;
        } catch (IllegalStateException e) {
            if (region.segment().scope().isAlive()) {
                throw e;
            }
            return false;
        }
    }

    /**
     * Copies all packed runs of a request to a buffer, one after the other. Returns false if a run lies outside the
     * region, or the description is invalid.
     */
    private boolean gather(Frame asked, Region region, MemorySegment buffer, long at) {
        int entry = Requests.entry(asked);
        try {
            answered.beginRequest(asked, descriptions[entry], descriptionBytes[entry]);
            for (long done = 0; answered.next(); done += answered.length()) {
                if (!region.contains(answered.offset(), answered.length())) {
                    return false;
                }
                SectionPieces.copy(region.segment(), answered.offset(), buffer, at + done, answered.length());
            }
            return true;
        } catch (ProtocolException _) {
            return false; // the description was overwritten meanwhile
        }
    }

    /**
     * Returns the request to answer next. If it asks for bytes, its tag is the number of bytes that have already been
     * sent.
     */
    Frame first() {
        assert removed < added : "no request is to be answered after " + removed;
        return ring[(int) (removed % ring.length)];
    }

    /** Releases the memory of the descriptions. No more requests may arrive. */
    void release() {
        Arrays.fill(descriptions, null);
    }

    /** Removes the first request, which has been answered completely. */
    void remove() {
        assert removed < added : "no request is to be answered after " + removed;
        long all = removed + 1;
        removed = all; // written only with the sending lock
    }
}
