/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.ProtocolException;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;

/**
 * What another process has asked for, in the order in which it did: at most {@value Requests#PLACES} at a time, as it
 * has no more places. Atomic operations are done when they are asked for; bytes are read when there is room to send
 * them. Requests come in under the peer's receiving lock and are answered under its sending lock: a ring of one writer
 * and one reader.
 */
final class Answers {
    private static final AtomicOperation[] OPERATIONS = AtomicOperation.values();

    private final Regions regions;
    private final Frame[] ring = new Frame[Requests.PLACES];
    private volatile long added;
    private volatile long removed;

    Answers(Regions regions) {
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
        answer.flags = 0;
        Region region = regions.find(asked.region);
        boolean granted = region != null && (asked.kind == FrameLayout.GET ? isReadable(region, asked)
                : isChangeable(region, asked));
        if (!granted) {
            answer.flags = FrameLayout.REFUSED;
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
        return asked.value > 0 && region.contains(asked.offset, asked.value);
    }

    private static boolean isChangeable(Region region, Frame asked) {
        if (asked.operation < 0 || asked.operation >= OPERATIONS.length) {
            return false;
        }
        int bytes = OPERATIONS[asked.operation].bytes();
        return region.contains(asked.offset, bytes) && asked.offset % bytes == 0;
    }

    /** The request that is to be answered next; of one for bytes, its tag says how many have been sent. */
    Frame first() {
        return ring[(int) (removed % ring.length)];
    }

    /** Takes out the first request, which has been answered. */
    void remove() {
        long all = removed + 1;
        removed = all; // by the holder of the sending lock only
    }
}
