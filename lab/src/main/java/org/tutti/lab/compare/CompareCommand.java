/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.tutti.choice.Choice;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.lab.compare.Invocation.ContenderException;
import org.tutti.tool.Candidates;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.BenchCommand;
import org.tutti.tool.bench.CellOptions;
import org.tutti.tool.bench.CollectiveOperation;
import org.tutti.tool.bench.CommunicatorKind;
import org.tutti.tool.run.Cleanup;
import org.tutti.tool.run.DurationConverter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code tutti compare}: runs the same loops in Tutti and in each installed peer, in turns. */
@Command(name = "compare", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Measures Tutti beside the MPI implementations that are installed: collectives, remote "
                + "memory, or messages.",
        footer = {"",
                "The contenders take turns of some 0.1 s, or of 1 s with --percentiles, cell by cell; the median of "
                        + "all counts. Let nothing else run but what --busy starts. "
                        + "docs/lab/README.md says what the figures mean.",
                "", "Examples:", "  tutti compare -n 2,4 --collective barrier,allreduce --bytes 8,64k",
                "  tutti compare --nodes 2x2 --chart figures.svg",
                "  tutti compare -n 2,4,8 --html figures.html", "  tutti compare -n 2 --nodes 2x1 --messages",
                "  tutti compare -n 2 --collective barrier --percentiles --busy 1"})
public final class CompareCommand implements Callable<Integer> {
    private static final int COUNT_MAX = 1000;
    private static final int STATUS_INCOMPLETE = 1;
    private static final Pattern RAIL = Pattern.compile("rail[0-3]");

    @Option(names = {"-n", "--ranks"}, split = ",", paramLabel = "ranks",
            description = "Ranks on one node, such as 2,4,8. Default: 2, unless there are --nodes.")
    private List<String> ranks = new ArrayList<>();

    @Option(names = "--nodes", split = ",", paramLabel = "nodes x ranks",
            description = "Several nodes as network namespaces (root), with this many ranks on each, such as 2x1,4x2.")
    private List<String> nodes = new ArrayList<>();

    @Option(names = "--cluster", paramLabel = "name",
            description = "Use the hosts of this cluster of bench/cluster; one is made and removed otherwise.")
    private String cluster;

    @Option(names = "--rails", split = ",", paramLabel = "interface",
            description = "Interfaces of the hosts that all contenders use, such as rail0,rail1. Default: rail0.")
    private List<String> rails = List.of("rail0");

    @Option(names = "--rate", paramLabel = "rate",
            description = "Rate of each link of the cluster that is made, such as 1gbit.")
    private String rate;

    @Option(names = "--collective", split = ",", paramLabel = "collective",
            completionCandidates = CollectiveOperation.Labels.class,
            description = "The operations to measure, such as barrier,allreduce, or making a group of ranks and "
                    + "closing it: split, create, duplicate. Default: all collectives.")
    private List<String> collectives = new ArrayList<>();

    @Option(names = "--communicator", split = ",", paramLabel = "communicator",
            completionCandidates = CommunicatorKind.Labels.class,
            description = "The communicators to call on: world, the groups of ranks of each node (node), those of "
                    + "even and of odd ranks (interleaved), or world and a duplicate in turns (alternating). "
                    + "Default: world.")
    private List<String> communicators = List.of("world");

    @Mixin
    private CellOptions cells = new CellOptions();

    @Option(names = "--algorithm", split = ",", paramLabel = "algorithm",
            completionCandidates = Candidates.Algorithms.class,
            description = "Let Tutti take part with each of these algorithms, too; every measured collective must "
                    + "have them.")
    private List<String> algorithms = new ArrayList<>();

    @Option(names = "--repeats", paramLabel = "count", defaultValue = "9",
            description = "How many turns each contender has for a cell in a round. Default: 9.")
    private int repeats;

    @Option(names = "--rounds", paramLabel = "count", defaultValue = "2",
            description = "How often to measure everything, with processes started anew. Default: 2.")
    private int rounds;

    @Option(names = "--percentiles",
            description = "Time each call by itself, in turns of 1 s, and tell p50, p99 and p99.9 instead of means.")
    private boolean percentiles;

    @Option(names = "--busy", paramLabel = "count", defaultValue = "0",
            description = "Measure beside this many processes that each keep a core busy. Default: 0.")
    private int busy;

    @Option(names = "--contenders", split = ",", paramLabel = "contender", completionCandidates = Contenders.class,
            description = "The contenders: tutti, virtual, single-rail, segments, openmpi, mpich; flat, in which "
                    + "each rank is a node, also with each --algorithm; without groups and --percentiles also "
                    + "mpjexpress, openmpi-java; with --one-sided tutti, segments, zero-copy, streaming, pipelined, "
                    + "single-rail, openmpi, mpich, raw; with --messages tutti, single-rail, openmpi, mpich. "
                    + "Default: all except flat.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--mpi-jar", paramLabel = "file.jar",
            description = "The classes of Open MPI's Java bindings, for openmpi-java, which is left out without them.")
    private Path mpiJar;

