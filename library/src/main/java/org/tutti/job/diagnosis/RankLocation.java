/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.tutti.job.node.NodeLayout;
import org.tutti.memory.CallSite;
import org.tutti.memory.WaitingCall;

/**
 * A snapshot of a rank: the call that it was in, the line of its program, and the rank for which it waited.
 *
 * @param rank the rank in the job
 * @param state the known state of the rank
 * @param call the call that the rank was in; empty if it was in none
 * @param communicator the communicator of the call, as messages name it; empty if that is not known
 * @param number the number of the operation on the communicator, from 1; 0 if it has no number
 * @param line the line at which the program was, in the form of {@link CallSite#line}; empty if the rank ran no code of
 *            the program
 * @param waitedMillis the time that the rank had waited; 0 if it did not wait, or not for long
 * @param awaited the awaited rank in the job, or a constant of {@link WaitingCall}
 * @param algorithm the algorithm of the call; empty if the call has none or it is not known
 * @param bytes the length of the call's vector, or of one block, in bytes, or {@link WaitingCall#UNKNOWN}
 */
public record RankLocation(int rank, State state, String call, String communicator, long number, String line,
        long waitedMillis, int awaited, String algorithm, long bytes) {
    /** The call of a rank that waits for other ranks to join. */
    public static final String JOIN = "join";

    /** The longest {@link #text} of a location, in bytes. */
    public static final int TEXT_BYTES_MAX = 512;

    private static final String SEPARATOR = "\t";
    private static final int FIELDS = 10;

    /** The state of a rank. */
    public enum State {
        /** The rank takes part in the job. */
        JOINED,
        /** The rank has not joined the job. */
        ABSENT,
        /** The rank's process has not answered. */
        SILENT,
        /** The rank has failed. */
        FAILED,
        /** The rank has left the job. */
        LEFT,
        /** The rank's process has ended. */
        ENDED;

        /** Returns the state that corresponds to a state of {@link NodeLayout}. */
        static State of(long ofNode) {
            return ofNode == NodeLayout.ABSENT ? ABSENT
                    : ofNode == NodeLayout.JOINED ? JOINED : ofNode == NodeLayout.LEFT ? LEFT : FAILED;
        }
    }

    /**
     * Creates the location of a rank whose call has no algorithm.
     *
     * @param rank the rank in the job
     * @param state the known state of the rank
     * @param call the call that the rank was in
     * @param communicator the communicator of the call
     * @param number the number of the operation
     * @param line the line at which the program was
     * @param waitedMillis the time that the rank had waited
     * @param awaited the awaited rank, or a constant of {@link WaitingCall}
     */
    public RankLocation(int rank, State state, String call, String communicator, long number, String line,
            long waitedMillis, int awaited) {
        this(rank, state, call, communicator, number, line, waitedMillis, awaited, "", WaitingCall.UNKNOWN);
    }

    /**
     * Returns a location for a rank of which only the state is known, because its process does not answer.
     *
     * @param rank the rank
     * @param state the state of the rank
     * @return the location
     */
    public static RankLocation unknown(int rank, State state) {
        return new RankLocation(rank, state, "", "", 0, "", 0, WaitingCall.UNKNOWN);
    }

    /**
     * {@return whether the rank was in a call}
     */
    public boolean isInCall() {
        return !call.isEmpty();
    }

    /** {@return the location as a line of text, for {@link #parse}} */
    public String text() {
        var text = String.join(SEPARATOR, String.valueOf(rank), state.name(), plain(call), plain(communicator),
                String.valueOf(number), plain(line), String.valueOf(waitedMillis), String.valueOf(awaited),
                plain(algorithm), String.valueOf(bytes));
        if (text.getBytes(StandardCharsets.UTF_8).length < TEXT_BYTES_MAX) {
            return text;
        }
        int longest = Math.max(call.length(), Math.max(communicator.length(), line.length()));
        return new RankLocation(rank, state, cut(call, longest), cut(communicator, longest), number,
                cut(line, longest), waitedMillis, awaited, algorithm, bytes).text();
    }

    /** Returns a name with its control characters replaced, because names come from the user. */
    private static String plain(String name) {
        return name.replaceAll("[\\p{Cc}\\p{Zl}\\p{Zp}]", " ");
    }

    /** Returns the first half of a name that is as long as the longest one, and any other name as it is. */
    private static String cut(String name, int longest) {
        return name.length() < longest ? name : name.substring(0, longest / 2);
    }

    /**
     * Parses lines that {@link #text} has made.
     *
     * @param lines a line for each rank
     * @return the locations of all well-formed lines
     */
    public static List<RankLocation> parse(String lines) {
        return lines.lines().map(line -> line.split(SEPARATOR, -1)).filter(fields -> fields.length == FIELDS)
                .map(RankLocation::of).toList();
    }

    private static RankLocation of(String[] fields) {
        var state = Arrays.stream(State.values()).filter(each -> each.name().equals(fields[1])).findFirst();
        return new RankLocation(Integer.parseInt(fields[0]), state.orElse(State.JOINED), fields[2], fields[3],
                Long.parseLong(fields[4]), fields[5], Long.parseLong(fields[6]), Integer.parseInt(fields[7]),
                fields[8], Long.parseLong(fields[9]));
    }
}
