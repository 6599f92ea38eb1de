/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.Region;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Words;

/**
 * What arriving puts and accumulates do to the regions of this process: whether they are granted, where their bytes go,
 * and what is done when these are there. All under the peer's receiving lock.
 *
 * <p>The bytes of a put go straight to where they belong. Those of an accumulate, and of packed runs, land in a buffer
 * of their rail, and are combined with the region, or copied there, as soon as the frame is complete: not when the
 * count passes it, or a buffer would be needed for every frame that is early. That is done once for each frame, as a
 * frame that comes twice is known by its number; and the frame is counted afterwards, so a fence covers it. Of packed
 * runs, all are looked at before a byte is written: what makes no sense at all ends the connection, and a frame with
 * a run that is not granted is dropped as a whole.
 *
 * <p>An accumulate may find a lock taken by somebody who does not give it back soon. Then the frame stays in its rail,
 * with a note how far it has come, and the rest is tried again: {@link Rail}.
 */
final class Deliveries {
    private static final WordAction[] ACTIONS = WordAction.values();

    private final Regions regions;
    private final AtomicLong refusals;
    private final PackedRuns runs = new PackedRuns();

    Deliveries(Regions regions, AtomicLong refusals) {
        this.regions = regions;
        this.refusals = refusals;
    }

    void beginPut(Sink sink, Frame put) throws ProtocolException {
        Region region = regions.find(put.region);
        if (put.has(FrameLayout.PACKED)) {
            if (put.operation != WordAction.NONE.ordinal()) {
                throw new ProtocolException("packed runs with a word");
            }
            land(sink, region != null);
            return;
        }
        boolean granted = region != null && region.contains(put.offset, put.length) && put.operation >= 0
                && put.operation < ACTIONS.length
                && (ACTIONS[put.operation] == WordAction.NONE || region.containsWord(put.word));
        if (granted) {
            sink.into(region, put.offset);
        } else {
            refusals.incrementAndGet();
            put.operation = (short) WordAction.NONE.ordinal();
        }
    }

    private void land(Sink sink, boolean granted) {
        if (granted) {
            sink.intoLanding();
        } else {
            refusals.incrementAndGet();
        }
    }

    /** The effect of a put, when the count passes it. */
    void applyWord(Frame put) {
        WordAction action = ACTIONS[put.operation];
        Region region = action == WordAction.NONE ? null : regions.find(put.region);
        if (region == null) {
            return;
        }
        if (action == WordAction.ADD) {
            Words.add(region.segment(), put.word, put.value);
        } else {
            synchronized (region) { // another process may raise the same word, in a later operation
                if (Words.load(region.segment(), put.word) < put.value) {
                    Words.storePlain(region.segment(), put.word + Long.BYTES, put.tag);
                    Words.store(region.segment(), put.word, put.value);
                }
            }
        }
    }

    void beginMessage(Sink sink, Frame frame) {
        Region region = regions.find(frame.region);
        land(sink, region != null && region.handler() != null
                && (frame.has(FrameLayout.PACKED) || grants(region, frame, frame.offset, frame.length)));
    }

    private static boolean grants(Region region, Frame frame, long offset, long bytes) {
        return region.contains(offset, bytes) && (frame.kind == FrameLayout.PUT
                || region.handler().accepts(frame.operation, offset, bytes));
    }

    /**
     * A frame has arrived, for the first time; if its bytes have landed, they go to where they belong, as far as they
     * have not before.
     *
     * @return whether that is done; else it has to be tried again
     */
    boolean deliver(Sink sink, Frame frame) throws ProtocolException {
        Region region = sink.isLanded() ? regions.find(frame.region) : null;
        if (region == null) {
            return true;
        }
        if (!frame.has(FrameLayout.PACKED)) {
            return apply(sink, region, frame, frame.offset, 0, frame.length);
        }
        if (!isGranted(region, frame, sink.landing())) {
            refusals.incrementAndGet();
            return true;
        }
        boolean done = true;
        runs.begin(frame, sink.landing());
        while (done && runs.next()) {
            done = apply(sink, region, frame, runs.offset(), runs.at(), runs.length());
        }
        return done;
    }

    private boolean isGranted(Region region, Frame frame, MemorySegment landing) throws ProtocolException {
        boolean granted = true;
        runs.begin(frame, landing);
        while (runs.next()) { // to the end, whatever is found: a description without sense is more than a refusal
            granted &= grants(region, frame, runs.offset(), runs.length());
        }
        return granted;
    }

    private boolean apply(Sink sink, Region region, Frame frame, long offset, long at, long bytes) {
        if (frame.kind == FrameLayout.PUT) {
            SectionPieces.copy(sink.landing(), at, region.segment(), offset, bytes);
            return true;
        }
        long before = Math.clamp(sink.delivered() - at, 0, bytes);
        long more = region.handler().handle(frame.operation, frame.value, frame.tag, offset + before,
                sink.landing(), at + before, bytes - before);
        if (more == RegionHandler.REFUSED) {
            refusals.incrementAndGet();
            return true;
        }
        if (before + more < bytes) {
            sink.noteDelivered(at + before + more);
            return false;
        }
        return true;
    }
}
