/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.calls;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.tutti.collective.calls.RecentCalls;
import org.tutti.collective.calls.RecentCalls.Entry;
import org.tutti.job.diagnosis.RankList;
import org.tutti.job.node.Node;
import org.tutti.tool.report.Units;

/**
 * The first difference between the last calls of the ranks of a job: which ranks are behind the others, in which call
 * of which communicator.
 *
 * <p>All ranks of a communicator number its operations in the same way, so ranks are compared by these numbers. A rank
 * is at its earliest call that has not ended, or else after its last call. This class speaks only of ranks whose calls
 * it knows. The ranks of the world are known; another communicator has the ranks that have called on it.
 *
 * <p>Calls that differ in the same operation come first. Otherwise, if the launcher knows which ranks are the cause of
 * the end, this class tells where they were. Otherwise it prefers a communicator on which ranks wait for one that is in
 * no call, because a rank that is in a call may itself wait for another rank.
 *
 * @param kind the kind of the difference
 * @param communicator the number of the communicator; 0 is the world
 * @param operation the number of the first operation of the call in which, or after which, the ranks are; 0 if they
 *            have made no call
 * @param ranks the ranks behind the others, the ranks that are the cause, or the ranks with the rarest of the
 *            calls that differ
 * @param sentence the difference as text
 */
public record FirstDifference(Kind kind, long communicator, long operation, List<Integer> ranks, String sentence) {
    private static final int GROUPS_MAX = 3;

    /** The kinds of differences. */
    public enum Kind {
        /** Ranks have made different calls as the same operation. */
        MISMATCH,
        /** The ranks are the cause of the end, by the account of the launcher. */
        CAUSE,
        /** The ranks are behind the others. */
        BEHIND,
        /** The ranks are behind the others by more calls than are kept. */
        FAR_BEHIND;

        /** {@return the word for programs} */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The place of a rank on a communicator; the call is null if the rank has made none. */
    private record Place(RankCalls calls, Entry call) implements Comparable<Place> {
        private static final Comparator<Place> ORDER = Comparator.comparingLong(Place::operation)
                .thenComparingInt(Place::stage);

        /** Orders ranks at the same place: a rank outside of any call comes first. */
        private static final Comparator<Place> IDLE_FIRST =
                ORDER.thenComparing(place -> place.calls().open().isPresent());

        long operation() {
            return call == null ? 0 : call.operation();
        }

        private int stage() {
            return call == null ? 0 : switch (call.state()) {
                case STARTED -> 0;
                case RUNNING, FAILED -> 1;
                case DONE -> 2;
            };
        }

        boolean isInCall() {
            return call != null && !RankCalls.hasEnded(call);
        }

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    /** The properties of a call that must be the same at all ranks. */
    private record Signature(org.tutti.Collective collective, int root, long bytes) {
        static Signature of(Entry call) {
            var collective = call.collective();
            return new Signature(collective, collective.hasRoot() ? call.root() : 0,
                    collective.hasBlocks() || !collective.hasElements() ? 0 : call.bytes());
        }
    }

    /**
     * Finds the first difference.
     *
     * @param ranks the ranks whose records are known; a rank whose last call is being written is left out
     * @param causes the ranks that are the cause of the end, by the account of the launcher; may be empty
     * @return the difference; empty if the calls show none
     */
    public static Optional<FirstDifference> find(List<RankCalls> ranks, Set<Integer> causes) {
        return ofKnown(ranks.stream().filter(RankCalls::hasLast).toList(), causes);
    }

    private static Optional<FirstDifference> ofKnown(List<RankCalls> ranks, Set<Integer> causes) {
        var communicators = ranks.stream().flatMap(rank -> rank.calls().stream()).map(Entry::communicator).distinct()
                .sorted(Long::compareUnsigned).toList();
        return communicators.stream().map(each -> mismatch(ranks, each)).flatMap(Optional::stream).findFirst()
                .or(() -> causes.isEmpty() ? behind(ranks, communicators) : cause(ranks, causes));
    }

