/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.TransferProtocol;
import org.tutti.TuttiException;
import org.tutti.choice.Catalogue;
import org.tutti.choice.Suggestion;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.memory.Bytes;
import org.tutti.tool.Candidates;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.UsageException;
import org.tutti.tool.run.Launch;
import org.tutti.tool.run.PlacementOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code tutti bench}: checks its options and starts {@link BenchProgram} on the ranks. */
@Command(name = "bench", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Measures the collectives on this machine, remote memory, or messages, and checks the results "
                + "while doing so.",
        footer = {
                "",
                "Times are microseconds a call: the mean of the slowest rank in a repeat; of the repeats the median, "
                        + "the lowest and the highest. All elements are rewritten before each call; the time of "
                        + "rewriting is shown, and not part of the others. Let nothing else run.",
                "", "Examples:", "  tutti bench -n 2 --collective allreduce --bytes 8,64k",
                "  tutti bench -n 4 --nodes 2 --all-algorithms --collective broadcast --bytes 1m",
                "  tutti bench -n 2 --one-sided --operation put,get --bytes 8,64k", "  tutti bench -n 2 --messages",
                "  tutti bench -n 4 --all-algorithms --collective allreduce --html allreduce.html"})
public final class BenchCommand implements Callable<Integer> {
    /** The first line of the file that {@code --csv} writes. */
    public static final String CSV_COLUMNS = "contender,operation,layout,ranks,bytes,microseconds,low,high,calls,"
            + "rewriting";

    /** The first line of the file that {@code --csv} writes with {@code --percentiles}. */
    static final String PERCENTILES_CSV_COLUMNS = "contender,operation,layout,ranks,bytes,"
            + Stream.of(Percentile.values()).map(Percentile::column).collect(Collectors.joining(","))
            + ",calls,rewriting";

    private static final List<CallKind> BLOCKING = List.of(CallKind.BLOCKING);
    private static final int REPEATS_MAX = 1000;
    private static final long BYTES_MAX = 1L << 30;

    @Spec
    private CommandSpec spec;

    @Mixin
    private PlacementOptions where = new PlacementOptions();

    @Option(names = "--virtual", description = "Ranks are virtual threads of one process instead of processes.")
    private boolean virtual;

    @Mixin
    private CellOptions cells = new CellOptions();

    @Option(names = "--collective", split = ",", paramLabel = "collective",
            completionCandidates = CollectiveOperation.Labels.class,
            description = "The operations to measure, such as barrier,allreduce, or making a group of ranks and "
                    + "closing it: split, create, duplicate. Default: all collectives.")
    private List<String> collectives = new ArrayList<>();

    @Option(names = "--communicator", paramLabel = "communicator", defaultValue = "world",
            completionCandidates = CommunicatorKind.Labels.class,
            description = "The communicators to call on: world, the groups of ranks of each node (node), those of "
                    + "even and of odd ranks (interleaved), or world and a duplicate in turns (alternating). "
                    + "Default: world.")
    private String communicator;

    @Option(names = "--all-algorithms", description = "Measure every algorithm, not only the one that Tutti chooses.")
    private boolean allAlgorithms;

    @Option(names = "--algorithm", split = ",", paramLabel = "algorithm",
            completionCandidates = Candidates.Algorithms.class,
            description = "Measure these algorithms, where they exist, in addition to the one that Tutti chooses. A "
                    + "name with @flat, such as bruck@flat, runs the algorithm with each rank as a node of its own.")
    private List<String> algorithms = new ArrayList<>();

    @Option(names = "--call", split = ",", paramLabel = "call", defaultValue = "blocking",
            completionCandidates = CallKind.Labels.class,
            description = "How to call: blocking; with-blocks, the same with Blocks of one length; "
                    + "non-blocking, which starts a call and awaits it immediately; "
                    + "prepared, which runs what was prepared once, or prepared-started, which starts and awaits it; "
                    + "overlapped, which starts it, computes as long as a call takes, and then awaits it. "
                    + "Default: blocking.")
    private List<String> calls;

    @Option(names = "--repeats", paramLabel = "count", defaultValue = "7",
            description = "How often to repeat. Default: 7.")
    private int repeats;

    @Option(names = "--rounds", paramLabel = "count", defaultValue = "1",
            description = "How often to measure all cells, one after another, with this many repeats in each round. "
                    + "Default: 1.")
    private int rounds;

    @Option(names = "--percentiles",
            description = "Time each call by itself, for 1 s a repeat, and tell p50, p99 and p99.9 instead of means.")
    private boolean percentiles;

    @Option(names = "--segments", description = "Use memory that the ranks of a node share instead of Java arrays.")
    private boolean segments;

    @Option(names = "--protocol", paramLabel = "protocol", completionCandidates = Protocols.class,
            description = "With --one-sided, how data travel between nodes: zero-copy, streaming or pipelined. "
                    + "Default: as Tutti chooses.")
    private String protocol = "";

