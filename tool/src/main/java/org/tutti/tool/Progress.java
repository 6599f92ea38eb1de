/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * The progress of a task: a bar on standard error with the time so far and an estimate of the whole time. The bar
 * appears if standard error is a terminal and the task takes longer than two seconds, and disappears at the end of the
 * task. If standard error is no terminal, such as a pipe or a file, a task that takes long prints a line every half
 * minute.
 *
 * <p>A process has at most one bar at a time, on the last line of its terminal. Other output goes above the bar
 * ({@link #above}).
 */
public final class Progress implements AutoCloseable {
    private static final int COLUMNS = 79;
    private static final String ERASE = "\r" + " ".repeat(COLUMNS) + "\r";
    private static final int UPDATE_MILLIS = 1000; // rarely, because ranks may be measured meanwhile
    private static final long BAR_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long LINE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int STANDARD_ERROR = 2;
    private static final Pattern TERMINAL = Pattern.compile("/dev/(pts/\\d+|tty\\w*|console)");

    /** Orders the bar and other output. Its holder may print. */
    private static final ReentrantLock TERMINAL_LOCK = new ReentrantLock();

    private static volatile boolean hasBar; // otherwise, output that blocks must not make other output wait
    private static boolean isShown;

    private final ProgressBar bar;

    private Progress(String task, long steps) {
        var builder = new ProgressBarBuilder().setTaskName(task).setInitialMax(steps).setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MILLIS);
        hasBar = isTerminal();
        this.bar = hasBar ? builder.continuousUpdate().clearDisplayOnFinish().setConsumer(new Bar()).build()
                : builder.setConsumer(new Lines()).build();
    }

    /**
     * Begins a task.
     *
     * @param task its name
     * @param steps how many steps it has; −1 if that is not known
     * @return its progress
     */
    public static Progress of(String task, long steps) {
        return new Progress(task, steps);
    }

    /** {@return whether standard error is a terminal, so that a bar can be seen} */
    public static boolean isTerminal() {
        return isTerminal(STANDARD_ERROR);
    }

    /**
     * {@return whether a file descriptor of this process is a terminal}
     *
     * @param descriptor the number of the descriptor, such as 1 for standard output
     */
    public static boolean isTerminal(int descriptor) {
        try {
            var file = Path.of("/proc/self/fd/" + descriptor);
            return TERMINAL.matcher(Files.readSymbolicLink(file).toString()).matches();
        } catch (IOException | UnsupportedOperationException _) { // a system without this file
            return System.console() != null && System.console().isTerminal();
        }
    }

    /** Notes that a step is done. */
    public void step() {
        bar.step();
    }

    /** Notes the current number of steps that are done, out of how many, and the name of the next step. */
    public void step(long done, long steps, String next) {
        bar.maxHint(steps);
        bar.stepTo(done);
        begin(next);
    }

    /** Names the step that begins. */
    public void begin(String step) {
        bar.setExtraMessage(" " + step);
    }

    /** Prints something while no bar is on the last line of the terminal; the bar appears again below the output. */
    public static void above(Runnable print) {
        if (!hasBar) {
            print.run();
            return;
        }
        TERMINAL_LOCK.lock();
        try {
            erase();
            print.run();
        } finally {
            TERMINAL_LOCK.unlock();
        }
    }

    private static void erase() {
        if (isShown) {
            isShown = false;
            System.err.print(ERASE);
            System.err.flush();
        }
    }

    @Override
    public void close() {
        bar.close();
        hasBar = false;
    }

    /** The bar on a terminal. */
    private static final class Bar implements ProgressBarConsumer {
        private final long begin = System.nanoTime();

        @Override
        public int getMaxRenderedLength() {
            return COLUMNS;
        }

        @Override
        public void accept(String text) {
            if (System.nanoTime() - begin < BAR_AFTER_NANOS) {
                return;
            }
            TERMINAL_LOCK.lock();
            try {
                isShown = true;
                System.err.print("\r" + text + " ".repeat(Math.max(0, COLUMNS - text.length())));
                System.err.flush();
            } finally {
                TERMINAL_LOCK.unlock();
            }
        }

        @Override
        public void clear() {
            above(() -> {
            });
        }

        @Override
        public void close() {
            clear();
        }
    }

    /** The lines in a log. */
    private static final class Lines implements ProgressBarConsumer {
        private long printed = System.nanoTime();

        @Override
        public int getMaxRenderedLength() {
            return COLUMNS;
        }

        @Override
        public void accept(String text) {
            if (System.nanoTime() - printed > LINE_AFTER_NANOS) {
                printed = System.nanoTime();
                System.err.println(text);
            }
        }

        @Override
        public void clear() {
            // the lines of a log stay
        }

        @Override
        public void close() {
            // the last line has its end
        }
    }
}
