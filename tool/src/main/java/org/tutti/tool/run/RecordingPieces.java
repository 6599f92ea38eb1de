/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.OutputStream;
import java.util.function.Consumer;

/** Sends a recording in frames to the launcher. Each write is a frame, and the end of the stream is an empty frame. */
final class RecordingPieces extends OutputStream {
    /** The length of a buffer before this stream. */
    static final int BYTES = 1 << 16;

    private final int process;
    private final Consumer<byte[]> send;

    /**
     * @param process the number of the process on its node
     * @param send takes frames
     */
    RecordingPieces(int process, Consumer<byte[]> send) {
        this.process = process;
        this.send = send;
    }

    @Override
    public void write(int single) {
        write(new byte[]{(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        for (int from = offset; from < offset + length; from += BYTES) {
            sendPiece(bytes, from, Math.min(offset + length, from + BYTES));
        }
    }

    private void sendPiece(byte[] bytes, int from, int to) {
        send.accept(new SessionFrame.Builder(FrameKind.RECORDING).number(process).piece(bytes, from, to).bytes());
    }

    @Override
    public void close() {
        sendPiece(new byte[0], 0, 0);
    }
}
