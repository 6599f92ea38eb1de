/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;

/**
 * What a {@link Peer} owes the other side, besides what calls send: replies to its requests, and the counts that it
 * waits for. All of it under the peer's sending lock, and without waiting.
 */
final class Dues {
    private final Peer peer;
    private final Regions regions;
    private final Answers answers;
    private final AtomicLong refusals;
    private final Frame served = new Frame();

    Dues(Peer peer, Regions regions, Answers answers, AtomicLong refusals) {
        this.peer = peer;
        this.regions = regions;
        this.answers = answers;
        this.refusals = refusals;
    }

    /** Replies, as far as there is room; returns whether all went. */
    boolean serveReplies() {
        while (!answers.isEmpty()) {
            Frame asked = answers.first();
            Region region = asked.kind == FrameLayout.GET ? regions.find(asked.region) : null;
            boolean refuses = asked.has(FrameLayout.REFUSED) || asked.kind == FrameLayout.GET && region == null;
            long left = asked.kind == FrameLayout.GET && !refuses ? asked.value - asked.tag : 0;
            int length = (int) Math.min(left, FrameLayout.PAYLOAD_BYTES_MAX);
            Rail rail = peer.railWithRoomNow(FrameLayout.HEADER_BYTES + length);
            if (rail == null) {
                return peer.isGone();
            }
            if (length > 0 && !answers.read(asked, region, length, rail.outgoing(), rail.payloadAt())) {
                refusals.incrementAndGet();
                refuses = true;
                length = 0;
                left = 0;
            }
            boolean last = length == left;
            served.of(FrameLayout.REPLY).flags =
                    (byte) ((refuses ? FrameLayout.REFUSED : 0) | (last ? FrameLayout.LAST : 0));
            served.length = length;
            served.word = asked.word;
            served.offset = asked.kind == FrameLayout.GET ? asked.tag : 0;
            served.value = asked.value;
            peer.appendWritten(rail, served);
            asked.tag += length;
            if (last) {
                answers.remove();
            }
            peer.write();
        }
        return true;
    }

    /** Counts, as far as there is room; returns whether all went. */
    boolean serveCounts(Rail[] rails) {
        boolean all = true;
        for (Rail rail : rails) {
            if (rail.asksCount()) {
                rail.askCount(false);
                if (rail.isAliveWithRoom(FrameLayout.HEADER_BYTES)) { // else it is full or lost
                    appendCount(rail, FrameLayout.WANTS_COUNT);
                }
            }
            if (rail.owesCount()) {
                Rail on = rail.isAliveWithRoom(FrameLayout.HEADER_BYTES)
                        ? rail : Rail.aliveWithRoom(rails, FrameLayout.HEADER_BYTES);
                if (on == null) {
                    all = false;
                } else {
                    rail.oweCount(false);
                    appendCount(on, (byte) 0);
                }
            }
        }
        return all;
    }

    private void appendCount(Rail rail, byte flags) {
        served.of(FrameLayout.COUNT).flags = flags;
        peer.appendCount(rail, served);
    }
}
