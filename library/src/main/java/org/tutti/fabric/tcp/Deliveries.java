/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Words;

/**
 * What arriving puts and accumulates do to the regions of this process: whether they are granted, where their bytes go,
 * and what is done when these are there. All under the peer's receiving lock.
 *
 * <p>The bytes of a put go straight to where they belong. Those of an accumulate land in a buffer of their rail, and
 * are combined with the region as soon as the frame is complete: not when the count passes it, or a buffer would be
 * needed for every frame that is early. Each frame is still combined once, as a frame that comes twice is known by its
 * number; and it is counted afterwards, so a fence covers it.
 */
final class Deliveries {
    private static final WordAction[] ACTIONS = WordAction.values();
    private static final short NOTHING = -1;

    private final Regions regions;
    private final AtomicLong refusals;

    Deliveries(Regions regions, AtomicLong refusals) {
        this.regions = regions;
        this.refusals = refusals;
    }

    void beginPut(Rail rail, Frame put) {
        Region region = regions.find(put.region);
        boolean granted = region != null && region.contains(put.offset, put.length) && put.operation >= 0
                && put.operation < ACTIONS.length
                && (ACTIONS[put.operation] == WordAction.NONE || region.containsWord(put.word));
        if (granted) {
            rail.into(region, put.offset);
        } else {
            refusals.incrementAndGet();
            put.operation = (short) WordAction.NONE.ordinal();
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

    void beginAccumulate(Rail rail, Frame frame) {
        Region region = regions.find(frame.region);
        boolean granted = region != null && region.accumulator() != null && region.contains(frame.offset, frame.length)
                && region.accumulator().accepts(frame.operation, frame.offset, frame.length);
        if (granted) {
            rail.intoLanding();
        } else {
            refusals.incrementAndGet();
            frame.operation = NOTHING;
        }
    }

    /** The bytes of an accumulate are there, for the first time. */
    void accumulate(Rail rail, Frame frame) {
        Region region = frame.operation == NOTHING ? null : regions.find(frame.region);
        if (region != null && !region.accumulator().accumulate(frame.operation, frame.value, frame.offset,
                rail.landing(), 0, frame.length)) {
            refusals.incrementAndGet();
        }
    }
}
