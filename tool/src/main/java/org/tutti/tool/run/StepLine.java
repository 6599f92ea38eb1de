/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

import org.tutti.tool.Progress;

/**
 * The lines with which a program of the tool tells its launcher how far it is. Rank 0 prints them, and the launcher
 * makes a bar of them if it has a terminal. They reach no other output.
 */
public final class StepLine {
    private static final char MARK = '\u001F';
    private static final Pattern FORM = Pattern.compile(MARK + "(\\d{1,9})/(\\d{1,9}) (.*)\n");

    private StepLine() {}

    /**
     * Tells the launcher that a step begins.
     *
     * @param done how many steps are done
     * @param steps how many steps there are
     * @param next the name of the step that begins
     */
    public static void print(long done, long steps, String next) {
        System.out.println(MARK + "" + done + "/" + steps + " " + next);
    }

    /** Takes the lines out of the output of rank 0. */
    static final class Filter implements LineFilter, AutoCloseable {
        private final String task;
        private final boolean isVisible = Progress.isTerminal();
        private Optional<Progress> progress = Optional.empty();
        private boolean closed;

        /** @param task the name of the program's task */
        Filter(String task) {
            this.task = task;
        }

        @Override
        public synchronized byte[] take(byte[] bytes, int from, int to) {
            if (bytes[from] != MARK) {
                return null;
            }
            var line = FORM.matcher(new String(bytes, from, to - from, StandardCharsets.UTF_8));
            if (!line.matches()) {
                return null;
            }
            if (isVisible && !closed) {
                long steps = Long.parseLong(line.group(2));
                progress = progress.or(() -> Optional.of(Progress.of(task, steps)));
                progress.get().step(Long.parseLong(line.group(1)), steps, line.group(3));
            }
            return NOTHING;
        }

        @Override
        public byte[] end() {
            close();
            return NOTHING;
        }

        @Override
        public synchronized void close() {
            closed = true;
            progress.ifPresent(Progress::close);
            progress = Optional.empty();
        }
    }
}
