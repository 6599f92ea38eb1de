/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntConsumer;

/**
 * An output stream of a process on another host: the bytes that have arrived and have not been read. The host sends no
 * more than this stream has room for. Reading makes room, and reports the new room to the host. The thread that takes
 * frames off the connection therefore never waits.
 */
final class RemoteStream extends InputStream {
    private final IntConsumer room;
    private final Deque<byte[]> pieces = new ArrayDeque<>();
    private int consumed; // bytes of the first piece
    private int waiting;
    private boolean ended;

    /** @param room takes the number of bytes that a read has consumed */
    RemoteStream(IntConsumer room) {
        this.room = room;
    }

    /** Appends bytes that have arrived. {@return false if there is no room for them} */
    synchronized boolean append(byte[] piece) {
        if (piece.length > SessionFrame.WINDOW_BYTES - waiting) {
            return false;
        }
        if (piece.length > 0 && !ended) {
            pieces.add(piece);
            waiting += piece.length;
            notifyAll();
        }
        return true;
    }

    /** Marks the end of the stream. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** {@return whether there are bytes to read} */
    synchronized boolean isWaiting() {
        return waiting > 0;
    }

    @Override
    public int read() {
        var single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(single[0]);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
        int count = take(buffer, offset, length);
        if (count > 0) {
            room.accept(count);
        }
        return count;
    }

    private synchronized int take(byte[] buffer, int offset, int length) {
        while (pieces.isEmpty()) {
            if (ended) {
                return -1;
            }
            try {
                wait();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return -1;
            }
        }
        var piece = pieces.getFirst();
        int count = Math.min(length, piece.length - consumed);
        System.arraycopy(piece, consumed, buffer, offset, count);
        consumed += count;
        waiting -= count;
        if (consumed == piece.length) {
            pieces.removeFirst();
            consumed = 0;
        }
        return count;
    }
}
