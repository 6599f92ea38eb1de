/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * Drops thread dumps from a rank's standard output, if Ctrl-\ in the terminal has sent SIGQUIT to all processes of the
 * job: the launcher says where the ranks are instead. If a rank alone has got the signal, its dump stays, because a
 * user wants to see it.
 */
final class ThreadDumps implements LineFilter {
    private static final byte[] BEGINNING = "Full thread dump ".getBytes(StandardCharsets.US_ASCII);
    private static final String LAST_PART = "Heap\n";

    /** The beginning of a dump's line: a thread's name, an indented line, the end of a list, or a headline. */
    private static final Pattern LINE =
            Pattern.compile("[\"\\s}]|0x\\p{XDigit}{8}|_\\w+=0x|=+\n|Threads class SMR info:"
                    + "|JNI global refs|Heap\n|Found (one|\\d+) .*deadlock|Java stack information for the threads");

    private static final byte[] TIME = "0000-00-00 00:00:00\n".getBytes(StandardCharsets.US_ASCII);

    /** How much earlier than the launcher a rank may notice a signal that was sent to all. */
    private static final long SIGNAL_NANOS_MAX = 500_000_000;

    private static final long DUMP_NANOS_MAX = 5_000_000_000L;
    private static final long LOOK_MILLIS = 20;

    private final BooleanSupplier isFresh;
    private byte[] time = NOTHING; // held until it is clear whether a dump follows
    private boolean inDump;
    private boolean inLastPart;
    private long beginNanos;

    /** @param isFresh whether the launcher has got the signal a moment ago */
    ThreadDumps(BooleanSupplier isFresh) {
        this.isFresh = isFresh;
    }

    @Override
    public byte[] take(byte[] bytes, int from, int to) {
        var before = time;
        time = NOTHING;
        if (begins(bytes, from, to)) {
            inDump = true;
            inLastPart = false;
            beginNanos = System.nanoTime();
            return NOTHING;
        }
        if (isTime(bytes, from, to) && isFresh.getAsBoolean()) {
            time = Arrays.copyOfRange(bytes, from, to);
            return before;
        }
        if (isInDump(bytes, from, to)) {
            return before;
        }
        return before.length == 0 ? null : joined(before, bytes, from, to);
    }

    @Override
    public byte[] end() {
        var last = time;
        time = NOTHING;
        return last;
    }

    private static byte[] joined(byte[] before, byte[] bytes, int from, int to) {
        var both = Arrays.copyOf(before, before.length + to - from);
        System.arraycopy(bytes, from, both, before.length, to - from);
        return both;
    }

    private boolean begins(byte[] bytes, int from, int to) {
        return to - from > BEGINNING.length
                && Arrays.equals(bytes, from, from + BEGINNING.length, BEGINNING, 0, BEGINNING.length)
                && isSoonFresh();
    }

    private boolean isInDump(byte[] bytes, int from, int to) {
        if (!inDump || System.nanoTime() - beginNanos > DUMP_NANOS_MAX) {
            inDump = false; // its end perhaps looked different
            return false;
        }
        var line = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        if (!LINE.matcher(line).lookingAt()) {
            return false; // the program goes on meanwhile
        }
        inLastPart |= line.equals(LAST_PART);
        inDump = !inLastPart || !line.equals("\n"); // an empty line ends the dump
        return true;
    }

    private static boolean isTime(byte[] bytes, int from, int to) {
        if (to - from != TIME.length) {
            return false;
        }
        for (int index = 0; index < TIME.length; index++) {
            byte found = bytes[from + index];
            if (found != TIME[index] && (TIME[index] != '0' || found < '0' || found > '9')) {
                return false;
            }
        }
        return true;
    }

    private boolean isSoonFresh() {
        long deadlineNanos = System.nanoTime() + SIGNAL_NANOS_MAX;
        try {
            while (!isFresh.getAsBoolean() && System.nanoTime() - deadlineNanos < 0) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return isFresh.getAsBoolean();
    }
}
