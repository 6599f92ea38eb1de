/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * Passes one output stream of a process on, byte for byte and independent of its charset, in whole lines. A line for
 * which there is no {@link LineRoom} is passed on in pieces.
 */
final class Relay {
    /** The length of a buffer, unless a line is longer. */
    static final int BUFFER_BYTES = 1 << 16;

    private static final byte[] OUT_OF_MEMORY =
            "Terminating due to java.lang.OutOfMemoryError".getBytes(StandardCharsets.US_ASCII);

    private final InputStream source;
    private final LineTarget sink;
    private final byte[] tag;
    private final Optional<LineFilter> filter;
    private final LineRoom room;
    private final Thread thread;
    private boolean inLine; // the beginning of the line has been written
    private boolean saidTooLong;
    private volatile boolean reading;
    private volatile boolean saidOutOfMemory;

    private Relay(String name, InputStream source, LineTarget sink, byte[] tag, Optional<LineFilter> filter,
            LineRoom room) {
        this.source = source;
        this.sink = sink;
        this.tag = tag;
        this.filter = filter;
        this.room = room;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::relay);
    }

    /**
     * Starts a relay.
     *
     * @param name the name of the stream, for messages and for the relay's thread
     * @param source the process's stream
     * @param sink takes the lines
     * @param tag precedes each line
     * @param filter replaces or drops lines
     * @param room the room for lines that are longer than the buffer
     */
    static Relay start(String name, InputStream source, LineTarget sink, byte[] tag, Optional<LineFilter> filter,
            LineRoom room) {
        var relay = new Relay(name, source, sink, tag, filter, room);
        relay.thread.start();
        return relay;
    }

    /** Waits until the last output has been written, or until {@link System#nanoTime()} passes the deadline. */
    void awaitEnd(long deadlineNanos) throws InterruptedException {
        thread.join(Duration.ofNanos(deadlineNanos - System.nanoTime()));
    }

    /** {@return whether output that was read has still to be written} */
    boolean isWriting() {
        return thread.isAlive() && !reading;
    }

    /** {@return whether the last line so far is the one that a JVM prints when it ends because no memory is left} */
    boolean saidOutOfMemory() {
        return saidOutOfMemory;
    }

    private void relay() {
        var buffer = new byte[BUFFER_BYTES];
        int filled = 0;
        for (int count; (count = read(buffer, filled)) > 0;) {
            int end = endOfLastLine(buffer, filled, filled + count);
            filled += count;
            if (end == 0 && filled < buffer.length) {
                continue;
            }
            if (end == 0 && !inLine && room.doubled(buffer.length)) {
                buffer = Arrays.copyOf(buffer, 2 * buffer.length);
                continue;
            }
            if (end == 0) {
                end = filled;
                sayOnce(filled);
            }
            write(buffer, end);
            filled -= end;
            var next = filled < BUFFER_BYTES ? smallest(buffer) : buffer;
            System.arraycopy(buffer, end, next, 0, filled);
            buffer = next;
        }
        write(buffer, filled);
        smallest(buffer);
        filter.map(LineFilter::end).ifPresent(last -> sink.write(this, tag, last, 0, last.length));
    }

    private void sayOnce(int bytes) {
        if (!saidTooLong) {
            saidTooLong = true;
            room.refuse(thread.getName(), bytes);
        }
    }

    /** {@return a buffer of the usual length in the place of this one; the room of a longer buffer is given back} */
    private byte[] smallest(byte[] buffer) {
        if (buffer.length == BUFFER_BYTES) {
            return buffer;
        }
        room.giveBack(buffer.length - BUFFER_BYTES);
        return new byte[BUFFER_BYTES];
    }

    private int read(byte[] buffer, int filled) {
        reading = true;
        try {
            return source.read(buffer, filled, buffer.length - filled);
        } catch (IOException e) {
            return -1; // the stream is closed under this thread when its process ends
        } finally {
            reading = false;
        }
    }

    private void write(byte[] buffer, int end) {
        if (end > 0) {
            int last = endOfLastLine(buffer, 0, end - 1);
            int compared = Math.min(end, last + OUT_OF_MEMORY.length);
            saidOutOfMemory = Arrays.equals(buffer, last, compared, OUT_OF_MEMORY, 0, OUT_OF_MEMORY.length);
        }
        int from = 0;
        if (filter.isPresent()) {
            for (int start = inLine ? endOfLine(buffer, 0, end) : 0; start < end;) {
                int next = endOfLine(buffer, start, end);
                var instead = filter.get().take(buffer, start, next);
                if (instead != null) {
                    sink.write(this, tag, buffer, from, start);
                    sink.write(this, tag, instead, 0, instead.length);
                    from = next;
                }
                start = next;
            }
        }
        sink.write(this, tag, buffer, from, end);
        inLine = end > 0 && buffer[end - 1] != '\n';
    }

    /** {@return the index after the first newline, or {@code to}} */
    static int endOfLine(byte[] bytes, int from, int to) {
        for (int index = from; index < to; index++) {
            if (bytes[index] == '\n') {
                return index + 1;
            }
        }
        return to;
    }

    private static int endOfLastLine(byte[] bytes, int from, int to) {
        for (int index = to; index > from; index--) {
            if (bytes[index - 1] == '\n') {
                return index;
            }
        }
        return 0;
    }
}
