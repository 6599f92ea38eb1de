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
 * What another process has asked for, in the order in which it did: at most {@value Requests#PLACES} at a time, as it
 * has no more places. Atomic operations are done when they are asked for; bytes are read when there is room to send
 * them. Requests come in under the peer's receiving lock and are answered under its sending lock: a ring of one writer
 * and one reader.
 *
 * <p>The description of packed runs is kept for the asker's place, in {@value FrameLayout#REQUEST_BYTES_MAX} bytes that
 * are made when first needed. An asker keeps a place until it is answered, so who answers reads what was written before
 * the request was added. One that does not gets the wrong bytes of its own region at worst: every run is looked at
 * again just before it is read.
 */
final class RequestServer {
    private static final AtomicOperation[] OPERATIONS = AtomicOperation.values();

    private final Regions regions;
    private final Frame[] ring = new Frame[Requests.PLACES];
    private final MemorySegment[] descriptions = new MemorySegment[Requests.PLACES];
    private final int[] descriptionBytes = new int[Requests.PLACES];
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
     * Takes a request in.
     *
     * @return whether it is granted; its refusal is an answer as well
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
        added = all; // by the holder of the receiving lock only
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

    /** A request for packed runs has arrived, whose turn may come later; throws when it makes no sense. */
    void keepDescription(Frame asked, MemorySegment bounceBuffer) throws ProtocolException {
        int place = Requests.place(asked);
        if (place >= Requests.PLACES || asked.value <= 0 || asked.value > FrameLayout.PAYLOAD_BYTES_MAX) {
            throw new ProtocolException("a request for " + asked.value + " bytes of packed runs in place " + place);
        }
        arriving.beginRequest(asked, bounceBuffer, asked.length);
        while (arriving.next()) {
            continue; // it throws where there is no sense
        }
        if (descriptions[place] == null) {
            descriptions[place] = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(FrameLayout.REQUEST_BYTES_MAX));
        }
        MemorySegment.copy(bounceBuffer, 0, descriptions[place], 0, asked.length);
        descriptionBytes[place] = asked.length;
    }

    /**
     * Copies the next bytes that were asked for to a buffer.
     *
     * @return whether all of them lie in the region, whose memory nobody has closed
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

    /** Packed runs come all at once, one after the other. */
    private boolean gather(Frame asked, Region region, MemorySegment buffer, long at) {
        int place = Requests.place(asked);
        try {
            answered.beginRequest(asked, descriptions[place], descriptionBytes[place]);
            for (long done = 0; answered.next(); done += answered.length()) {
                if (!region.contains(answered.offset(), answered.length())) {
                    return false;
                }
                SectionPieces.copy(region.segment(), answered.offset(), buffer, at + done, answered.length());
            }
            return true;
        } catch (ProtocolException _) {
            return false; // it was written over meanwhile
        }
    }

    /** The request that is to be answered next; of one for bytes, its tag says how many have been sent. */
    Frame first() {
        assert removed < added : "no request is to be answered after " + removed;
        return ring[(int) (removed % ring.length)];
    }

    /** Gives the descriptions back; nobody asks for anything any more. */
    void release() {
        Arrays.fill(descriptions, null);
    }

    /** Takes out the first request, which has been answered. */
    void remove() {
        assert removed < added : "no request is to be answered after " + removed;
        long all = removed + 1;
        removed = all; // by the holder of the sending lock only
    }
}
