/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Choice;
import org.tutti.choice.Links;
import org.tutti.choice.Rule;

/** Says which calls take time that a program could save, and how. Each piece of advice is one sentence. */
final class Advice {
    private static final double SHARE_MIN = 0.05;
    private static final double SHARE_OF_WAITING_MIN = 0.2;
    private static final double LATER_THAN_OTHERS = 2; // with two ranks, one of them always has half of the lateness
    private static final double SHARE_OF_PAUSES_MIN = 0.03;
    private static final double SHARE_OF_CALLS_MIN = 0.25;
    private static final int PAUSES_MIN = 10; // a JVM collects a few times while it starts
    private static final long STREAK_BYTES_MAX = 4 << 10;
    private static final long STREAK_CALLS_MIN = 100;
    private static final int SITES_MAX = 3;
    private static final Set<String> WORLD = Set.of("world", "the world");

    private final Analysis analysis;
    private final List<String> sentences = new ArrayList<>();

    private Advice(Analysis analysis) {
        this.analysis = analysis;
    }

    /** {@return the advice that follows from an analysis, the most important first} */
    static List<String> of(Analysis analysis) {
        Advice advice = new Advice(analysis);
        advice.nameTheLateRank();
        advice.combineCalls();
        advice.useAnotherAlgorithm();
        advice.avoidPauses();
        if (advice.sentences.isEmpty()) {
            advice.sentences.add("Nothing stands out: no rank is late as a rule, and no calls could be combined.");
        }
        return advice.sentences;
    }

    private void nameTheLateRank() {
        Optional<RankTimes> latest = analysis.ranks().stream().max(Comparator.comparingLong(RankTimes::awaitedNanos));
        long awaited = analysis.ranks().stream().mapToLong(RankTimes::awaitedNanos).sum();
        long waiting = analysis.ranks().stream().mapToLong(RankTimes::waiting).sum();
        if (latest.isPresent() && latest.get().awaitedNanos() >= SHARE_MIN * timeOfOthers(latest.get())) {
            RankTimes rank = latest.get();
            boolean isAlone = isMoreAwaitedThanOthers(rank) && rank.last() >= SHARE_OF_CALLS_MIN * rank.joint();
            sentences.add("Rank " + rank.rank().rank() + " was the last to begin " + Units.count(rank.last()) + " of "
                    + Units.count(rank.joint()) + " joint calls, " + Units.time(rank.lateNanos())
                    + " late in the median, and the others waited " + Units.percent(rank.awaitedNanos(),
                            timeOfOthers(rank))
                    + " of their time for it: " + (isAlone ? "give it less work, or see what slows it down there."
                            : "see whether ranks share cores, or its work changes from call to call."));
        } else if (Math.max(awaited, waiting) >= SHARE_OF_WAITING_MIN * analysis.nanos()) {
            sentences.add("The ranks waited " + Units.percent(Math.max(awaited, waiting), analysis.nanos())
                    + " of their time, and no rank was late in most joint calls: see in the tables which calls waited, "
                    + "whether ranks share cores, or begin calls earlier as non-blocking ones.");
        }
    }

    private boolean isMoreAwaitedThanOthers(RankTimes rank) {
        return analysis.ranks().stream().filter(other -> other.rank().rank() != rank.rank().rank())
                .allMatch(other -> rank.awaitedNanos() >= LATER_THAN_OTHERS * other.awaitedNanos());
    }

    private long timeOfOthers(RankTimes rank) {
        return analysis.nanos() - rank.nanos();
    }

    private void combineCalls() {
        analysis.sites().stream().filter(site -> site.most() <= STREAK_BYTES_MAX && site.most() > 0
                && site.streaks() >= STREAK_CALLS_MIN && site.streaks() >= site.calls() / 2
                && site.nanos() >= SHARE_MIN * analysis.nanos()).limit(SITES_MAX)
                .forEach(site -> sentences.add(Units.count(site.streaks()) + " calls of " + name(site)
                        + " directly follow another one like them, and all of these calls take "
                        + Units.percent(site.nanos(), analysis.nanos()) + " of the time: "
                        + (site.site().kind() == Kind.COLLECTIVE ? "combine their elements into one call."
                                : "combine them into longer messages.")));
    }

    /** Names calls that run another algorithm than the one that the rules choose, for fast links and for slow ones. */
    private void useAnotherAlgorithm() {
        topology().ifPresent(topology -> analysis.sites().stream()
                .filter(site -> site.site().kind() == Kind.COLLECTIVE && WORLD.contains(site.site().communicator())
                        && site.nanos() - site.waiting() >= SHARE_MIN * analysis.nanos())
                .limit(SITES_MAX).forEach(site -> chosen(site, topology).ifPresent(chosen -> sentences.add(
                        "The calls of " + name(site) + " run algorithm " + site.site().algorithm() + ", which was "
                                + "requested, and Tutti would choose " + chosen + ": leave the request out, or compare "
                                + "them with tutti explain " + site.site().name() + " --bytes " + site.most()
                                + " --measure."))));
    }

    /** {@return the algorithm that the rules choose, if they never choose the one that ran} */
    private static Optional<String> chosen(SiteTimes site, Topology topology) {
        Optional<Collective> collective = Arrays.stream(Collective.values())
                .filter(each -> each.label().equals(site.site().name())).findFirst();
        List<String> chosen = collective.stream().flatMap(each -> Stream.of(Links.FAST, Links.SLOW)
                .flatMap(links -> Stream.of(site.least(), site.most())
                        .flatMap(bytes -> Stream.of(true, false).flatMap(commutes -> Choice.DEFAULT.over(links)
                                .rule(each, topology, bytes, commutes).stream()))))
                .map(Rule::algorithm).map(algorithm -> algorithm.description().name()).toList();
        boolean isNamed = !site.site().algorithm().isEmpty();
        return isNamed && !chosen.contains(site.site().algorithm()) ? chosen.stream().findFirst() : Optional.empty();
    }

    private Optional<Topology> topology() {
        List<RecordedRank> ranks = analysis.recording().ranks();
        if (ranks.size() < 2 || ranks.size() < analysis.recording().size()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Topology(ranks.stream().mapToInt(RecordedRank::node).toArray()));
        } catch (IllegalArgumentException _) {
            return Optional.empty(); // the recordings do not tell the node of each rank
        }
    }

    private void avoidPauses() {
        List<Pauses> pauses = analysis.recording().pauses();
        analysis.ranks().stream().max(Comparator.comparingLong(rank -> pauses.get(rank.rank().clock()).nanos()))
                .ifPresent(rank -> {
                    Pauses most = pauses.get(rank.rank().clock());
                    if (most.count() >= PAUSES_MIN && most.nanos() >= SHARE_OF_PAUSES_MIN * rank.nanos()) {
                        sentences.add("The garbage collector stopped the process of rank " + rank.rank().rank() + " "
                                + Units.count(most.count()) + " times, for " + Units.percent(most.nanos(), rank.nanos())
                                + " of the time: give its heap more by -J-Xmx, or make fewer objects.");
                    }
                });
    }

    private static String name(SiteTimes site) {
        String where = site.caller().isEmpty() ? "" : " in " + site.caller();
        return site.site().name() + " of " + ReportText.lengths(site) + where;
    }
}