    @Option(names = "--csv", paramLabel = "file", description = "Write the figures to a file as well.")
    private Path csv;

    @Option(names = "--html", paramLabel = "file",
            description = "Write a page with ratios, charts and all figures, which a browser shows without a network.")
    private Path html;

    @Option(names = "--gates", hidden = true, paramLabel = "directory",
            description = "Wait there for each turn; for tutti compare.")
    private Path gates;

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        requireBetween("--repeats", repeats, 1, REPEATS_MAX);
        requireBetween("--rounds", rounds, 1, REPEATS_MAX);
        if (csv != null) {
            OutputFiles.requireWritable("--csv", csv);
        }
        if (html != null) {
            OutputFiles.requireWritable("--html", html);
            if (csv != null && Files.exists(csv) && !Files.isRegularFile(csv)) {
                throw new UsageException("--csv " + csv + " is not possible with --html, whose figures are read from "
                        + "that file; name a regular file, or leave it out");
            }
        }
        var kind = CommunicatorKind.ofLabel(communicator);
        var how = CallKind.ofLabels(calls);
        cells.check(collectives, List.of(kind), percentiles);
        if (percentiles && how.contains(CallKind.OVERLAPPED)) {
            throw new UsageException(
                    "--percentiles has no meaning with --call overlapped, whose figure is of calls and "
                            + "computing together; leave one out");
        }
        if (!protocol.isEmpty() && !cells.areOneSided()) {
            throw new UsageException("--protocol " + protocol + " has no meaning without --one-sided; give it as well");
        }
        var time = new MachineTime();
        int status = html == null || csv != null ? measure(kind, how) : measureWithPassingFile(kind, how);
        if (status == 0) {
            time.warning().ifPresent(System.err::println);
            if (gates == null) { // otherwise the program that gives the turns warns
                warningOfTry(repeats).ifPresent(System.err::println);
            }
        }
        return status;
    }

    /** Measures; the figures go to a temporary file for the page. */
    private int measureWithPassingFile(CommunicatorKind kind, List<CallKind> how)
            throws IOException, InterruptedException {
        csv = Files.createTempFile("tutti-bench", ".csv");
        csv.toFile().deleteOnExit(); // a signal may end this process
        try {
            return measure(kind, how);
        } finally {
            Files.delete(csv);
        }
    }

    private int measure(CommunicatorKind kind, List<CallKind> how) throws IOException, InterruptedException {
        if (html != null) {
            Files.write(csv, new byte[0]); // so that no figures of another run are read
        }
        int status = cells.option().isEmpty() ? measureCollectives(kind, how) : measureCells(how);
        if (status == 0 && html != null) {
            var figures = Files.readAllLines(csv);
            if (figures.size() < 2) {
                throw new TuttiException(
                        "--html " + html + " cannot be written, because rank 0 has written the figures "
                                + "on another host; run tutti bench there");
            }
            BenchPage.of(figures, spec.commandLine().getParseResult().originalArgs()).write("--html", html);
        }
        return status;
    }

    private int measureCollectives(CommunicatorKind kind, List<CallKind> how)
            throws IOException, InterruptedException {
        var operations = CollectiveOperation.ofLabels(collectives);
        operations.stream().filter(operation -> operation.makesGroups() && !how.equals(BLOCKING)).findFirst()
                .ifPresent(operation -> {
                    throw new UsageException("--call " + String.join(",", calls) + " is not possible with --collective "
                            + operation.label() + ", whose calls are blocking; leave one out");
                });
        var names = allAlgorithms ? List.of(BenchProgram.ALL) : checked(algorithms);
        checkFlat();
        var arguments = BenchProgram.arguments(virtual ? where.ranksOfOneProcess() : 0, rounds, repeats,
                names, absolute(csv), operations, cells.sizes(), segments,
                absolute(gates), kind, how, percentiles);
        warnOfOthers();
        return virtual ? Launch.runOwnAlone(BenchProgram.class, arguments)
                : Launch.runOwn(where, BenchProgram.class, arguments);
    }

    private void checkFlat() {
        boolean isOneNode = virtual || where.topology().nodes() == 1;
        algorithms.stream().filter(name -> name.endsWith(BenchProgram.FLAT) && isOneNode).findFirst()
                .ifPresent(name -> {
                    throw new UsageException("--algorithm " + name + " needs a network between processes; "
                            + (virtual ? "leave out --virtual, and " : "") + "give several nodes, as in --nodes 2");
                });
    }

    /** Measures one-sided operations, or messages. */
    private int measureCells(List<CallKind> how) throws IOException, InterruptedException {
        if (virtual || allAlgorithms || !algorithms.isEmpty() || rounds > 1 || !how.equals(BLOCKING)) {
            throw new UsageException(
                    "--call, --virtual, --algorithm, --all-algorithms and --rounds have no meaning with "
                            + cells.option() + "; leave them out");
        }
        if (cells.areMessages()) {
            return measureMessages();
        }
        var arguments = OneSidedProgram.arguments(cells.oneSidedCells(), repeats, absolute(csv), segments,
                protocolName(), absolute(gates), percentiles);
        warnOfOthers();
        return Launch.runOwn(where, OneSidedProgram.class, arguments);
    }

    private int measureMessages() throws IOException, InterruptedException {
        if (segments) {
            throw new UsageException("--segments has no meaning with --messages, which are of arrays; leave it out");
        }
        cells.requireTwoRanks(where.topology().size());
        var arguments = MessageProgram.arguments(cells.messageCells(), repeats, absolute(csv), absolute(gates),
                percentiles);
        warnOfOthers();
        return Launch.runOwn(where, MessageProgram.class, arguments);
    }

    /**
     * {@return a warning that figures of few repeats are no more than a try, if there are few}
     *
     * @param repeats the number of repeats
     */
    public static Optional<String> warningOfTry(int repeats) {
        return repeats >= MeasuredLoop.REPEATS_WARMED_UP ? Optional.empty()
                : Optional.of("tutti: with fewer than " + MeasuredLoop.REPEATS_WARMED_UP
                        + " repeats code is not compiled "
                        + "yet when it is measured, above all that of many ranks; take the figures for a try, or use "
                        + "--repeats " + MeasuredLoop.REPEATS_WARMED_UP + ".");
    }

    /**
     * Warns of other busy processes, except with gates: then other benchmarks are known to run, and wait for their
     * turns.
     */
    private void warnOfOthers() throws InterruptedException {
        if (gates == null) {
            MachineTime.warningOfOthers().ifPresent(System.err::println);
        }
    }

    /** The name of the chosen constant, or an empty text. */
    private String protocolName() {
        return protocol.isEmpty() ? protocol
                : Stream.of(TransferProtocol.values()).map(TransferProtocol::name)
                        .filter(name -> label(name).equals(protocol)).findFirst()
                        .orElseThrow(() -> new UsageException("--protocol " + protocol + " is not one of "
                                + String.join(", ", protocols())));
    }

    /** {@return the names of the protocols of one-sided operations on the command line} */
    public static List<String> protocols() {
        return Stream.of(TransferProtocol.values()).map(each -> label(each.name())).toList();
    }

    /** The protocols that a shell offers. */
    private static final class Protocols extends Candidates {
        Protocols() {
            super(BenchCommand::protocols);
        }
    }

    private static String label(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String absolute(Path path) {
        return path == null ? "" : path.toAbsolutePath().toString();
    }

    /**
     * Measures algorithms for another command.
     *
     * @param where the number of ranks, and their placement
     * @param collectives the collectives to measure
     * @param algorithms the names of their algorithms, in addition to those that Tutti chooses
     * @param sizes the sizes of messages in bytes
     * @param repeats the number of repeats
     * @param csv the file to write
     * @return the exit status of the ranks, 0 if they succeeded
     * @throws IOException if they cannot be started
     * @throws InterruptedException never, because nothing interrupts the launcher
     */
    public static int measure(PlacementOptions where, List<Collective> collectives, List<String> algorithms,
            List<Long> sizes, int repeats, Path csv) throws IOException, InterruptedException {
        return Launch.runOwn(where, BenchProgram.class, BenchProgram.arguments(0, 1, repeats, algorithms,
                csv.toAbsolutePath().toString(),
                CollectiveOperation.ofLabels(collectives.stream().map(Collective::label).toList()), sizes, false, "",
                CommunicatorKind.WORLD, BLOCKING, false));
    }

    /** Checks a number of the command line. */
    public static void requireBetween(String option, int count, int least, int most) {
        if (count < least || count > most) {
            throw new UsageException(
                    option + " " + count + " is not possible; give a number from " + least + " to " + most);
        }
    }

    private static List<String> checked(List<String> names) {
        for (String name : names) {
            if (Stream.of(Collective.values())
                    .noneMatch(collective -> Catalogue.search(collective, BenchProgram.inCatalogue(name))
                            .isPresent())) {
                throw new UsageException("--algorithm " + name
                        + " is no algorithm of any collective; tutti info --algorithms lists them, and which have "
                        + "chunks that can be chosen, as in srm@32k"
                        + Suggestion.of(name.substring(name.indexOf('=') + 1), // as in tutti run
                                Candidates.Algorithms.names()));
            }
        }
        return names;
    }

    /** {@return the number of bytes that a word such as 64k denotes} */
    public static long bytes(String text) {
        try {
            long bytes = Bytes.parse(text);
            if (bytes > 0 && bytes <= BYTES_MAX && bytes % Double.BYTES == 0) {
                return bytes;
            }
        } catch (NumberFormatException _) {
            // reported below, together with sizes out of range
        }
        throw new UsageException(
                "--bytes " + text + " is not possible; give multiples of 8 from 8 to 1024m, such as 8,1k,8m");
    }
}
