/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicReference;

import org.tutti.tool.Progress;

/**
 * A stream of the launcher, or a file, that takes lines of several writers. Writers hand over whole lines. If a
 * writer's last line has no end, or is a piece of an overlong line, this sink ends it as soon as another writer
 * follows.
 */
final class LineSink implements LineTarget, AutoCloseable {
    private final String name;
    private final OutputStream stream;
    private final AtomicReference<String> failure;
    private Object writerOfOpenLine;
    private boolean failed;

    /**
     * @param name the name of the destination, for messages
     * @param stream the unbuffered destination
     * @param failure takes a sentence about the first failed write; this sink drops all later output
     */
    LineSink(String name, OutputStream stream, AtomicReference<String> failure) {
        this.name = name;
        this.stream = new BufferedOutputStream(stream, Relay.BUFFER_BYTES);
        this.failure = failure;
    }

    /** Writes the tag before each line of some bytes, and flushes. */
    @Override
    public synchronized void write(Object writer, byte[] tag, byte[] bytes, int from, int to) {
        if (!failed && from < to) {
            Progress.above(() -> writeNow(writer, tag, bytes, from, to));
        }
    }

    private synchronized void writeNow(Object writer, byte[] tag, byte[] bytes, int from, int to) {
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