    @Option(names = "--timeout", paramLabel = "duration", converter = DurationConverter.class, defaultValue = "1m",
            description = "How long a turn may take before the contender is ended. Default: 1m.")
    private Duration timeout;

    @Option(names = "--csv", paramLabel = "file", description = "Write the figures to a file.")
    private Path csv;

    @Option(names = "--chart", paramLabel = "file.svg", description = "Draw the figures.")
    private Path chart;

    @Option(names = "--html", paramLabel = "file",
            description = "Write a page with ratios, charts and all figures, which a browser shows without a network.")
    private Path html;

    @Spec
    private CommandSpec spec;

    /** The contenders that a shell offers. */
    private static final class Contenders extends Candidates {
        Contenders() {
            super(() -> Stream.of(TuttiContenders.NAMES, TuttiContenders.ONE_SIDED_NAMES, PeerPrograms.NAMES,
                    PeerPrograms.ONE_SIDED_NAMES).flatMap(List::stream).distinct().toList());
        }
    }

    private final ComparedFigures results = new ComparedFigures();
    private Optional<NamespaceCluster> shaped = Optional.empty();
    private Optional<Progress> bar = Optional.empty();
    private boolean complete = true;

    /** {@return the status to exit with: 1 if a contender has failed} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        var kinds = communicators.stream().map(CommunicatorKind::ofLabel).toList();
        var layouts = layouts(kinds);
        var loop = loop(kinds);
        layouts.forEach(layout -> cells.requireTwoRanks(layout.ranks()));
        var wire = Optional.ofNullable(rate).map(each -> LinkRate.ofRate(each).times(rails.size()));
        var onlyInC = onlyInC(loop, kinds);
        requireFiles(onlyInC);
        var peers = installedPeers(onlyInC);
        var time = new MachineTime();
        try (var cleanup = new Cleanup()) {
            var place = Place.open(Optional.ofNullable(cluster), rails);
            cleanup.add(place::close);
            var contenders = contenders(place, peers, loop);
            int hosts = layouts.stream().mapToInt(Layout::nodes).max().orElseThrow();
            if (hosts > 1 && cluster == null) {
                var made = cleanup.add(new NamespaceCluster(place, hosts, railsOfHosts(), Optional.ofNullable(rate)));
                shaped = rate == null ? Optional.empty() : Optional.of(made);
            }
            long cellTurns = (long) rounds * loop.cells().size() * (repeats + 1);
            try (var progress = Progress.isTerminal() ? Progress.of("comparing", layouts.size() * cellTurns) : null) {
                this.bar = Optional.ofNullable(progress);
                for (var layout : layouts) {
                    measure(layout, contenders, loop, place, cleanup);
                }
            }
        }
        var report = new Report(results, wire, busy);
        report.print(System.out);
        if (csv != null) {
            report.writeCsv(csv);
        }
        if (chart != null) {
            report.writeChart(chart);
        }
        if (html != null) {
            report.page(spec.commandLine().getParseResult().originalArgs()).write("--html", html);
        }
        time.warning().ifPresent(System.err::println);
        BenchCommand.warningOfTry(repeats).ifPresent(System.err::println);
        return complete ? 0 : STATUS_INCOMPLETE;
    }

    /** {@return the requested feature that only the peers' programs in C have, if any is requested} */
    private Optional<String> onlyInC(Loop loop, List<CommunicatorKind> kinds) {
        boolean withGroups = loop.makesGroups() || !kinds.equals(List.of(CommunicatorKind.WORLD));
        return cells.areMessages() ? Optional.of("messages")
                : withGroups ? Optional.of("groups") : percentiles ? Optional.of("percentiles") : Optional.empty();
    }

