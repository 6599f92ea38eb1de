/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.tutti.job.RankProcess;

/**
 * Lines of the ranks' standard error that the launcher does not pass on immediately. Lines of a rank that failed only
 * because of another rank come after the report of the first cause. An exception that several ranks have thrown alike
 * comes once. A warning that the launcher itself provoked never comes.
 */
final class HeldLines implements LineFilter {
    private static final byte MARKER = (byte) RankProcess.MARK;
    private static final byte[] PREFIX = "tutti: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] WARNING = (RankCommand.VECTOR_WARNING + "\n").getBytes(StandardCharsets.US_ASCII);
    private static final int LINES_MAX = 4096;

    private final List<byte[]> lines = new ArrayList<>();
    private final Traces traces;
    private final PickedUpOptions pickedUp;

    /**
     * @param size how many ranks the job has
     * @param separate whether the standard error of each process goes to a file of its own
     * @param pickedUp leaves out repeated lines about options in the environment
     */
    HeldLines(int size, boolean separate, PickedUpOptions pickedUp) {
        this.traces = new Traces(size, separate);
        this.pickedUp = pickedUp;
    }

    @Override
    public synchronized byte[] take(byte[] bytes, int from, int to) {
        if (to - from > Relay.BUFFER_BYTES) {
            return null; // too long to be one of these lines
        }
        if (bytes[from] == MARKER && lines.size() < LINES_MAX) {
            lines.add(Arrays.copyOfRange(bytes, from + 1, to));
            return NOTHING;
        }
        boolean isProvoked =
                RankCommand.VECTOR_MODULE && Arrays.equals(bytes, from, to, WARNING, 0, WARNING.length);
        return isProvoked || pickedUp.take(bytes, from, to) != null ? NOTHING : traces.take(bytes, from, to);
    }

    /** Passes the held lines on, in the order in which they came. */
    synchronized void release(LineTarget sink) {
        traces.sentences().forEach(sentence -> lines.addFirst((sentence + "\n").getBytes(StandardCharsets.UTF_8)));
        for (var line : lines) {
            sink.write(line, PREFIX, line, 0, line.length);
        }
        lines.clear();
    }
}
