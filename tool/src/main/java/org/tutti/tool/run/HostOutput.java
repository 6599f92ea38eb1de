/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Sends one output stream of a process to the launcher, and waits while the launcher has no room for it. */
final class HostOutput implements LineTarget {
    private final OutputStream launcher;
    private final int process;
    private final int stream;
    private int room = SessionFrame.WINDOW_BYTES;
    private boolean closed;

    /**
     * @param launcher takes frames
     * @param process the number of the process on this node
     * @param stream 0 for standard output, 1 for standard error
     */
    HostOutput(OutputStream launcher, int process, int stream) {
        this.launcher = launcher;
        this.process = process;
        this.stream = stream;
    }

    @Override
    public void write(Object writer, byte[] tag, byte[] bytes, int from, int to) {
        for (int start = from; start < to;) {
            int count = takeRoom(to - start);
            if (count == 0) {
                return;
            }
            try {
                SessionFrame.write(launcher, new SessionFrame.Builder(FrameKind.OUTPUT).number(process).number(stream)
                        .piece(bytes, start, start + count).bytes());
            } catch (UncheckedIOException _) {
                close(); // the launcher is gone; the thread that reads from it ends everything
            }
            start += count;
        }
    }

    private synchronized int takeRoom(int most) {
        while (room == 0 && !closed) {
            try {
                wait();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                closed = true;
            }
        }
        int count = closed ? 0 : Math.min(most, room);
        room -= count;
        return count;
    }

    /** Notes that the launcher has room for this many more bytes. */
    synchronized void addRoom(int bytes) {
        room = Math.min(room + bytes, SessionFrame.WINDOW_BYTES);
        notifyAll();
    }

    /** Drops everything that is still to be written. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