    private List<Layout> layouts(List<CommunicatorKind> kinds) {
        var onOne = ranks.isEmpty() && nodes.isEmpty() ? List.of("2") : ranks;
        var layouts = Stream.concat(onOne.stream().map(Layout::ofRanks), nodes.stream().map(Layout::parse))
                .flatMap(layout -> kinds.stream().map(layout::on)).distinct().toList();
        boolean several = layouts.stream().anyMatch(layout -> layout.nodes() > 1);
        if (rate != null && (!several || cluster != null)) {
            throw new UsageException("--rate " + rate + " has no meaning without --nodes, or with --cluster, whose "
                    + "links are as they were made; leave it out");
        }
        if (rate != null && kinds.stream().anyMatch(CommunicatorKind::divides)) {
            throw new UsageException("--rate " + rate + " has no meaning with --communicator "
                    + String.join(",", communicators)
                    + ", as a limit is known for calls of all ranks only; leave it out");
        }
        if (rate != null && percentiles) {
            throw new UsageException("--rate " + rate + " is not possible with --percentiles, as a limit is known for "
                    + "the mean of calls only; leave one out");
        }
        if (!rails.stream().allMatch(RAIL.asMatchPredicate()) || Set.copyOf(rails).size() < rails.size()) {
            throw new UsageException("--rails " + String.join(",", rails)
                    + " is not possible; name some of rail0, rail1, rail2 and rail3, each once");
        }
        if (!rails.equals(List.of("rail0")) && !several) {
            throw new UsageException("--rails " + String.join(",", rails)
                    + " has no meaning without --nodes; leave it out");
        }
        if (cluster != null && !cluster.matches("[a-z0-9]{1,8}")) {
            throw new UsageException("--cluster '" + cluster + "' is no name; give 1 to 8 small letters and digits");
        }
        return layouts;
    }

    /** {@return how many rails a host needs to have all named ones} */
    private int railsOfHosts() {
        return 1 + rails.stream().mapToInt(rail -> rail.charAt(rail.length() - 1) - '0').max().orElseThrow();
    }

    private Loop loop(List<CommunicatorKind> kinds) {
        BenchCommand.requireBetween("--repeats", repeats, 1, COUNT_MAX);
        BenchCommand.requireBetween("--rounds", rounds, 1, COUNT_MAX);
        BenchCommand.requireBetween("--busy", busy, 0, BusyProcesses.COUNT_MAX);
        cells.check(collectives, kinds, percentiles);
        if (!cells.option().isEmpty() && !algorithms.isEmpty()) {
            throw new UsageException("--algorithm " + String.join(",", algorithms) + " has no meaning with "
                    + cells.option() + "; leave it out");
        }
        if (cells.areOneSided()) {
            return new OneSidedCells(cells.oneSidedCells(), repeats, percentiles);
        }
        if (cells.areMessages()) {
            return new MessageCells(cells.messageCells(), repeats, percentiles);
        }
        var loop = new CollectiveLoop(CollectiveOperation.ofLabels(collectives), cells.sizes(), repeats, percentiles);
        for (var algorithm : algorithms) {
            try {
                Choice.parse(TuttiContenders.choice(loop, algorithm));
            } catch (IllegalArgumentException e) {
                throw new UsageException("--algorithm " + algorithm + " is not possible: " + e.getMessage());
            }
        }
        return loop;
    }

    private void requireFiles(Optional<String> onlyInC) {
        if (mpiJar != null && (!Files.isRegularFile(mpiJar) || cells.areOneSided() || onlyInC.isPresent())) {
            throw new UsageException("--mpi-jar " + mpiJar + (cells.areOneSided() ? " has no meaning with --one-sided"
                    : onlyInC.map(what -> " has no meaning with " + what + "; leave it out")
                            .orElse(" is no file; name the mpi.jar of Open MPI")));
        }
        if (csv != null) {
            OutputFiles.requireWritable("--csv", csv);
        }
        if (chart != null) {
            if (!chart.toString().endsWith(".svg")) {
                throw new UsageException("--chart " + chart + " is not possible; name a file that ends with .svg");
            }
            OutputFiles.requireWritable("--chart", chart);
        }
        if (html != null) {
            OutputFiles.requireWritable("--html", html);
        }
    }

    /** The peers that take part; prints the names of those that are missing. */
    private List<String> installedPeers(Optional<String> onlyInC) {
        var own = cells.areOneSided() ? TuttiContenders.ONE_SIDED_NAMES
                : cells.areMessages() ? TuttiContenders.MESSAGE_NAMES : TuttiContenders.NAMES;
        var peers = cells.areOneSided() ? PeerPrograms.ONE_SIDED_NAMES
                : onlyInC.isPresent() ? PeerPrograms.C_NAMES : PeerPrograms.NAMES;
        var all = Stream.concat(own.stream(), peers.stream()).toList();
        for (var name : names) {
            if (!all.contains(name)) {
                throw new UsageException("--contenders " + name + " is not one of " + String.join(", ", all)
                        + (cells.areOneSided() ? ", which have one-sided operations"
                                : onlyInC.map(what -> ", which have " + what).orElse("")));
            }
        }
        names = names.isEmpty() ? all.stream().filter(name -> mpiJar != null || !name.equals(PeerPrograms.OPENMPI_JAVA))
                .filter(name -> !name.equals(TuttiContenders.FLAT)).toList() : names;
        var asked = names.stream().filter(peers::contains).toList();
        var installed = asked.stream().filter(peer -> PeerPrograms.isInstalled(peer, mpiJar)).toList();
        for (var peer : asked) {
            if (!installed.contains(peer)) {
                System.err.println(
                        "tutti: " + peer + " is not installed and is left out; " + PeerPrograms.installLine(peer));
            }
        }
        if (installed.isEmpty() && !asked.isEmpty()) {
            throw new UsageException("no peer to compare with was found; install one, or measure Tutti alone with "
                    + "--contenders tutti");
        }
        return installed;
    }

