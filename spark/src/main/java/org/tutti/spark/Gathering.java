/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.RankFailedException;

/**
 * The ranks of one attempt of a stage, as the driver knows them. When all have come, each is told its place: processes
 * that can share memory are a node, and nodes are numbered by their lowest ranks.
 */
final class Gathering {
    private static final int STOP_TEXT_MAX = 1000;
    private static final int RECEIVE_MILLIS_MAX = 60_000;

    /** How many ranks a message names that have not come. */
    private static final int MISSING_NAMED_MAX = 8;

    /** How long the cause of a failure may take to come when Spark knows of the failure already. */
    private static final long CAUSE_MILLIS_MAX = 1000;

    /** A rank that has come. */
    private record Guest(Message.Hello hello, Conversation conversation) {}

    /**
     * Why a stage has failed.
     *
     * @param rank the rank that has the cause
     * @param text what it threw, that it was lost, or what another one threw because of it
     */
    record Cause(int rank, String text) {
        /** Short, as a rank that runs does not listen. */
        Message.Stop stop() {
            return new Message.Stop(rank, Message.cut(text, STOP_TEXT_MAX));
        }

        RankFailedException exception(Throwable stage) {
            return new RankFailedException(rank, text, stage);
        }
    }

    private final Guest[] guests;
    private final BitSet ended = new BitSet();
    private int came;
    private Cause thrown; // the first one
    private Cause lost; // the first one
    private Cause failed; // of any kind, even cancelled
    private final BitSet told = new BitSet(); // have said themselves that they ended otherwise than well
    private final BitSet missing = new BitSet(); // had not come when the first one threw
    private final List<Cause> blamed = new ArrayList<>(); // for what befell others
    private final Set<Integer> cancelled = new HashSet<>();

    Gathering(int ranks) {
        this.guests = new Guest[ranks];
    }

    /** Serves a rank until it has ended. */
    void serve(Message.Hello hello, Conversation conversation) throws IOException {
        Guest guest = new Guest(hello, conversation);
        Message.Stop failure = come(guest);
        Message.Ended end = null;
        try {
            if (failure != null) {
                tell(guest, failure);
            }
            while (end == null) {
                switch (conversation.receive(RECEIVE_MILLIS_MAX).orElse(null)) {
                    case Message.Rendezvous rendezvous -> tellOthers(hello.rank(), rendezvous);
                    case Message.Ended how -> end = how;
                    case null -> {
                        continue;
                    }
                    default -> throw new IOException("rank " + hello.rank() + " says what only the driver says");
                }
            }
        } finally {
            end(hello, end);
        }
    }

    /** Returns what the guest must know, if a rank has failed already. */
    private synchronized Message.Stop come(Guest guest) throws IOException {
        int rank = guest.hello.rank();
        if (rank < 0 || rank >= guests.length || guests[rank] != null) {
            throw new IOException("rank " + rank + " has come twice, or is none of " + guests.length);
        }
        guests[rank] = guest;
        came++;
        if (failed != null) {
            return failed.stop();
        }
        if (came == guests.length) {
            tellPlaces();
        }
        return null;
    }

    /** Nobody is told anything before, so no guest's buffer is full and nobody waits. */
    private void tellPlaces() {
        String job = "spark-" + UUID.randomUUID();
        Map<String, List<Integer>> nodes = new LinkedHashMap<>();
        Map<String, List<Integer>> processes = new HashMap<>();
        for (Guest guest : guests) {
            nodes.computeIfAbsent(guest.hello.memory(), _ -> new ArrayList<>()).add(guest.hello.rank());
            processes.computeIfAbsent(guest.hello.process(), _ -> new ArrayList<>()).add(guest.hello.rank());
        }
        List<String> numbers = List.copyOf(nodes.keySet());
        for (Guest guest : guests) {
            List<Integer> process = processes.get(guest.hello.process());
            tell(guest, new Message.Plan(job, numbers.indexOf(guest.hello.memory()), nodes.size(),
                    nodes.get(guest.hello.memory()).size(), process.getFirst(), process.size()));
        }
    }

