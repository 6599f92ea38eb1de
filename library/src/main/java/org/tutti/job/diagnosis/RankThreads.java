/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.tutti.job.node.Node;
import org.tutti.memory.CallSite;
import org.tutti.memory.WaitingCall;
import org.tutti.memory.Waits;

/**
 * Records the threads on which the ranks of a process run, and finds out from their stacks where each rank is. A rank's
 * location is normally that of its own thread. If that thread is in no call, and another thread of the program is in a
 * call of the rank, the location is that of the other thread.
 */
public final class RankThreads {
    /**
     * The methods that wait for a call that the program has started or prepared before. The line of the program that
     * calls such a method need not name the call.
     */
    private static final Set<String> OF_OTHER_CALLS = Set.of("await", "awaitAll", "awaitAny", "awaitSome", "run");

    private final Node node;
    private final Map<Integer, Thread> threads = new ConcurrentHashMap<>();

    /**
     * Creates a record without threads.
     *
     * @param node the state that the ranks of the node share
     */
    public RankThreads(Node node) {
        this.node = node;
    }

    /** Records that this thread runs a rank's program. */
    public void add(int rank) {
        threads.put(rank, Thread.currentThread());
    }

    /** Returns the number of ranks with programs in this process. */
    int size() {
        return threads.size();
    }

    /** Finds out where each rank is, and returns a line of text for each rank. */
    public String text() {
        return look().stream().map(each -> each.text() + '\n').collect(Collectors.joining());
    }

    /** Finds out where each rank is. */
    List<RankLocation> look() {
        var waiting = Waits.all().entrySet().stream()
                .collect(Collectors.groupingBy(entry -> rank(entry.getValue())));
        return threads.entrySet().stream().sorted(Map.Entry.comparingByKey())
                .map(entry -> look(entry.getKey(), entry.getValue(),
                        waiting.getOrDefault(entry.getKey(), List.of())))
                .toList();
    }

    /**
     * Returns the rank that a wait belongs to, or {@link WaitingCall#UNKNOWN} if it belongs to another job in this
     * process.
     */
    private int rank(Waits.Wait wait) {
        var call = wait.call().get();
        return call == null || call.job() != node ? WaitingCall.UNKNOWN : call.rank();
    }

    private RankLocation look(int rank, Thread own, List<Map.Entry<Thread, Waits.Wait>> waiting) {
        var state = RankLocation.State.of(node.state(rank));
        var main = CallSite.of(own);
        if (main.isEmpty() || main.get().isInCall()) {
            return describe(rank, state, main, Waits.of(own).or(() -> ofRequest(main, waiting)));
        }
        for (var other : waiting) {
            var site = CallSite.of(other.getKey()).filter(CallSite::isInCall);
            if (site.isPresent()) {
                return describe(rank, state, site, Optional.of(other.getValue()));
            }
        }
        return describe(rank, state, main, Optional.empty());
    }

    /**
     * Returns the wait of a rank's request, if the rank's thread awaits requests. A thread that awaits any of several
     * requests has no wait of its own.
     */
    private static Optional<Waits.Wait> ofRequest(Optional<CallSite> main,
            List<Map.Entry<Thread, Waits.Wait>> waiting) {
        return main.filter(site -> OF_OTHER_CALLS.contains(site.call()))
                .flatMap(_ -> waiting.stream().findFirst().map(Map.Entry::getValue));
    }

    private static RankLocation describe(int rank, RankLocation.State state, Optional<CallSite> site,
            Optional<Waits.Wait> wait) {
        var name = site.map(CallSite::call).orElse("");
        var line = site.map(CallSite::line).orElse("");
        long millis = wait.map(begun -> (System.nanoTime() - begun.sinceNanos()) / 1_000_000).orElse(0L);
        var call = name.isEmpty() ? null : wait.map(begun -> begun.call().get()).orElse(null);
        if (call == null) {
            return new RankLocation(rank, state, name, "", 0, line, name.isEmpty() ? 0 : millis, WaitingCall.UNKNOWN);
        }
        return new RankLocation(rank, state, name(name, call.name()), call.communicator(), call.number(), line, millis,
                call.awaited(), call.algorithm(), call.bytes());
    }

    /**
     * Returns a name for the call that the program is in. If this is one of {@link #OF_OTHER_CALLS}, the name of the
     * call that waits follows. If the call that waits has the same name with details, the details are kept.
     */
    private static String name(String called, String waiting) {
        return OF_OTHER_CALLS.contains(called) ? called + " of " + waiting
                : waiting.startsWith(called + " (") ? waiting : called;
    }
}
