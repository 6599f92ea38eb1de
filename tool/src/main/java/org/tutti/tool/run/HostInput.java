/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;

/** Passes standard input from the launcher on to the process of rank 0, as fast as the process reads. */
final class HostInput {
    private final OutputStream process;
    private final IntConsumer room;
    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private int waiting;
    private boolean ended;

    /**
     * @param process the standard input of the process
     * @param room takes the number of bytes that may be sent in addition
     */
    HostInput(OutputStream process, IntConsumer room) {
        this.process = process;
        this.room = room;
        Thread.ofPlatform().daemon().name("standard input").start(this::pass);
    }

    /** Takes a piece of the input; an empty piece ends the input. */
    synchronized void add(byte[] piece) throws IOException {
        if (ended) {
            return;
        }
        ended = piece.length == 0;
        waiting += piece.length;
        if (waiting > SessionFrame.WINDOW_BYTES) {
            throw new IOException("more input than there was room for");
        }
        pieces.add(piece);
    }

    private void pass() {
        room.accept(SessionFrame.WINDOW_BYTES);
        try (process) {
            for (byte[] piece; (piece = pieces.take()).length > 0;) {
                process.write(piece);
                process.flush();
                synchronized (this) {
                    waiting -= piece.length;
                }
                room.accept(piece.length);
            }
        } catch (IOException | InterruptedException _) {
            return; // the process reads no more, so this host asks the launcher for no more
        }
    }
}
