/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Region;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Words;

/**
 * Applies arriving puts and active messages to the regions of this process. It checks each frame, directs its bytes
 * into memory, and lets it take effect. Guarded by the peer's receiving lock.
 *
 * <p>The bytes of a put go straight into the region. The bytes of an active message or of packed runs (several runs in
 * one frame) go into a bounce buffer of their rail. They are handled, or copied to the region, as soon as the frame is
 * complete. They do not wait for frames with lower numbers, because each frame that arrives early would then need a
 * buffer. Each frame is applied once, because a frame that arrives twice is recognized by its number. The frame is
 * counted as arrived only afterwards, so a fence covers it. All packed runs are checked before a byte is written. An
 * invalid description ends the connection. A frame with a run that is not allowed is dropped as a whole.
 *
 * <p>A handler may be unable to go on, for instance because a lock is held. The frame is then deferred with the number
 * of its handled bytes, and the rest is tried again ({@link DeferredFrames}).
 */
final class RegionWriter {
    private static final WordAction[] ACTIONS = WordAction.values();

    private final int process;
    private final Regions regions;
    private final FabricListener listener;
    private final AtomicLong refusals;
    private final PackedRuns runs = new PackedRuns();

    /**
     * Creates the writer of a peer.
     *
     * @param process the first rank of the process that sends
     * @param regions the regions of this process
     * @param listener hears which words are raised
     * @param refusals counts refused accesses
     */
    RegionWriter(int process, Regions regions, FabricListener listener, AtomicLong refusals) {
        this.process = process;
        this.regions = regions;
        this.listener = listener;
        this.refusals = refusals;
    }

    /**
     * Checks the header of an arriving put, and directs the payload to the region, or to the bounce buffer if the put
     * has several runs of bytes. A put that is not allowed is counted, its payload is dropped, and it changes no word.
     */
    void beginPut(PayloadTarget payloadTarget, Frame put) throws ProtocolException {
        Region region = regions.find(put.region);
        if (put.has(FrameLayout.PACKED)) {
            if (put.operation != WordAction.NONE.ordinal()) {
                throw new ProtocolException("packed runs with a word");
            }
            bounce(payloadTarget, region != null);
            return;
        }
        boolean granted = region != null && region.contains(put.offset, put.length) && put.operation >= 0
                && put.operation < ACTIONS.length
                && (ACTIONS[put.operation] == WordAction.NONE || region.containsWord(put.word));
        if (granted) {
            payloadTarget.into(region, put.offset);
        } else {
            refusals.incrementAndGet();
            put.operation = (short) WordAction.NONE.ordinal();
        }
    }

    private void bounce(PayloadTarget payloadTarget, boolean granted) {
        if (granted) {
            payloadTarget.intoBounceBuffer();
        } else {
            refusals.incrementAndGet();
        }
    }

    /** Changes the word of a put. Called when the count passes the put. */
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
        listener.raised(region.segment(), put.word);
    }

    /**
     * Checks the header of an arriving active message, and directs the payload into the bounce buffer. A message that
     * is not allowed is counted, and its payload is dropped.
     */
    void beginMessage(PayloadTarget payloadTarget, Frame frame) {
        Region region = regions.find(frame.region);
        bounce(payloadTarget, region != null && region.handler() != null
                && (frame.has(FrameLayout.PACKED) || grants(region, frame, frame.offset, frame.length)));
    }

    private static boolean grants(Region region, Frame frame, long offset, long bytes) {
        return region.contains(offset, bytes) && (frame.kind == FrameLayout.PUT
                || region.handler().accepts(frame.operation, offset, bytes));
    }

    /** Copies the packed runs of a put from the bounce buffer to the region, once the put has arrived. */
    void deliverRuns(PayloadTarget payloadTarget, Frame put) throws ProtocolException {
        Region region = payloadTarget.isBounced() ? regions.find(put.region) : null;
        if (region != null && isGranted(region, put, payloadTarget.bounceBuffer())) {
            runs.begin(put, payloadTarget.bounceBuffer());
            while (runs.next()) {
                SectionPieces.copy(payloadTarget.bounceBuffer(), runs.at(), region.segment(), runs.offset(),
                        runs.length());
            }
        }
    }

    /**
     * Lets the handler of the region handle an active message that has arrived, as far as possible without waiting.
     *
     * @param handled the number of bytes of the payload that have been handled before
     * @return the number of bytes that have been handled in all, which is the length of the message if nothing is left
     */
    long handle(Frame message, MemorySegment payload, long handled) throws ProtocolException {
        Region region = regions.find(message.region);
        if (region == null) {
            return message.length; // the region was revoked
        }
        if (!message.has(FrameLayout.PACKED)) {
            return handled + handleRun(region, message, message.offset + handled, payload, handled,
                    message.length - handled);
        }
        if (handled == 0 && !isGranted(region, message, payload)) {
            return message.length;
        }
        runs.begin(message, payload);
        while (runs.next()) {
            long before = Math.clamp(handled - runs.at(), 0, runs.length());
            long left = runs.length() - before;
            long more = handleRun(region, message, runs.offset() + before, payload, runs.at() + before, left);
            if (more < left) {
                return runs.at() + before + more;
            }
        }
        return message.length;
    }

    private long handleRun(Region region, Frame message, long offset, MemorySegment payload, long at, long bytes) {
        long done = region.handler().handle(process, message.operation, message.value, message.tag, offset, payload, at,
                bytes);
        if (done == RegionHandler.REFUSED) {
            refusals.incrementAndGet();
            return bytes;
        }
        return done;
    }

    private boolean isGranted(Region region, Frame frame, MemorySegment bounceBuffer) throws ProtocolException {
        boolean granted = true;
        runs.begin(frame, bounceBuffer);
        while (runs.next()) { // to the end in any case: an invalid description is worse than a refusal
            granted &= grants(region, frame, runs.offset(), runs.length());
        }
        if (!granted) {
            refusals.incrementAndGet();
        }
        return granted;
    }
}