    private static List<Place> places(List<RankCalls> ranks, long communicator) {
        List<Place> places = new ArrayList<>();
        for (var rank : ranks) {
            var call = rank.current(communicator);
            if (call.isPresent() || communicator == Node.WORLD && rank.isComplete()) {
                places.add(new Place(rank, call.orElse(null)));
            }
        }
        return places;
    }

    // ---- calls that differ

    private static Optional<FirstDifference> mismatch(List<RankCalls> ranks, long communicator) {
        Map<Long, Map<Integer, Entry>> operations = new TreeMap<>();
        ranks.forEach(rank -> rank.calls().stream().filter(call -> call.communicator() == communicator)
                .forEach(call -> operations.computeIfAbsent(call.operation(), _ -> new TreeMap<>())
                        .put(rank.rank(), call)));
        return operations.entrySet().stream()
                .filter(operation -> operation.getValue().values().stream().map(Signature::of).distinct().count() > 1)
                .findFirst().map(operation -> mismatch(communicator, operation.getKey(), operation.getValue()));
    }

    private static FirstDifference mismatch(long communicator, long operation, Map<Integer, Entry> calls) {
        var groups = groups(calls.keySet(), rank -> Signature.of(calls.get(rank)));
        groups.sort(Comparator.comparingInt(List::size));
        var parts = groups.stream().limit(GROUPS_MAX)
                .map(group -> name(group) + " made " + CallNames.exactCall(calls.get(group.getFirst()))).toList();
        return new FirstDifference(Kind.MISMATCH, communicator, operation, groups.getFirst(),
                "call " + Units.count(operation) + " of " + CallNames.communicator(communicator) + " differs: "
                        + joined(parts, groups.size() - parts.size()));
    }

    // ---- ranks that are the cause

    private static Optional<FirstDifference> cause(List<RankCalls> ranks, Set<Integer> causes) {
        return ranks.stream().filter(rank -> causes.contains(rank.rank())).findFirst().flatMap(first -> {
            long communicator = first.open()
                    .or(() -> first.calls().isEmpty() ? Optional.empty() : Optional.of(first.calls().getLast()))
                    .map(Entry::communicator).orElse(Node.WORLD);
            var places = places(ranks, communicator);
            return places.stream().filter(place -> causes.contains(place.calls().rank())).min(Place::compareTo)
                    .map(least -> difference(Kind.CAUSE, communicator, places, least, causes));
        });
    }

    // ---- ranks that are behind

    private record Candidate(int order, FirstDifference difference) {}

    private static Optional<FirstDifference> behind(List<RankCalls> ranks, List<Long> communicators) {
        return communicators.stream().map(each -> behind(places(ranks, each), each)).flatMap(Optional::stream)
                .min(Comparator.comparingInt(Candidate::order)).map(Candidate::difference);
    }

    private static Optional<Candidate> behind(List<Place> places, long communicator) {
        var least = places.stream().min(Place.IDLE_FIRST);
        if (least.isEmpty() || places.stream().allMatch(place -> place.compareTo(least.get()) == 0)) {
            return Optional.empty();
        }
        var last = places.stream().filter(place -> place.compareTo(least.get()) == 0).toList();
        var others = places.stream().filter(place -> place.compareTo(least.get()) > 0).toList();
        boolean isAwaited = others.stream().anyMatch(Place::isInCall);
        boolean isIdle = least.get().calls().open().isEmpty();
        boolean isFar = isFarBehind(last, others, communicator);
        return Optional.of(new Candidate(isAwaited ? isIdle ? 0 : 1 : 2,
                isFar ? farBehind(last, others, communicator)
                        : difference(Kind.BEHIND, communicator, places, least.get(), Set.of())));
    }

    /** Whether the calls that are kept do not overlap, and the counts of calls differ by more than are kept. */
    private static boolean isFarBehind(List<Place> last, List<Place> others, long communicator) {
        long operation = last.getFirst().operation();
        return others.stream()
                .allMatch(other -> other.calls().firstOperation(communicator).orElse(0) > operation)
                && least(others)
                        - last.stream().mapToLong(place -> place.calls().begun()).max().orElse(0) > RecentCalls.CALLS;
    }

