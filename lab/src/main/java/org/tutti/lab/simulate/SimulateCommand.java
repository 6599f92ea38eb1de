/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.simulator.Chart;
import org.tutti.simulator.Model;
import org.tutti.simulator.Plan;
import org.tutti.simulator.Prediction;
import org.tutti.simulator.SimulationFailure;
import org.tutti.simulator.Sweep;
import org.tutti.tool.Candidates;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.FiguresPage;
import org.tutti.tool.bench.FiguresPage.Point;
import org.tutti.tool.page.Table;
import org.tutti.tool.run.Cores;
import org.tutti.tool.run.Launch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code tutti simulate}: predicts the time of a collective on a cluster, compares predictions with
 * measurements, or verifies all algorithms.
 */
@Command(name = "simulate", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Predicts what a collective costs on a cluster, or verifies the algorithms.", footer = {"",
                "A prediction runs the algorithm itself in virtual time, as a model of a cluster says what things "
                        + "cost. Verification runs every algorithm on small shapes in orders that a seed decides, "
                        + "and checks "
                        + "results and what is ordered before what. docs/simulator.md has more.",
                "", "Examples:", "  tutti simulate allreduce --nodes 64 --ranks-per-node 8 --bytes 8,64k,1m",
                "  tutti simulate allreduce --nodes 8 --bytes 8,1k,64k,1m --html allreduce.html",
                "  tutti simulate allreduce --verify --seeds 1"})
public final class SimulateCommand implements Callable<Integer> {
    private static final int STATUS_FAILED = 1;
    /** The name of the task of predicting. */
    static final String PREDICTING = "predicting";

    private static final int SEEDS_MAX = 1_000_000;
    private static final int PATH_LINES = 40;
    private static final String BY_FORMULA =
            "by the algorithm's formula, as it takes too many steps or messages to simulate";
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Pattern PART = Pattern.compile("(\\d{1,6})/(\\d{1,6})");

    @Spec
    private CommandSpec spec;

    @Mixin
    private Shape shape;

    @Option(names = "--model", paramLabel = "model|file", defaultValue = "gigabit",
            completionCandidates = Models.class,
            description = "A model of the costs: gigabit, rdma200, epyc128, qsnet2, colony, exemplar, redstorm, or a "
                    + "file. Default: gigabit; with --paper, the model of the paper's cluster.")
    private String model;

    @Option(names = "--chart", paramLabel = "file",
            description = "With several sizes or --paper, draw the predicted times into an SVG file.")
    private Path chart;

    @Option(names = "--html", paramLabel = "file",
            description = "With several sizes or algorithms, or --paper, write a page with ratios, charts and all "
                    + "figures, which a browser shows without a network.")
    private Path html;

    @Option(names = "--csv", paramLabel = "file", description = "With --paper, write the predicted times to a file.")
    private Path csv;

    @ArgGroup
    private Instead instead;

    /** Options for other tasks than a prediction. */
    private static final class Instead {
        @Option(names = "--measure-model", paramLabel = "file",
                description = "Measure a model of this machine, and write it to a file; takes seconds.")
        private Path measured;

        @Option(names = "--against", paramLabel = "file.csv",
                description = "Predict, by --model, every cell of a file that tutti bench --csv has written, and print "
                        + "both as a table.")
        private Path against;

        @Option(names = "--paper", paramLabel = "paper", completionCandidates = Papers.class,
                description = "Predict the experiments of a paper, beside its baselines: srm, cheng, portals or "
                        + "qian-afsahi. docs/papers.md has the results.")
        private String paper;

        @Option(names = "--verify",
                description = "Verify every algorithm on all small shapes, which takes 25 minutes of one core; or "
                        + "those of a collective that is named, or of --algorithm.")
        private boolean all;

        @Option(names = "--verify-sample", paramLabel = "seed",
                description = "Verify every algorithm with some of its calls on some shapes; takes a minute or so.")
        private Long sample;

        @Option(names = "--replay", paramLabel = "run", description = "Repeat a run that a verification has named.")
        private String replay;
    }

    /** The models that a shell offers, in addition to files. */
    static final class Models extends Candidates {
        Models() {
            super(() -> Model.READY_MADE);
        }
    }

    /** The papers that a shell offers. */
    private static final class Papers extends Candidates {
        Papers() {
            super(() -> Stream.of(Paper.values()).map(Paper::label).toList());
        }
    }

