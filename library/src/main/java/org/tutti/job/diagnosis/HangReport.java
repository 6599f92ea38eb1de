/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.tutti.memory.WaitingCall;

/**
 * Describes where the ranks of a job are when the job hangs. Ranks at the same point share a line. Ranks that are in no
 * call come first, because the others mostly wait for them. After them, lines of few ranks come before lines of many.
 */
public final class HangReport {
    private static final int SECONDS_MAX = 120;
    private static final int SECONDS_A_MINUTE = 60;

    private HangReport() {}

    /** The properties that ranks at the same point share. */
    private record Place(RankLocation.State state, String call, String communicator, long number, String line) {
        static Place of(RankLocation rank) {
            return new Place(rank.state(), rank.call(), rank.communicator(), rank.number(), rank.line());
        }

        String describe(List<RankLocation> ranks, Set<Integer> joined) {
            boolean one = ranks.size() == 1;
            var who = RankList.name(ranks.stream().mapToInt(RankLocation::rank).toArray());
            var where = line.isEmpty() ? "" : ", at " + line;
            return who + (call.isEmpty() ? verb(one) + where
                    : (one ? " is in " : " are in ") + call + ofCommunicator() + where
                            + waiting(ranks, joined));
        }

        private String verb(boolean one) {
            var has = one ? " has " : " have ";
            return switch (state) {
                case JOINED -> one ? " is in no call" : " are in no call";
                case SILENT -> one ? " does not answer" : " do not answer";
                case ABSENT -> has + "not joined the job";
                case FAILED -> has + "failed";
                case LEFT -> has + "left the job";
                case ENDED -> has + "ended";
            };
        }

        private String ofCommunicator() {
            return communicator.isEmpty() ? "" : (number == 0 ? " on " : ", call " + number + " on ") + communicator;
        }

        private String waiting(List<RankLocation> ranks, Set<Integer> joined) {
            long millis = ranks.stream().mapToLong(RankLocation::waitedMillis).max().orElse(0);
            int[] all = ranks.stream().mapToInt(RankLocation::awaited)
                    .filter(rank -> rank >= 0 && !(call.equals(RankLocation.JOIN) && joined.contains(rank))).distinct()
                    .toArray(); // ranks answer one after another, so an awaited rank may have joined meanwhile
            int[] others = Arrays.stream(all).filter(each -> ranks.stream().noneMatch(rank -> rank.rank() == each))
                    .toArray(); // a rank at the same point waits as well
            int[] awaited = others.length == 0 ? all : others;
            boolean any = ranks.stream().anyMatch(rank -> rank.awaited() == WaitingCall.ANYBODY);
            return (millis == 0 ? "" : ", for " + duration(millis))
                    + (any ? ", waiting for any rank"
                            : awaited.length == 0 ? "" : ", waiting for " + RankList.name(awaited));
        }
    }

    /**
     * {@return a sentence for each group of ranks at the same point}
     *
     * @param ranks the location of each rank
     */
    public static List<String> lines(Collection<RankLocation> ranks) {
        Map<Place, List<RankLocation>> places = ranks.stream().sorted(Comparator.comparingInt(RankLocation::rank))
                .collect(Collectors.groupingBy(Place::of, LinkedHashMap::new, Collectors.toList()));
        Set<Integer> joined = ranks.stream().filter(rank -> rank.state() == RankLocation.State.JOINED)
                .map(RankLocation::rank).collect(Collectors.toSet());
        return places.entrySet().stream()
                .sorted(Comparator.<Map.Entry<Place, List<RankLocation>>>comparingInt(entry -> order(entry.getKey()))
                        .thenComparingInt(entry -> entry.getValue().size()))
                .map(entry -> entry.getKey().describe(entry.getValue(), joined)).toList();
    }

    private static int order(Place place) {
        return place.call().isEmpty() ? place.state().ordinal() : RankLocation.State.values().length;
    }

    /**
     * {@return a duration as text for people, such as "31 s"}
     *
     * @param millis the duration in milliseconds
     */
    public static String duration(long millis) {
        long seconds = millis / 1000;
        return seconds == 0 ? millis + " ms"
                : seconds < SECONDS_MAX ? seconds + " s"
                        : seconds / SECONDS_A_MINUTE + " min";
    }
}