    /** Nobody else waits while a guest takes its time to listen. */
    private void tellOthers(int rank, Message message) {
        for (Guest guest : others(rank)) {
            tell(guest, message);
        }
    }

    private synchronized List<Guest> others(int rank) {
        return Arrays.stream(guests).filter(Objects::nonNull)
                .filter(guest -> guest.hello.rank() != rank && !ended.get(guest.hello.rank())).toList();
    }

    /** Who cannot be told has gone, which whoever serves it sees. */
    private static void tell(Guest guest, Message message) {
        try {
            guest.conversation.send(message);
        } catch (IOException _) {
            return;
        }
    }

    private void end(Message.Hello hello, Message.Ended end) {
        for (Guest guest : note(hello, end)) {
            tell(guest, failed.stop());
        }
    }

    /** Returns who must be told because it is the first one to fail; who comes later is told then, and nobody twice. */
    private synchronized List<Guest> note(Message.Hello hello, Message.Ended end) {
        int rank = hello.rank();
        ended.set(rank);
        Cause cause = end == null
                ? new Cause(rank, "rank " + rank + " was lost: its task in " + hello.place()
                        + " has gone without a word, as when the executor is killed or its host is down")
                : new Cause(rank, "rank " + rank + " failed: " + end.text());
        if (end == null) {
            lost = lost == null ? cause : lost;
        } else {
            told.set(rank, end.how() != Message.How.WELL);
            switch (end.how()) {
                case THREW -> noteThrown(cause);
                case SECONDARY -> blamed.add(new Cause(end.culprit() < 0 ? rank : end.culprit(), cause.text()));
                case CANCELLED -> cancelled.add(rank);
                case WELL -> {
                }
            }
        }
        notifyAll();
        if (failed != null || end != null && end.how() == Message.How.WELL) {
            return List.of();
        }
        failed = cause;
        return others(rank);
    }

    private void noteThrown(Cause cause) {
        if (thrown == null) {
            thrown = cause;
            IntStream.range(0, guests.length).filter(rank -> guests[rank] == null).forEach(missing::set);
        }
    }

    /**
     * What a rank threw comes first, then that one was lost, then what Spark knows of tasks, then whom another one
     * blames, as when a host is down or a rank has left too early. Of those that were cancelled Spark says why.
     *
     * @param tasks what Spark knows
     */
    Optional<Cause> firstCause(StageTasks tasks) {
        List<StageTasks.Failure> known = tasks.failures();
        synchronized (this) {
            awaitCause();
            return Stream.<Optional<Cause>>of(
                    Optional.ofNullable(thrown).map(cause -> withMissing(cause, tasks)),
                    Optional.ofNullable(lost),
                    firstOf(known, told),
                    blamed.stream().filter(cause -> !cancelled.contains(cause.rank())).findFirst())
                    .flatMap(Optional::stream).findFirst();
        }
    }

    /** A lost executor comes before what was thrown because of it; what a rank has said itself is known better. */
    static Optional<Cause> firstOf(List<StageTasks.Failure> known, BitSet told) {
        return known.stream().filter(StageTasks.Failure::isLost).findFirst()
                .or(() -> known.stream().filter(failure -> !told.get(failure.cause().rank())).findFirst())
                .map(StageTasks.Failure::cause);
    }

    private Cause withMissing(Cause cause, StageTasks tasks) {
        if (missing.isEmpty()) {
            return cause;
        }
        String names = missing.stream().limit(MISSING_NAMED_MAX)
                .mapToObj(rank -> "rank " + rank + (tasks.place(rank).isEmpty() ? "" : " in " + tasks.place(rank)))
                .collect(Collectors.joining(", "));
        int more = missing.cardinality() - MISSING_NAMED_MAX;
        return new Cause(cause.rank(), cause.text() + "; those that did not come: " + names
                + (more > 0 ? " and " + more + " more" : ""));
    }

    private void awaitCause() {
        long deadlineNanos = System.nanoTime() + CAUSE_MILLIS_MAX * 1_000_000;
        try {
            for (long left = 1; thrown == null && ended.cardinality() < came && left > 0;) {
                wait(left);
                left = (deadlineNanos - System.nanoTime()) / 1_000_000;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