    private List<Contender> contenders(Place place, List<String> installed, Loop loop)
            throws IOException, InterruptedException {
        var contenders = new ArrayList<>(new TuttiContenders(place, algorithms).contenders(names, loop));
        var peers = new PeerPrograms(place, mpiJar);
        for (var peer : installed) {
            contenders.addAll(peers.contenders(peer, loop));
        }
        return contenders;
    }

    /** Starts the contenders anew in each round, and gives them their turns, cell by cell. */
    private void measure(Layout layout, List<Contender> contenders, Loop loop, Place place, Cleanup cleanup)
            throws IOException, InterruptedException {
        var left = new ArrayList<>(contenders.stream().filter(contender -> contender.suits().test(layout))
                .filter(contender -> !loop.from(contender.leastBytes()).cells().isEmpty()).toList());
        try (var others = cleanup.add(new BusyProcesses(busy))) {
            measureBeside(others, layout, left, loop, place, cleanup);
        }
    }

    private void measureBeside(BusyProcesses others, Layout layout, List<Contender> left, Loop loop, Place place,
            Cleanup cleanup) throws IOException, InterruptedException {
        for (int round = 1; round <= rounds && !left.isEmpty(); round++) {
            var started = new HashMap<Contender, Invocation>();
            for (var cell : loop.cells()) {
                if (left.isEmpty()) {
                    break;
                }
                tellStep("%s, round %d of %d: %s".formatted(layout, round, rounds, cell));
                alternate(others, layout, cell, left, started,
                        contender -> cleanup.add(new Invocation(contender, layout,
                                loop.from(contender.leastBytes()), place, timeout)));
            }
            for (var contender : List.copyOf(left)) {
                try (var invocation = started.get(contender)) {
                    invocation.end();
                } catch (ContenderException e) {
                    left.remove(contender);
                    tell(layout, e);
                }
            }
        }
    }

    /** Starts a contender. */
    @FunctionalInterface
    private interface Start {
        Invocation start(Contender contender) throws IOException, InterruptedException;
    }

    /**
     * Gives the contenders their turns in a cell. Each contender starts when its first turn comes, because starting
     * takes cores from the contender that has its turn. A contender that fails is reported once, and measured no more
     * in this layout.
     */
    private void alternate(BusyProcesses others, Layout layout, Cell cell, List<Contender> left,
            Map<Contender, Invocation> started,
            Start start) throws IOException, InterruptedException {
        for (int turn = 0; turn <= repeats; turn++) {
            bar.ifPresent(Progress::step);
            for (var contender : List.copyOf(left)) {
                if (cell.bytes() < contender.leastBytes()) {
                    continue;
                }
                if (!started.containsKey(contender)) {
                    started.put(contender, start.start(contender));
                }
                var invocation = started.get(contender);
                try {
                    boolean counts = turn > 0; // the first turn warms up
                    var before = counts ? traffic(layout) : Optional.<Traffic>empty();
                    var figures = invocation.turn(cell);
                    others.requireAlive();
                    if (counts) {
                        figures.forEach(figure -> results.add(layout, contender, figure));
                    }
                    long calls = figures.getFirst().calls();
                    if (before.isPresent() && calls > 0) {
                        results.count(layout, contender, cell,
                                (double) traffic(layout).orElseThrow().busiestSince(before.get()) / calls);
                    }
                } catch (ContenderException e) {
                    invocation.close();
                    left.remove(contender);
                    tell(layout, e);
                }
            }
        }
    }

    private Optional<Traffic> traffic(Layout layout) throws IOException {
        return shaped.isPresent() && layout.nodes() > 1 ? Optional.of(shaped.get().traffic()) : Optional.empty();
    }

    /** Tells which cell comes next, in the bar, or in a line where there is none. */
    private void tellStep(String step) {
        bar.ifPresentOrElse(shown -> shown.begin(step), () -> System.err.println("tutti: " + step));
    }

    private void tell(Layout layout, ContenderException failure) {
        if (Cleanup.isEnding()) {
            return; // the user has ended the comparison
        }
        Progress.above(() -> System.err.println("tutti: " + layout + ": " + failure.getMessage()));
        results.fail(layout, failure.getMessage().lines().findFirst().orElseThrow().replaceFirst("[:.]$", ""));
        complete = false;
    }
}
