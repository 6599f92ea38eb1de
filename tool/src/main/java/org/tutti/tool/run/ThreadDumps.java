/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Takes the thread dumps out of a rank's standard output that its JVM prints when Ctrl-\ in the terminal has sent
 * SIGQUIT to all processes of the job: the launcher says where the ranks are instead. The dump of a rank that has got
 * the signal alone is what somebody wants to see.
 */
final class ThreadDumps implements LineFilter {
    private static final byte[] BEGINNING = "Full thread dump ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LAST_PART = "Heap\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TIME = "0000-00-00 00:00:00\n".getBytes(StandardCharsets.US_ASCII);

    /** The signal goes to all at once, but who gets a processor first dumps first. */
    private static final long SIGNAL_NANOS_MAX = 500_000_000;

    private static final long DUMP_NANOS_MAX = 5_000_000_000L;
    private static final long LOOK_MILLIS = 20;

    private final QuitSignal quit;
    private boolean inDump;
    private boolean inLastPart;
    private long beginNanos;

    ThreadDumps(QuitSignal quit) {
        this.quit = quit;
    }

    @Override
    public byte[] take(byte[] bytes, int from, int to) {
        return isOfDump(bytes, from, to) ? NOTHING : null;
    }

    private boolean isOfDump(byte[] bytes, int from, int to) {
        if (inDump && System.nanoTime() - beginNanos > DUMP_NANOS_MAX) {
            inDump = false; // its end was not as expected
        }
        if (inDump) {
            inLastPart |= Arrays.equals(bytes, from, to, LAST_PART, 0, LAST_PART.length);
            inDump = !inLastPart || to - from > 1; // an empty line ends it
            return true;
        }
        if (isTime(bytes, from, to)) {
            return quit.isFresh(); // it precedes the dump
        }
        inDump = to - from > BEGINNING.length
                && Arrays.equals(bytes, from, from + BEGINNING.length, BEGINNING, 0, BEGINNING.length)
                && isSoonFresh();
        inLastPart = false;
        beginNanos = System.nanoTime();
        return inDump;
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
            while (!quit.isFresh() && System.nanoTime() - deadlineNanos < 0) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return quit.isFresh();
    }
}
