/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.tutti.job.node.NodeLayout;
import org.tutti.memory.CallSite;
import org.tutti.memory.WaitingCall;

/**
 * Where a rank was at a moment: in which call, in which line of its program, and for whom it waited.
 *
 * @param rank the rank
 * @param state what was known of its life
 * @param call the call that it was in; empty if in none
 * @param communicator the communicator of the call, as messages name it; empty if that is not known
 * @param number which operation of the communicator, from 1; 0 where they are not numbered
 * @param line the line of its program, as {@link CallSite#line} has it; empty if it ran nothing of the program
 * @param waitedMillis how long it had waited; 0 if it did not wait, or not for long
 * @param awaited for which rank of the job; else as {@link WaitingCall} has it
 */
public record RankLocation(int rank, State state, String call, String communicator, long number, String line,
        long waitedMillis, int awaited) {
    /** What a rank is in that waits for others to join. */
    public static final String JOIN = "join";

    /** How many bytes the text of one has at most. */
    public static final int TEXT_BYTES_MAX = 512;

    private static final String SEPARATOR = "\t";
    private static final int FIELDS = 8;

    /** What becomes of ranks. */
    public enum State {
        /** It takes part in the job. */
        JOINED,
        /** It has not joined the job. */
        ABSENT,
        /** Its process has said nothing. */
        SILENT,
        /** It has failed. */
        FAILED,
        /** It has left the job. */
        LEFT,
        /** Its process has ended. */
        ENDED;

        /** The state of a rank that a node knows. */
        static State of(long ofNode) {
            return ofNode == NodeLayout.ABSENT ? ABSENT
                    : ofNode == NodeLayout.JOINED ? JOINED : ofNode == NodeLayout.LEFT ? LEFT : FAILED;
        }
    }

    /**
     * What there is to say of a rank whose process tells nothing of it.
     *
     * @param rank the rank
     * @param state why
     * @return that
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

    /**
     * {@return all of it as a line of text, for {@link #parse}}
     */
    public String text() {
        var text = String.join(SEPARATOR, String.valueOf(rank), state.name(), plain(call), plain(communicator),
                String.valueOf(number), plain(line), String.valueOf(waitedMillis), String.valueOf(awaited));
        return text.getBytes(StandardCharsets.UTF_8).length < TEXT_BYTES_MAX ? text
                : new RankLocation(rank, state, start(call), start(communicator), number, start(line), waitedMillis,
                        awaited).text();
    }

    /** Names are the user's, who may have put anything into them. */
    private static String plain(String name) {
        return name.replaceAll("\\p{Cntrl}", " ");
    }

    private static String start(String name) {
        return name.length() < 2 ? "" : name.substring(0, name.length() / 2);
    }

    /**
     * Reads what {@link #text} has made.
     *
     * @param lines a line for each
     * @return those that make sense
     */
    public static List<RankLocation> parse(String lines) {
        return lines.lines().map(line -> line.split(SEPARATOR, -1)).filter(fields -> fields.length == FIELDS)
                .map(RankLocation::of).toList();
    }

    private static RankLocation of(String[] fields) {
        var state = Arrays.stream(State.values()).filter(each -> each.name().equals(fields[1])).findFirst();
        return new RankLocation(Integer.parseInt(fields[0]), state.orElse(State.JOINED), fields[2], fields[3],
                Long.parseLong(fields[4]), fields[5], Long.parseLong(fields[6]), Integer.parseInt(fields[7]));
    }
}
