/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Where lines of several writers go: a stream of the launcher, or a file. Writers hand over whole lines; a last line
 * without an end, or a piece of an overlong one, is ended as soon as another writer follows.
 */
final class LineSink implements LineTarget, AutoCloseable {
    private final String name;
    private final OutputStream stream;
    private final AtomicReference<String> failure;
    private Object writerOfOpenLine;
    private boolean failed;

    /**
     * @param name what the sink is, for messages
     * @param stream the unbuffered destination
     * @param failure where the first sentence about a failed write goes; what is written later is dropped
     */
    LineSink(String name, OutputStream stream, AtomicReference<String> failure) {
        this.name = name;
        this.stream = new BufferedOutputStream(stream, Relay.BUFFER_BYTES);
        this.failure = failure;
    }

    /** Writes bytes, each line of them after the tag, and flushes. */
    @Override
    public synchronized void write(Object writer, byte[] tag, byte[] bytes, int from, int to) {
        if (failed || from == to) {
            return;
        }
        try {
            boolean continues = writer.equals(writerOfOpenLine);
            if (writerOfOpenLine != null && !continues) {
                stream.write('\n');
            }
            writeLines(tag, continues, bytes, from, to);
            stream.flush();
            writerOfOpenLine = bytes[to - 1] == '\n' ? null : writer;
        } catch (IOException e) {
            failed = true;
            failure.compareAndSet(null,
                    "the output of the ranks could not be written to " + name + " (" + e.getMessage()
                            + "); the job was ended.");
        }
    }

    private void writeLines(byte[] tag, boolean continues, byte[] bytes, int from, int to) throws IOException {
        if (tag.length == 0) {
            stream.write(bytes, from, to - from);
            return;
        }
        boolean tagged = continues;
        for (int start = from; start < to;) {
            int end = Relay.endOfLine(bytes, start, to);
            if (!tagged) {
                stream.write(tag);
            }
            stream.write(bytes, start, end - start);
            tagged = false;
            start = end;
        }
    }

    @Override
    public synchronized void close() throws IOException {
        stream.close();
    }
}
