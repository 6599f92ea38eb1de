/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.calls;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import org.tutti.collective.calls.RecentCalls;
import org.tutti.collective.calls.RecentCalls.Entry;
import org.tutti.collective.calls.RecentCalls.State;

/**
 * The last calls of a rank.
 *
 * @param rank the rank
 * @param begun the number of calls that the rank has begun
 * @param calls the last calls, at most {@value RecentCalls#CALLS}, in ascending order of their numbers
 */
public record RankCalls(int rank, long begun, List<Entry> calls) {
    /** {@return whether the calls include all calls that the rank has begun} */
    boolean isComplete() {
        return begun == calls.size();
    }

    /** {@return whether the calls include the last call that the rank has begun, if it has begun any} */
    boolean hasLast() {
        return calls.isEmpty() ? begun == 0 : calls.getLast().number() == begun;
    }

    /** {@return the calls on a communicator} */
    private List<Entry> on(long communicator) {
        return calls.stream().filter(call -> call.communicator() == communicator).toList();
    }

    /** {@return the earliest known operation of the rank on a communicator} */
    OptionalLong firstOperation(long communicator) {
        return on(communicator).stream().mapToLong(Entry::operation).min();
    }

    /** {@return the earliest call on a communicator that has not ended; if all have ended, the last one} */
    Optional<Entry> current(long communicator) {
        var there = on(communicator);
        return there.stream().filter(call -> isOpen(call, there.getLast()))
                .min(Comparator.comparingLong(Entry::operation))
                .or(() -> there.stream().max(Comparator.comparingLong(Entry::operation)));
    }

    /** {@return the last call of all communicators that has not ended} */
    Optional<Entry> open() {
        return calls.stream().filter(call -> isOpen(call, calls.getLast())).reduce((_, last) -> last);
    }

    /** Returns whether the rank is in a call. A call that has failed counts unless the rank has made another one. */
    private static boolean isOpen(Entry call, Entry last) {
        return switch (call.state()) {
            case STARTED, RUNNING -> true;
            case FAILED -> call.equals(last);
            case DONE -> false;
        };
    }

    /** {@return whether a call is past, so that the rank is no longer in it} */
    static boolean hasEnded(Entry call) {
        return call.state() == State.DONE;
    }
}