    private static long least(List<Place> places) {
        return places.stream().mapToLong(place -> place.calls().begun()).min().orElse(0);
    }

    private static FirstDifference farBehind(List<Place> last, List<Place> others, long communicator) {
        var names = ranks(last);
        return new FirstDifference(Kind.FAR_BEHIND, communicator, last.getFirst().operation(), names,
                name(names) + (names.size() == 1 ? " is" : " are") + " more than " + RecentCalls.CALLS
                        + " calls behind: " + pronoun(names)
                        + (names.size() == 1 ? " has begun " : " have begun at most ")
                        + calls(last.stream().mapToLong(place -> place.calls().begun()).max().orElse(0)) + ", and "
                        + name(ranks(others))
                        + (others.size() == 1 ? " has begun " : " have begun at least ")
                        + calls(least(others)));
    }

    private static String calls(long count) {
        return Units.count(count) + (count == 1 ? " call" : " calls");
    }

    // ---- text

    /** Describes some of the ranks at a place, and where the others are. */
    private static FirstDifference difference(Kind kind, long communicator, List<Place> places, Place subject,
            Set<Integer> causes) {
        Function<Place, String> key = place -> phrase(place, communicator, true, true);
        var named = places.stream().filter(place -> key.apply(place).equals(key.apply(subject))).toList();
        var others = places.stream().filter(place -> !named.contains(place)).toList();
        boolean isBehind = places.stream().allMatch(place -> place.compareTo(subject) >= 0)
                && places.stream().anyMatch(place -> place.compareTo(subject) > 0);
        var names = ranks(named);
        boolean one = names.size() == 1;
        var head = name(names) + (isBehind ? (one ? " is" : " are") + " behind: " + pronoun(names) : "") + " "
                + phrase(subject, communicator, one, true);
        var groups = groups(others, key);
        groups.sort(Comparator.comparing((List<Place> group) -> group.size()).reversed());
        var parts = groups.stream().limit(GROUPS_MAX).map(group -> name(ranks(group)) + " "
                + phrase(group.getFirst(), communicator, group.size() == 1, subject.call() == null)).toList();
        return new FirstDifference(kind, communicator, subject.operation(),
                names.stream().filter(rank -> causes.isEmpty() || causes.contains(rank)).toList(),
                parts.isEmpty() ? head
                        : head + (groups.size() == 1 ? ", and " : "; ") + joined(parts, groups.size() - parts.size()));
    }

    /** Tells where a rank is, such as "is in call 3 of the world, a barrier". */
    private static String phrase(Place place, long communicator, boolean one, boolean withCommunicator) {
        var elsewhere = place.isInCall() ? Optional.<Entry>empty() : place.calls().open();
        var call = elsewhere.orElse(place.call());
        if (call == null) {
            return (one ? "has" : "have") + " made no call";
        }
        var verb = switch (call.state()) {
            case RUNNING, FAILED -> one ? "is in" : "are in";
            case STARTED -> one ? "has started" : "have started";
            case DONE -> one ? "has ended" : "have ended";
        };
        return verb + " call " + Units.count(call.operation())
                + (withCommunicator || call.communicator() != communicator
                        ? " of " + CallNames.communicator(call.communicator())
                        : "")
                + ", " + CallNames.call(call);
    }

    private static String joined(List<String> parts, int more) {
        if (more > 0) {
            return String.join(", ", parts) + ", and others are elsewhere";
        }
        return parts.size() == 1 ? parts.getFirst()
                : String.join(", ", parts.subList(0, parts.size() - 1)) + ", and " + parts.getLast();
    }

    private static <T> List<List<T>> groups(Collection<T> all, Function<T, ?> key) {
        return new ArrayList<>(
                all.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList())).values());
    }

    private static List<Integer> ranks(List<Place> places) {
        return places.stream().map(place -> place.calls().rank()).toList();
    }

    private static String name(List<Integer> ranks) {
        return RankList.name(ranks.stream().mapToInt(Integer::intValue).toArray());
    }

    private static String pronoun(List<Integer> ranks) {
        return ranks.size() == 1 ? "it" : "they";
    }
}
