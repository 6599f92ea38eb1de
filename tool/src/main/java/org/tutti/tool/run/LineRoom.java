/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Limits the memory for unfinished lines that are longer than the buffer of a relay, for all relays of a job together.
 * A line for which there is no room is passed on in pieces; if several processes write, other output may come between
 * them.
 */
final class LineRoom {
    /** The longest line, including its end, that is passed on as a whole. */
    static final int LINE_BYTES_MAX = 16 << 20;

    /** The part of the launcher's heap that all unfinished lines of a job may take, as a divisor. */
    private static final int PART_OF_HEAP = 4;

    private final AtomicLong freeBytes;
    private final Consumer<String> say;

    private LineRoom(long bytes, Consumer<String> say) {
        this.freeBytes = new AtomicLong(bytes);
        this.say = say;
    }

    /** {@return no room, for output with a destination of its own} */
    static LineRoom none() {
        return new LineRoom(0, _ -> {
        });
    }

    /**
     * {@return the room of a job}
     *
     * @param say prints a sentence, on the thread of a relay
     */
    static LineRoom ofJob(Consumer<String> say) {
        return new LineRoom(Runtime.getRuntime().maxMemory() / PART_OF_HEAP, say);
    }

    /** Takes room to double a buffer. {@return false if there is too little room or the line is too long} */
    boolean doubled(int bufferBytes) {
        if (2 * bufferBytes > LINE_BYTES_MAX) {
            return false;
        }
        boolean taken = freeBytes.addAndGet(-bufferBytes) >= 0;
        if (!taken) {
            freeBytes.addAndGet(bufferBytes);
        }
        return taken;
    }

    /** Says that a line is passed on in pieces. */
    void refuse(String stream, int bufferBytes) {
        say.accept("a line of the " + stream + " has more than " + bufferBytes + " bytes, so it is passed on in "
                + "pieces, between which other output may come: a line is kept whole up to " + LINE_BYTES_MAX
                + " bytes, as long as all unfinished lines fit into a quarter of the launcher's heap; write shorter "
                + "lines, or give each rank files of its own with --output-directory.");
    }

    /** Gives taken room back. */
    void giveBack(int bytes) {
        freeBytes.addAndGet(bytes);
    }
}
