/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.tutti.tool.UsageException;
import org.tutti.tool.bench.OneSidedCell.Target;
import picocli.CommandLine.Option;

/** The options of {@code bench} and {@code compare} that choose one-sided operations to measure. */
public final class OneSidedOptions {
    @Option(names = "--one-sided", description = "Measure remote memory instead of collectives.")
    private boolean oneSided;

    @Option(names = "--operation", split = ",", paramLabel = "name",
            description = "With --one-sided, what to measure: put, get, accumulate, fetch-add, put-train, put-strided, "
                    + "get-strided, lock-unlock, lock, unlock, fence-each, fence-all, fence-each-everyone, "
                    + "fence-all-everyone. Default: all but fences.")
    private List<String> operations = new ArrayList<>();

    @Option(names = "--target", split = ",", paramLabel = "name",
            description = "With --one-sided, what the target does meanwhile: it is passive (the default), or computing "
                    + "for 300 ms at a time.")
    private List<String> targets = new ArrayList<>();

    @Option(names = "--cells", hidden = true, split = ",", paramLabel = "cell",
            description = "These cells and no others; for tutti compare.")
    private List<String> cells = new ArrayList<>();

    /** {@return whether one-sided operations are measured} */
    public boolean areChosen() {
        return oneSided;
    }

    /**
     * Checks the options that the user has combined.
     *
     * @param collectives the collectives that the user chose
     * @param kinds the communicators that the user chose
     * @param percentiles whether each call is to be timed
     */
    public void check(List<String> collectives, List<CommunicatorKind> kinds, boolean percentiles) {
        if (oneSided && !collectives.isEmpty()) {
            throw new UsageException("--collective " + String.join(",", collectives)
                    + " and --one-sided exclude each other; leave one out");
        }
        if (oneSided && !kinds.equals(List.of(CommunicatorKind.WORLD))) {
            throw new UsageException(
                    "--communicator has no meaning with --one-sided, which measures the world's memory; "
                            + "leave it out");
        }
        if (!oneSided && !(operations.isEmpty() && targets.isEmpty())) {
            throw new UsageException("--operation and --target have no meaning without --one-sided; give it as well");
        }
        if (percentiles && targets.contains("computing")) {
            throw new UsageException("--percentiles has no meaning with --target computing, whose turns end after "
                    + "300 ms, however few calls they had; leave one out");
        }
    }

    /** {@return the cells to measure} */
    public List<OneSidedCell> cells(List<Long> sizes) {
        if (!cells.isEmpty()) {
            return cells.stream().map(OneSidedCell::parse).toList();
        }
        List<OneSidedOperation> chosen = operations.isEmpty()
                ? Stream.of(OneSidedOperation.values()).filter(operation -> !operation.isFence()).toList()
                : operations.stream().map(OneSidedOperation::ofLabel).toList();
        List<Target> meanwhile =
                targets.isEmpty() ? List.of(Target.PASSIVE) : targets.stream().map(OneSidedOptions::target).toList();
        return OneSidedCell.of(chosen, meanwhile, sizes);
    }

    private static Target target(String name) {
        return Stream.of(Target.values()).filter(target -> target.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst().orElseThrow(() -> new UsageException(
                        "--target " + name + " is not possible; give passive, computing, or both"));
    }
}
