/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.tutti.tool.Candidates;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.OneSidedCell.Target;
import picocli.CommandLine.Option;

/** The options of {@code bench} and {@code compare} that choose operations to measure instead of collectives. */
public final class CellOptions {
    private static final List<String> SIZES = List.of("8", "64", "1k", "4k", "16k", "64k", "256k", "1m", "8m");

    @Option(names = "--one-sided", description = "Measure remote memory instead of collectives.")
    private boolean oneSided;

    @Option(names = "--messages", description = "Measure messages between the first rank and the last one instead of "
            + "collectives. Times are microseconds a message.")
    private boolean messages;

    @Option(names = "--operation", split = ",", paramLabel = "operation", completionCandidates = Operations.class,
            description = "With --one-sided, what to measure: put, get, accumulate, fetch-add, put-train, put-strided, "
                    + "get-strided, lock-unlock, lock, unlock, fence-each, fence-all, fence-each-everyone, "
                    + "fence-all-everyone. Default: all but fences. With --messages: latency, bandwidth of 64 "
                    + "messages in flight of 64k to 1m, message-rate of 64 in flight of 8 bytes. Default: all.")
    private List<String> operations = new ArrayList<>();

    @Option(names = "--target", split = ",", paramLabel = "target", completionCandidates = Targets.class,
            description = "With --one-sided, what the target does meanwhile: it is passive (the default), or computing "
                    + "for 300 ms at a time.")
    private List<String> targets = new ArrayList<>();

    @Option(names = "--cells", hidden = true, split = ",", paramLabel = "cell",
            description = "These cells and no others; for tutti compare.")
    private List<String> cells = new ArrayList<>();

    @Option(names = "--bytes", split = ",", paramLabel = "bytes",
            description = "Sizes of messages, multiples of 8, such as 8,1k,64k,8m. Default: 8 … 8m; with --messages "
                    + "8,1k,4k,64k,1m.")
    private List<String> sizes = new ArrayList<>();

    /** The operations that a shell offers. */
    private static final class Operations extends Candidates {
        Operations() {
            super(() -> Stream.concat(OneSidedOperation.labels().stream(), MessageOperation.labels().stream())
                    .toList());
        }
    }

    /** The targets that a shell offers. */
    private static final class Targets extends Candidates {
        Targets() {
            super(() -> Stream.of(Target.values()).map(CellOptions::label).toList());
        }
    }

    /** {@return whether one-sided operations are measured} */
    public boolean areOneSided() {
        return oneSided;
    }

    /** {@return whether messages are measured} */
    public boolean areMessages() {
        return messages;
    }

    /** {@return the option that replaces collectives; empty if collectives are measured} */
    public String option() {
        return oneSided ? "--one-sided" : messages ? "--messages" : "";
    }

    /**
     * Checks the options that the user has combined.
     *
     * @param collectives the collectives that the user chose
     * @param kinds the communicators that the user chose
     * @param percentiles whether each call is to be timed
     */
    public void check(List<String> collectives, List<CommunicatorKind> kinds, boolean percentiles) {
        if (oneSided && messages) {
            throw new UsageException("--messages and --one-sided exclude each other; leave one out");
        }
        if (!option().isEmpty() && !collectives.isEmpty()) {
            throw new UsageException("--collective " + String.join(",", collectives) + " and " + option()
                    + " exclude each other; leave one out");
        }
        if (!option().isEmpty() && !kinds.equals(List.of(CommunicatorKind.WORLD))) {
            throw new UsageException("--communicator has no meaning with " + option() + ", which calls on the world; "
                    + "leave it out");
        }
        if (option().isEmpty() && !operations.isEmpty()) {
            throw new UsageException("--operation " + String.join(",", operations)
                    + " has no meaning without --one-sided or --messages; give one of them as well");
        }
        if (!oneSided && !targets.isEmpty()) {
            throw new UsageException("--target " + String.join(",", targets)
                    + " has no meaning without --one-sided; give it as well");
        }
        if (percentiles && targets.contains("computing")) {
            throw new UsageException("--percentiles has no meaning with --target computing, whose turns end after "
                    + "300 ms, however few calls they had; leave one out");
        }
    }

    /**
     * Checks that there are two ranks for messages.
     *
     * @param ranks the number of ranks
     */
    public void requireTwoRanks(int ranks) {
        if (messages && ranks < 2) {
            throw new UsageException("--messages has no meaning with one rank, because messages are measured between "
                    + "two; give two ranks or more, as in -n 2");
        }
    }

    /** {@return the sizes of messages in bytes} */
    public List<Long> sizes() {
        return (!sizes.isEmpty() ? sizes : messages ? MessageOperation.SIZES : SIZES).stream()
                .map(BenchCommand::bytes).toList();
    }

    /** {@return the cells of one-sided operations to measure} */
    public List<OneSidedCell> oneSidedCells() {
        if (!cells.isEmpty()) {
            return cells.stream().map(OneSidedCell::parse).toList();
        }
        List<OneSidedOperation> chosen = operations.isEmpty()
                ? Stream.of(OneSidedOperation.values()).filter(operation -> !operation.isFence()).toList()
                : operations.stream().map(OneSidedOperation::ofLabel).toList();
        List<Target> meanwhile =
                targets.isEmpty() ? List.of(Target.PASSIVE) : targets.stream().map(CellOptions::target).toList();
        return OneSidedCell.of(chosen, meanwhile, sizes());
    }

    /** {@return the cells of messages to measure} */
    public List<MessageCell> messageCells() {
        if (!cells.isEmpty()) {
            return cells.stream().map(MessageCell::parse).toList();
        }
        var all = MessageCell.of(operations.isEmpty() ? List.of(MessageOperation.values())
                : operations.stream().map(MessageOperation::ofLabel).toList(), sizes());
        if (all.isEmpty()) {
            throw new UsageException("--operation " + String.join(",", operations) + " is not possible with --bytes "
                    + String.join(",", sizes) + ", because bandwidth has messages of 64k to 1m; give such sizes");
        }
        return all;
    }

    private static String label(Target target) {
        return target.name().toLowerCase(Locale.ROOT);
    }

    private static Target target(String name) {
        return Stream.of(Target.values()).filter(target -> label(target).equals(name))
                .findFirst().orElseThrow(() -> new UsageException(
                        "--target " + name + " is not possible; give passive, computing, or both"));
    }
}
