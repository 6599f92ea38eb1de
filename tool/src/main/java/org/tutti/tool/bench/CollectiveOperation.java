/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.choice.Suggestion;
import org.tutti.tool.UsageException;

/** What {@code --collective} names: the collectives, and making a group of ranks and closing it. */
public enum CollectiveOperation {
    /** A barrier. */
    BARRIER(Collective.BARRIER),
    /** A broadcast of rank 0. */
    BROADCAST(Collective.BROADCAST),
    /** A sum that rank 0 gets. */
    REDUCE(Collective.REDUCE),
    /** A sum that all ranks get. */
    ALLREDUCE(Collective.ALLREDUCE),
    /** A gather to rank 0. */
    GATHER(Collective.GATHER),
    /** A scatter from rank 0. */
    SCATTER(Collective.SCATTER),
    /** An allgather. */
    ALLGATHER(Collective.ALLGATHER),
    /** An all-to-all. */
    ALL_TO_ALL(Collective.ALL_TO_ALL),
    /** A sum of which each rank gets a block. */
    REDUCE_SCATTER(Collective.REDUCE_SCATTER),
    /** The sums up to each rank. */
    SCAN(Collective.SCAN),
    /** The sums before each rank. */
    EXCLUSIVE_SCAN(Collective.EXCLUSIVE_SCAN),
    /** A group of the even ranks and one of the odd ranks, by their colors. */
    SPLIT,
    /** The same, by their lists: nobody meets the ranks of the other group. */
    CREATE,
    /** A group of all ranks. */
    DUPLICATE;

    private final Optional<Collective> collective;

    CollectiveOperation() {
        this.collective = Optional.empty();
    }

    CollectiveOperation(Collective collective) {
        this.collective = Optional.of(collective);
    }

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the labels of all} */
    public static List<String> labels() {
        return Stream.of(values()).map(CollectiveOperation::label).toList();
    }

    /** {@return the operations of labels of the command line; without any, all but those that make groups} */
    public static List<CollectiveOperation> ofLabels(List<String> labels) {
        return labels.isEmpty() ? Stream.of(values()).filter(operation -> !operation.makesGroups()).toList()
                : labels.stream().map(CollectiveOperation::ofLabel).toList();
    }

    private static CollectiveOperation ofLabel(String label) {
        return Stream.of(values()).filter(operation -> operation.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--collective " + label + " is not one of "
                        + String.join(", ", labels()) + Suggestion.of(label, labels())));
    }

    /** {@return the collective that is called, unless groups are made} */
    Optional<Collective> collective() {
        return collective;
    }

    /** {@return whether a group is made} */
    public boolean makesGroups() {
        return collective.isEmpty();
    }

    /** {@return whether it can be called like this; calls with blocks are for what has blocks} */
    boolean canBeCalled(CallKind kind) {
        return kind != CallKind.WITH_BLOCKS || collective.filter(Collective::hasBlocks).isPresent();
    }

    /** {@return which of these sizes of messages, in bytes, it is measured with} */
    public List<Long> sizes(List<Long> wanted) {
        return hasElements() ? wanted : List.of(0L);
    }

    /** {@return whether it has a message} */
    public boolean hasElements() {
        return collective.filter(Collective::hasElements).isPresent();
    }
}
