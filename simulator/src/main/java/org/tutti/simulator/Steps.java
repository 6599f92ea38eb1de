/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.collective.Team;

/** Records the steps of the ranks of a run, for messages. */
final class Steps {
    private static final int SHOWN = 8;
    private static final long STEPS = Team.STEPS_MAX + 1L;
    private static final int KEPT = 64;

    private final List<List<String>> ofThread = new ArrayList<>();
    private final IntFunction<String> name;

    /**
     * @param threads the number of threads of all ranks
     * @param name returns the name of a thread
     */
    Steps(int threads, IntFunction<String> name) {
        this.name = name;
        for (int thread = 0; thread < threads; thread++) {
            ofThread.add(new ArrayList<>());
        }
    }

    /** {@return the generation of a word's value; −1 if the word was never set, or counts something else} */
    static long generation(long value) {
        return value / STEPS - 1;
    }

    /** {@return a word's value in the terms of algorithms, step and generation} */
    static String value(long value) {
        return value <= Team.STEPS_MAX ? String.valueOf(value)
                : "step " + value % STEPS + " of generation " + generation(value);
    }

    void add(int thread, long step, String what) {
        List<String> steps = ofThread.get(thread);
        steps.add("    step " + step + ": " + what + "\n");
        if (steps.size() > KEPT) {
            steps.subList(0, KEPT / 2).clear();
        }
    }

    /** {@return the last steps of every thread, for a message} */
    String last() {
        StringBuilder text = new StringBuilder();
        for (int thread = 0; thread < ofThread.size(); thread++) {
            List<String> steps = ofThread.get(thread);
            text.append("  ").append(name.apply(thread)).append(steps.isEmpty() ? " did nothing\n" : "\n");
            steps.subList(Math.max(0, steps.size() - SHOWN), steps.size()).forEach(text::append);
        }
        return text.toString();
    }
}
