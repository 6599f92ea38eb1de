/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Finds the receive of each send. Messages from one rank to another one with the same communicator and tag are received
 * in the order in which they are sent.
 */
final class Messages {
    /** The messages that a receive may match. */
    private record Lane(int from, int to, int communicator, long tag) {}

    /**
     * A message.
     *
     * @param send the call that sends it
     * @param receive the call that receives it
     * @param isCertain whether all messages that these calls may be mistaken for are known, too. Otherwise a call is
     *            missing, because a rank was killed, a recording was full, or a call has failed
     */
    record Pair(int send, int receive, boolean isCertain) {}

    private Messages() {}

    /** {@return the messages of which both ends are recorded, up to the first pair of calls that do not fit} */
    static List<Pair> pairs(JobRecording recording) {
        Calls calls = recording.calls();
        Map<Lane, List<Integer>> sends = lanes(recording, Kind.SEND, call -> new Lane(calls.rank(call),
                calls.peer(call), calls.communicator(call), calls.number(call)));
        Map<Lane, List<Integer>> receives = lanes(recording, Kind.RECEIVE, call -> new Lane(calls.peer(call),
                calls.rank(call), calls.communicator(call), calls.number(call)));
        List<Pair> pairs = new ArrayList<>();
        sends.forEach((lane, sent) -> {
            List<Integer> received = receives.getOrDefault(lane, List.of());
            int count = 0;
            while (count < Math.min(sent.size(), received.size())
                    && calls.bytes(sent.get(count)) == calls.bytes(received.get(count))) {
                count++;
            }
            boolean isCertain = count == sent.size() && count == received.size();
            for (int i = 0; i < count; i++) {
                pairs.add(new Pair(sent.get(i), received.get(i), isCertain));
            }
        });
        return pairs;
    }

    private static Map<Lane, List<Integer>> lanes(JobRecording recording, Kind kind, IntFunction<Lane> laneOf) {
        Map<Lane, List<Integer>> lanes = new HashMap<>();
        for (int call = 0; call < recording.calls().size(); call++) {
            if (recording.siteOf(call).kind() == kind) {
                lanes.computeIfAbsent(laneOf.apply(call), _ -> new ArrayList<>()).add(call);
            }
        }
        lanes.values().forEach(lane -> lane.sort(Comparator.comparingLong(recording.calls()::begin)));
        return lanes;
    }
}
