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
 * Gathers the ranks of one attempt of a stage at Spark's driver. When all ranks have connected, the driver tells each
 * rank its node and process. Processes that can share memory form a node. Nodes are numbered in the order of their
 * lowest ranks. The driver then waits for the end of each rank, and records which one has failed first.
 */
final class Gathering {
    private static final int STOP_TEXT_MAX = 1000;
    private static final int RECEIVE_MILLIS_MAX = 60_000;

    /** The greatest number of missing ranks that a message names. */
    private static final int MISSING_NAMED_MAX = 8;

    /** The longest wait for the cause of a failure that Spark already knows. */
    private static final long CAUSE_MILLIS_MAX = 1000;

    /** A rank that has come. */
    private record Guest(Message.Hello hello, Conversation conversation) {}

    /**
     * The cause of a stage's failure.
     *
     * @param rank the rank that failed first
     * @param text the rank's exception, a note that the rank was lost, or the exception of another rank that names this
     *            rank
     */
    record Cause(int rank, String text) {
        /**
         * Returns the message that tells other ranks of this cause. It is short, because ranks read no messages while
         * they run, so it must fit into the buffers of their connections.
         */
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
    private Cause thrown; // the first exception of a rank
    private Cause lost; // the first lost rank
    private Cause failed; // the first of any kind, even cancelled
    private final BitSet told = new BitSet(); // ranks that have reported a failure or a cancellation
    private final BitSet missing = new BitSet(); // ranks that had not come when the first one threw
    private final List<Cause> blamed = new ArrayList<>(); // causes that other ranks have named
    private final Set<Integer> cancelled = new HashSet<>();

    Gathering(int ranks) {
        this.guests = new Guest[ranks];
    }

    /** Handles the messages of a rank until the rank has ended or is lost. */
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

    /**
     * Adds a guest, which is a rank that has come. Returns the message that the guest must get if a rank has already
     * failed, or null.
     */
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

    /**
     * Tells each guest, a rank that is connected, its node and process. No message was sent to a guest before, so no
     * guest's buffer is full, and this method does not wait.
     */
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

    /**
     * Sends a message to all other guests, the ranks that are connected. It holds no lock meanwhile, so that a guest
     * that is slow to read holds up no other thread.
     */
    private void tellOthers(int rank, Message message) {
        for (Guest guest : others(rank)) {
            tell(guest, message);
        }
    }

    private synchronized List<Guest> others(int rank) {
        return Arrays.stream(guests).filter(Objects::nonNull)
                .filter(guest -> guest.hello.rank() != rank && !ended.get(guest.hello.rank())).toList();
    }

    /** Sends a message to a guest. If that fails, the guest has gone, and the thread that serves it notices. */
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

    /**
     * Records how a rank has ended. If it is the first rank to fail, returns the connected ranks, which must be told of
     * the failure. A rank that connects later is told when it does. No rank is told twice.
     */
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
     * Returns the first cause of the stage's failure, if there is one. A rank that has reported an exception has
     * precedence over a rank that was lost. After these comes a failed task from Spark's events. The last choice is a
     * rank that another rank names as the cause, for example because its host is down or it has left too early.
     * Cancelled ranks do not count, because Spark reports the reason.
     *
     * @param tasks Spark's events of the tasks
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

    /**
     * Returns the first cause among the failed tasks in Spark's events. A lost executor comes before the exceptions
     * that it caused. The exception of a task does not count if the task's rank has itself reported a failure, because
     * the report says more.
     */
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
