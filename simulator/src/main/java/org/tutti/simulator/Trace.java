/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Records the steps of the ranks of a predicted run, each with a beginning and an end in nanoseconds. A wait has the
 * number of the step that ended it, so that the critical path can be followed backwards from the last step.
 */
final class Trace {
    /** The kind of a step. */
    enum Kind {
        COPY("copies"), COMBINE("combines"), STORE("sets a word"), WAIT("waits"), PUT("puts"),
        ARRIVAL("crosses a rail"), GET(
                "gets"),
        SWITCH("waits for a core");

        private final String verb;

        Kind(String verb) {
            this.verb = verb;
        }

        String verb() {
            return verb;
        }
    }

    /**
     * A step.
     *
     * @param kind the kind
     * @param rank the rank that takes the step
     * @param other the other rank of a put, an arrival or a get, or −1
     * @param start the beginning, in nanoseconds
     * @param end the end, in nanoseconds
     * @param bytes the number of bytes that the step moves
     */
    record Step(Kind kind, int rank, int other, double start, double end, long bytes) {}

    private static final Kind[] KINDS = Kind.values();
    private static final int NONE = -1;

    private final int[] lastOfRank;
    private byte[] kinds = new byte[1024];
    private int[] ranks = new int[1024];
    private int[] others = new int[1024];
    private double[] starts = new double[1024];
    private double[] ends = new double[1024];
    private long[] bytesOf = new long[1024];
    private int[] before = new int[1024];
    private int[] cause = new int[1024];
    private int count;

    Trace(int size) {
        this.lastOfRank = new int[size];
        Arrays.fill(lastOfRank, NONE);
    }

    /** Adds a step of a rank, and returns its number. */
    int add(Kind kind, int rank, int other, double start, double end, long bytes, int causedBy) {
        int step = append(kind, rank, other, start, end, bytes, causedBy);
        lastOfRank[rank] = step;
        return step;
    }

    /**
     * Adds a step between ranks, after the latest step of the rank that started it; the step is not one of that rank.
     */
    int addBetween(Kind kind, int rank, int other, double start, double end, long bytes) {
        return append(kind, rank, other, start, end, bytes, NONE);
    }

    private int append(Kind kind, int rank, int other, double start, double end, long bytes, int causedBy) {
        if (count == kinds.length) {
            grow(2 * count);
        }
        kinds[count] = (byte) kind.ordinal();
        ranks[count] = rank;
        others[count] = other;
        starts[count] = start;
        ends[count] = end;
        bytesOf[count] = bytes;
        before[count] = lastOfRank[rank];
        cause[count] = causedBy;
        return count++;
    }

    private void grow(int length) {
        kinds = Arrays.copyOf(kinds, length);
        ranks = Arrays.copyOf(ranks, length);
        others = Arrays.copyOf(others, length);
        starts = Arrays.copyOf(starts, length);
        ends = Arrays.copyOf(ends, length);
        bytesOf = Arrays.copyOf(bytesOf, length);
        before = Arrays.copyOf(before, length);
        cause = Arrays.copyOf(cause, length);
    }

    int last(int rank) {
        return lastOfRank[rank];
    }

    int size() {
        return count;
    }

    /** {@return the number of the step that ended a wait, or −1 if there is none} */
    int cause(int index) {
        return cause[index];
    }

    Step step(int index) {
        return new Step(KINDS[kinds[index]], ranks[index], others[index], starts[index], ends[index], bytesOf[index]);
    }

    /** {@return the numbers of the steps of the critical path, in the order of time} */
    List<Integer> criticalPath() {
        int step = NONE;
        for (int last : lastOfRank) {
            if (last != NONE && (step == NONE || ends[last] > ends[step])) {
                step = last;
            }
        }
        List<Integer> path = new ArrayList<>();
        while (step != NONE) {
            path.add(step);
            step = cause[step] != NONE ? cause[step] : before[step];
        }
        Collections.reverse(path);
        return path;
    }
}
