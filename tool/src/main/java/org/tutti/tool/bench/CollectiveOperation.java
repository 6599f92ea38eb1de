/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.choice.Suggestion;
import org.tutti.tool.Candidates;
import org.tutti.tool.UsageException;

/** The values of {@code --collective}: the collectives, and making a group of ranks and closing it. */
public enum CollectiveOperation {
    /** A barrier. */
    BARRIER(Collective.BARRIER),
    /** A broadcast from rank 0. */
    BROADCAST(Collective.BROADCAST),
    /** A sum at rank 0. */
    REDUCE(Collective.REDUCE),
    /** A sum at all ranks. */
    ALLREDUCE(Collective.ALLREDUCE),
    /** A gather to rank 0. */
    GATHER(Collective.GATHER),
    /** A scatter from rank 0. */
    SCATTER(Collective.SCATTER),
    /** An allgather. */
    ALLGATHER(Collective.ALLGATHER),
    /** An all-to-all. */
    ALL_TO_ALL(Collective.ALL_TO_ALL),
    /** A sum that leaves each rank with one block. */
    REDUCE_SCATTER(Collective.REDUCE_SCATTER),
    /** The sums up to each rank. */
    SCAN(Collective.SCAN),
    /** The sums before each rank. */
    EXCLUSIVE_SCAN(Collective.EXCLUSIVE_SCAN),
    /** Splits the ranks by colors into a group of the even ranks and one of the odd ranks. */
    SPLIT,
    /** Creates the same groups from lists of ranks: no rank meets the ranks of the other group. */
    CREATE,
    /** Makes a group of all ranks. */
    DUPLICATE;

    private final Optional<Collective> collective;

    CollectiveOperation() {
        this.collective = Optional.empty();
    }

    CollectiveOperation(Collective collective) {
        this.collective = Optional.of(collective);
    }

    /** The labels that a shell offers. */
    public static final class Labels extends Candidates {
        Labels() {
            super(CollectiveOperation::labels);
        }
    }

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the labels of all operations} */
    public static List<String> labels() {
        return Stream.of(values()).map(CollectiveOperation::label).toList();
    }

    /**
     * {@return the operations with these labels on the command line; without labels, all except those that make groups}
     */
    public static List<CollectiveOperation> ofLabels(List<String> labels) {
        return labels.isEmpty() ? Stream.of(values()).filter(operation -> !operation.makesGroups()).toList()
                : labels.stream().map(CollectiveOperation::ofLabel).toList();
    }

    private static CollectiveOperation ofLabel(String label) {
        return Stream.of(values()).filter(operation -> operation.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--collective " + label + " is not one of "
                        + String.join(", ", labels()) + Suggestion.of(label, labels())));
    }

    /** {@return the collective to call, unless the operation makes groups} */
    Optional<Collective> collective() {
        return collective;
    }

    /** {@return whether the operation makes a group} */
    public boolean makesGroups() {
        return collective.isEmpty();
    }

    /** {@return whether the operation can be called in this way; calls with blocks need a collective with blocks} */
    boolean canBeCalled(CallKind kind) {
        return kind != CallKind.WITH_BLOCKS || collective.filter(Collective::hasBlocks).isPresent();
    }

    /** {@return the sizes of messages in bytes, out of these, with which to measure the operation} */
    public List<Long> sizes(List<Long> wanted) {
        return hasElements() ? wanted : List.of(0L);
    }

    /** {@return whether the operation has a message} */
    public boolean hasElements() {
        return collective.filter(Collective::hasElements).isPresent();
    }
}