    @Option(names = "--part", paramLabel = "i/n",
            description = "With --verify, do the i-th of n pieces only, all of which take about as long.")
    private String part;

    @Option(names = "--seeds", paramLabel = "count", defaultValue = "3",
            description = "With --verify, how many orders to try, each with other combinations of roots, sizes and "
                    + "operators. Default: 3.")
    private int seeds;

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        if (instead == null) {
            requireNothingOf(List.of("--csv"));
            useCarriers(1);
            return predict();
        }
        requireNothingOf(List.of("--nodes", "--ranks-per-node", "--levels", "--bytes", "--root"));
        if (instead.paper == null) {
            requireNothingOf(List.of("--csv", "--chart", "--html"));
        }
        if (instead.against == null && instead.paper == null) {
            requireNothingOf(List.of("--model"));
        }
        if (!instead.all) {
            requireNothingOf(List.of("--algorithm", "--part", "--seeds"));
            if (spec.commandLine().getParseResult().hasMatchedPositional(0)) {
                throw new UsageException("a collective is for predictions and --verify; leave it out");
            }
        }
        if (instead.paper != null) {
            useCarriers(1);
            return predictPaper(Paper.of(instead.paper));
        }
        if (instead.measured != null) {
            return measure(instead.measured.toAbsolutePath());
        }
        if (instead.against != null) {
            useCarriers(1);
            System.out.print(new Comparison(Measurements.read("--against", instead.against), model(model)).markdown());
            return 0;
        }
        if (instead.replay != null) {
            return verify(List.of(plan(instead.replay)));
        }
        if (instead.sample != null) {
            return verify(Sweep.sample(instead.sample));
        }
        if (seeds < 1 || seeds > SEEDS_MAX) {
            throw new UsageException("--seeds " + seeds + " is not possible; give 1 to " + SEEDS_MAX);
        }
        return verify(piece(shape.isNamed() ? Sweep.of(shape.collective(), shape.algorithms(), seeds)
                : Sweep.all(seeds)));
    }

    private void requireNothingOf(List<String> options) {
        for (String option : options) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new UsageException(option + " means nothing here; leave it out, or see tutti simulate --help");
            }
        }
    }

    /**
     * Sets the number of carrier threads. Each simulation runs one rank at a time, so more carriers than simulations
     * would only make hand-overs cross cores.
     */
    static void useCarriers(int simulations) {
        System.setProperty("jdk.virtualThreadScheduler.parallelism", String.valueOf(simulations));
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", String.valueOf(simulations));
    }

    /** Measures in a JVM for ranks, because this JVM has only the quick compiler. */
    private static int measure(Path file) throws IOException, InterruptedException {
        OutputFiles.requireWritable("--measure-model", file);
        Cores.requireBinding("--measure-model");
        int status = Launch.runOwnAlone(MeasureProgram.class, List.of(file.toString()));
        if (status == 0) {
            model(file.toString());
        }
        return status;
    }

    static Model model(String name) {
        try {
            return Model.of(name);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--model " + name + ": " + e.getMessage());
        }
    }

    private static Plan plan(String text) {
        try {
            return Plan.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--replay: " + e.getMessage());
        }
    }

    // ---- verification

    /** Takes every n-th plan, so that neighbouring plans, which are similar, go to different pieces. */
    private List<Plan> piece(List<Plan> plans) {
        if (part == null) {
            return plans;
        }
        Matcher matcher = PART.matcher(part);
        int pieces = matcher.matches() ? Integer.parseInt(matcher.group(2)) : 0;
        int piece = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
        if (piece < 1 || piece > pieces) {
            throw new UsageException("--part " + part + " is not possible; give i/n with i from 1 to n, such as 1/8");
        }
        return IntStream.range(0, plans.size()).filter(index -> index % pieces == piece - 1).mapToObj(plans::get)
                .toList();
    }

    /**
     * Verifies on all cores, one run on each. Each run decides its own order, so the number of cores does not change
     * the findings. The runs are shuffled, because long and short ones stand together in the list, and the estimate of
     * the remaining time would be wrong.
     */
    private static int verify(List<Plan> listed) {
        List<Plan> plans = new ArrayList<>(listed);
        Collections.shuffle(plans, new Random(listed.size()));
        int cores = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, Math.max(1, plans.size()));
        useCarriers(cores);
        int failures = 0;
        long start = System.nanoTime();
        try (ExecutorService runs = Executors.newFixedThreadPool(cores);
                Progress progress = Progress.of("verifying", plans.size())) {
            List<Future<Optional<SimulationFailure>>> results = plans.stream().map(plan -> runs.submit(plan::verify))
                    .toList();
            for (Future<Optional<SimulationFailure>> result : results) {
                Optional<SimulationFailure> failure = result.get();
                if (failure.isPresent()) { // immediately, because many minutes may follow
                    Progress.above(() -> System.out.println(failure.get().getMessage() + "\n"));
                    failures++;
                }
                progress.step();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("a verification run has not ended", e);
        }
        System.out.printf(Locale.ROOT, "%d runs, %d of them not right, in %.0f s%n", plans.size(), failures,
                (System.nanoTime() - start) / NANOS_PER_SECOND);
        return failures == 0 ? 0 : STATUS_FAILED;
    }

    // ---- prediction

    /** The part of a prediction that a table shows; keeping the steps of all predictions would fill the memory. */
    private record Cell(double micros, boolean isByFormula) {
        static Cell of(Prediction prediction) {
            return new Cell(prediction.micros(), prediction.isByFormula());
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, isByFormula ? " %13.3f*" : " %14.3f", micros);
        }
    }

    private int predict() throws IOException {
        if (chart != null) {
            OutputFiles.requireWritable("--chart", chart);
        }
        requireWritablePage();
        Model costs = model(model);
        Topology topology = shape.topology(costs.levels());
        List<? extends Algorithm> algorithms = shape.algorithms();
        List<Long> sizes = shape.sizes();
        shape.root();
        if (algorithms.size() == 1 && sizes.size() == 1) {
            if (html != null) {
                throw new UsageException("--html " + html + " has no meaning with one algorithm and one size; give "
                        + "several sizes, as in --bytes 8,1k,64k, or leave out --algorithm");
            }
            describe(predictAlone(topology, algorithms.get(0), sizes.get(0), costs));
            return 0;
        }
        Cell[][] cells = new Cell[sizes.size()][algorithms.size()];
        try (Progress progress = Progress.of(PREDICTING, (long) sizes.size() * algorithms.size())) {
            for (int row = 0; row < sizes.size(); row++) {
                for (int column = 0; column < algorithms.size(); column++) {
                    cells[row][column] =
                            Cell.of(predict(topology, algorithms.get(column), sizes.get(row), costs));
                    progress.step();
                }
            }
        }
        List<String> names = algorithms.stream().map(algorithm -> algorithm.description().name()).toList();
        String title = shape.collective().label() + ", " + topology + ", model " + costs.name();
        printTable(title, names, sizes, cells);
        if (chart != null) {
            OutputFiles.write(chart, chart(title, names, sizes, cells));
        }
        if (html != null) {
            page(title, topology, sizes, costs, cells).write("--html", html);
        }
        return 0;
    }

    private void requireWritablePage() {
        if (html != null) {
            OutputFiles.requireWritable("--html", html);
        }
    }

    /** A page with the ratio of each algorithm to the algorithm that Tutti chooses for the same bytes. */
    private FiguresPage page(String title, Topology topology, List<Long> sizes, Model costs, Cell[][] cells) {
        List<? extends Algorithm> algorithms = shape.algorithms();
        String label = shape.collective().label();
        List<Point> points = new ArrayList<>();
        Table table = new Table("", List.of("bytes", "algorithm", "µs", "÷ chosen", "chosen", "by formula"));
        for (int row = 0; row < sizes.size(); row++) {
            long bytes = sizes.get(row);
            Algorithm chosen = Shape.chosen(shape.collective(), topology, bytes);
            String ofChosen = chosen.description().name();
            double divisor = predict(topology, chosen, bytes, costs).micros();
            for (int column = 0; column < algorithms.size(); column++) {
                String name = algorithms.get(column).description().name();
                Cell cell = cells[row][column];
                points.add(new Point(topology.toString(), label, bytes, name, cell.micros(),
                        OptionalDouble.of(cell.micros() / divisor)));
                table.row(bytes, name, cell.micros(), cell.micros() / divisor, name.equals(ofChosen) ? "yes" : "",
                        cell.isByFormula() ? "yes" : "");
            }
        }
        return new FiguresPage("tutti simulate: " + title, originalArguments(),
                "that of the algorithm that Tutti chooses", points, table,
                List.of("Times are predicted, in microseconds a call."));
    }

    private List<String> originalArguments() {
        return spec.commandLine().getParseResult().originalArgs();
    }

    private int predictPaper(Paper paper) throws IOException {
        if (csv == null && html == null) {
            throw new UsageException("--paper " + paper.label() + " needs --csv or --html for the predicted times");
        }
        if (csv != null) {
            OutputFiles.requireWritable("--csv", csv);
        }
        if (chart != null) {
            OutputFiles.requireWritable("--chart", chart);
        }
        requireWritablePage();
        boolean isOther = spec.commandLine().getParseResult().hasMatchedOption("--model");
        PaperFigures figures;
        try (Progress progress = Progress.of(PREDICTING, -1)) {
            figures = new PaperFigures(model(isOther ? model : paper.model()), progress::step);
            paper.predict(figures);
        }
        if (csv != null) {
            OutputFiles.write(csv, figures.csv());
        }
        if (chart != null) {
            OutputFiles.write(chart, figures.chart());
        }
        if (html != null) {
            figures.page("tutti simulate --paper " + paper.label(), originalArguments()).write("--html", html);
        }
        return 0;
    }

    private Prediction predictAlone(Topology topology, Algorithm algorithm, long bytes, Model costs) {
        try (Progress _ = Progress.of(PREDICTING, -1)) {
            return predict(topology, algorithm, bytes, costs);
        }
    }

    private Prediction predict(Topology topology, Algorithm algorithm, long bytes, Model costs) {
        try {
            return Prediction.of(algorithm, topology, bytes, shape.root(), costs);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static void describe(Prediction prediction) {
        System.out.println(prediction);
        if (prediction.isByFormula()) {
            System.out.println(BY_FORMULA);
            return;
        }
        System.out.printf(Locale.ROOT, "messages between nodes       %,d%n", prediction.messages());
        System.out.printf(Locale.ROOT, "bytes on the busiest rail    %,d%n", prediction.bytesPerRail());
        System.out.printf(Locale.ROOT, "shared memory of a node      %,d bytes%n", prediction.nodeBytes());
        System.out.printf(Locale.ROOT, "steps simulated              %,d%n%n", prediction.steps());
        List<String> path = prediction.criticalPath();
        System.out.printf("critical path, %d steps%n", path.size());
        path.stream().limit(PATH_LINES).forEach(System.out::println);
        if (path.size() > PATH_LINES) {
            System.out.printf("… and %d more%n", path.size() - PATH_LINES);
        }
    }

    private static String chart(String title, List<String> names, List<Long> sizes, Cell[][] cells) {
        List<Integer> rows = IntStream.range(0, sizes.size()).boxed().sorted(Comparator.comparing(sizes::get)).toList();
        Chart chart = new Chart();
        chart.add(title + ", µs over bytes", IntStream.range(0, names.size())
                .mapToObj(column -> new Chart.Line(names.get(column), false, rows.stream()
                        .map(row -> new Chart.Point(sizes.get(row), cells[row][column].micros())).toList()))
                .toList());
        return chart.svg();
    }

    private static void printTable(String title, List<String> names, List<Long> sizes, Cell[][] cells) {
        System.out.printf("%s; microseconds%n%n%12s", title, "bytes");
        names.forEach(name -> System.out.printf(" %14s", name));
        System.out.printf("   fastest%n");
        String before = null;
        List<String> crossovers = new ArrayList<>();
        for (int row = 0; row < sizes.size(); row++) {
            int best = 0;
            System.out.printf("%12d", sizes.get(row));
            for (int column = 0; column < names.size(); column++) {
                System.out.print(cells[row][column]);
                best = cells[row][column].micros() < cells[row][best].micros() ? column : best;
            }
            String fastest = names.get(best);
            System.out.printf("   %s%n", fastest);
            if (before != null && !before.equals(fastest)) {
                crossovers.add(fastest + " instead of " + before + " between " + sizes.get(row - 1) + " and "
                        + sizes.get(row) + " bytes");
            }
            before = fastest;
        }
        crossovers.forEach(crossover -> System.out.println("crossover: " + crossover));
        if (Arrays.stream(cells).flatMap(Arrays::stream).anyMatch(Cell::isByFormula)) {
            System.out.println("* " + BY_FORMULA);
        }
    }
}
