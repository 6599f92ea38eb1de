/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.tutti.choice.Links;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.tool.Candidates;
import org.tutti.tool.UsageException;
import org.tutti.tool.metrics.MetricsTarget;
import org.tutti.tool.recording.RecordingFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code tutti run}: reads and checks the command line. */
@Command(name = "run", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Starts a program as a job: the same program once for every rank, on this host or others.",
        footer = {
                "", "Standard input goes to rank 0. The job ends as soon as a rank fails; its status is that of the "
                        + "first failure, 1 for an exception, 2 for a wrong command line, 124 after --timeout, "
                        + "128 + n after signal n. docs/exit-statuses.md has all statuses.",
                "", "Examples:", "  tutti run -n 4 Program.java", "  tutti run -n 8 --nodes 2 -J-Xmx1g -cp classes "
                        + "some.Main argument",
                "  tutti run --hosts a:4,b:4 program.jar"})
public final class RunCommand implements Callable<Integer> {
    private static final String OWN_VARIABLES = "TUTTI_";
    private static final Path NO_REPORT = Path.of("none");
    private static final Duration PATIENCE_MIN = Duration.ofSeconds(1);
    private static final Duration PATIENCE_MAX = Duration.ofDays(1);

    @Mixin
    private PlacementOptions where = new PlacementOptions();

    @Option(names = "--heartbeat", paramLabel = "duration", converter = DurationConverter.class, defaultValue = "10s",
            description = "How long a host may be silent before its ranks count as failed, 1s or more. Default: 10s.")
    private Duration heartbeat;

    @Option(names = "--standstill", paramLabel = "duration", converter = DurationConverter.class, defaultValue = "5m",
            description = "How long a process may stand still, in a garbage collection or a debugger, before its ranks "
                    + "count as failed, 1s or more. Default: 5m.")
    private Duration standstill;

    @Option(names = "--keep-going",
            description = "When a rank fails, report it and leave the others running; the status is that of the first.")
    private boolean keepGoing;

    @Option(names = "--ranks-per-process", paramLabel = "k", defaultValue = "1",
            description = "Ranks that share a process (and its statics), each on a thread of its own. Default: 1.")
    private int ranksPerProcess;

    @Option(names = "--bind", description = "Keep each process to its share of the cores (Linux, with taskset).")
    private boolean bind;

    @Option(names = "--timeout", paramLabel = "duration", converter = DurationConverter.class,
            description = "End the job with status 124 when it takes longer than this: 500ms, 90s, 1.5m, 2h.")
    private Duration timeout;

    @Option(names = "--hang-report", paramLabel = "duration", converter = DurationConverter.class,
            description = "Say where all ranks are when a rank has waited for another one in a call for this long, "
                    + "1s or more. Ctrl-\\ and tutti status ask for that at any time.")
    private Duration hangReport;

    @Option(names = "--join-timeout", paramLabel = "duration", converter = DurationConverter.class,
            defaultValue = "60s", description = "How much later than the first a rank may join the job. Default: 60s.")
    private Duration joinTimeout;

    @Option(names = "--tag-output", description = "Begin each line of output with the number of its rank.")
    private boolean tagOutput;

    @Option(names = "--output-directory", paramLabel = "directory",
            description = "Write the output of rank N to files rank-N.out and rank-N.err there.")
    private Path outputDirectory;

    @Option(names = "--record", paramLabel = "directory",
            description = "Record the calls of each process to a file there, which tutti report and JDK Mission "
                    + "Control read.")
    private Path recordDirectory;

    @Option(names = "--metrics", paramLabel = "port|file",
            description = "Publish the figures of the job in the text format of Prometheus: at "
                    + "http://127.0.0.1:port/metrics (0: a free port), at another address:port, or in a file whose "
                    + "name has a slash or ends in .prom.")
    private String metrics;

    @Option(names = "--report", paramLabel = "directory", defaultValue = "",
            description = "The directory for tutti-JOB.report.json, which has the last calls of each rank if the job "
                    + "does not end well; none for no report. Default: the current directory.")
    private Path reportDirectory;

    @Option(names = "--call-sites",
            description = "Let each call keep its line of the program for that report, which takes some microseconds.")
    private boolean callSites;

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "Set an environment variable for the ranks.")
    private List<String> variables = new ArrayList<>();

    @Mixin
    private AlgorithmOptions algorithms = new AlgorithmOptions();

    @Option(names = "--levels", paramLabel = "ranks,...",
            description = "Levels inside a node: 4,8 says that its ranks form groups of 4, such as those of a shared "
                    + "cache, inside groups of 8. Default: none; with --bind, what Linux says of the cores.")
    private String levels = "";

    @Option(names = "--service", paramLabel = "sleep|poll", completionCandidates = Services.class,
            description = "How processes serve other nodes while their ranks compute: by a thread that sleeps until "
                    + "something arrives, or by one that polls, for which each process needs a core to spare. "
                    + "Default: sleep.")
    private String service = "";

    @Option(names = "--striping", paramLabel = "speed|even|whole", completionCandidates = Stripings.class,
            description = "How messages are dealt to several --rails: striped by the rails' speeds, striped evenly, or "
                    + "whole messages in turns. Default: speed.")
    private String striping = "";

    @Option(names = "--links", paramLabel = "fast|slow", completionCandidates = LinkSpeeds.class,
            description = "The bottleneck of long messages between nodes, for the choice of algorithms: the cores "
                    + "(fast), or links (slow), each of which the cores can fill, such as 1 Gbit/s. Default: fast.")
    private String links = "";

    @Option(names = {"-J",
            "--jvm"}, paramLabel = "option", description = "An option for the ranks' JVMs, as in -J-Xmx1g.")
    private List<String> jvmOptions = new ArrayList<>();

    @Option(names = {"-cp",
            "--class-path"}, paramLabel = "path", defaultValue = "",
            description = "The class path of the program, in addition to the program itself.")
    private String classPath;

    @Parameters(index = "0", paramLabel = "program",
            description = "A source file Program.java, compiled once; a jar with a "
                    + "Main-Class; or the name of a class.")
    private String program;

    @Parameters(index = "1..*", paramLabel = "arguments", description = "Everything after the program belongs to it.")
    private List<String> arguments = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    /** The values of {@code --service} that a shell offers. */
    private static final class Services extends Candidates {
        Services() {
            super(() -> Stream.of(Service.values()).map(Service::toString).toList());
        }
    }

    /** The values of {@code --striping} that a shell offers. */
    private static final class Stripings extends Candidates {
        Stripings() {
            super(() -> Stream.of(Striping.values()).map(Striping::toString).toList());
        }
    }

    /** The values of {@code --links} that a shell offers. */
    private static final class LinkSpeeds extends Candidates {
        LinkSpeeds() {
            super(() -> Stream.of(Links.values()).map(Links::toString).toList());
        }
    }

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        return Launch.run(plan(), this::program);
    }

    /**
     * Warns of options of ours after the program if they are missing before it, because they were probably meant for
     * us.
     */
    private void sayWhatIsMisplaced() {
        for (var argument : arguments) {
            var option = spec.findOption(argument.replaceFirst("=.*", ""));
            if (option != null && !option.usageHelp() && !option.versionHelp()
                    && !spec.commandLine().getParseResult().hasMatchedOption(option)) {
                System.err
                        .println("tutti: " + argument + " comes after " + program + " and so belongs to it; options of "
                                + "tutti run stand before the program.");
                return;
            }
        }
    }

    private JobPlan plan() {
        PlacementOptions.requireCount("--ranks-per-process", ranksPerProcess);
        requirePatience("--heartbeat", heartbeat);
        requirePatience("--standstill", standstill);
        if (hangReport != null) {
            requirePatience("--hang-report", hangReport);
        }
        var there = where.hosts();
        var placement = where.placement(there, ranksPerProcess);
        if (bind && there.isEmpty()) {
            Cores.requireBinding("--bind");
        }
        return new JobPlan(JobPlan.newName(), placement, there, bind, Optional.ofNullable(timeout),
                Optional.ofNullable(hangReport), joinTimeout, heartbeat, where.rails(), keepGoing, tagOutput,
                Optional.ofNullable(outputDirectory), Optional.ofNullable(recordDirectory).map(RecordingFiles::create),
                Optional.ofNullable(metrics).map(MetricsTarget::parse),
                reportDirectory(), environment(),
                jvmOptions, Optional.empty());
    }

    private Optional<Path> reportDirectory() {
        if (reportDirectory.equals(NO_REPORT)) {
            return Optional.empty();
        }
        if (Files.exists(reportDirectory) && !Files.isDirectory(reportDirectory)) {
            throw new UsageException("--report " + reportDirectory + " is no directory; name one, or none");
        }
        return Optional.of(reportDirectory);
    }

    private static void requirePatience(String option, Duration given) {
        if (given.compareTo(PATIENCE_MIN) < 0 || given.compareTo(PATIENCE_MAX) > 0) {
            throw new UsageException(option + " " + DurationConverter.text(given)
                    + " is not possible; give a duration from 1s to 24h");
        }
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put(JobEnvironment.STANDSTILL_MILLIS, String.valueOf(standstill.toMillis()));
        environment.put(JobEnvironment.ALGORITHM, algorithms.rules());
        environment.put(JobEnvironment.TUNING, ""); // these rules include those of the file
        pass(environment, JobEnvironment.LINKS, "--links", links, Links::parse);
        pass(environment, JobEnvironment.LEVELS, "--levels", levels, JobEnvironment::parseLevels);
        pass(environment, JobEnvironment.SERVICE, "--service", service, Service::parse);
        pass(environment, JobEnvironment.STRIPING, "--striping", striping, Striping::parse);
        pass(environment, JobEnvironment.CALL_SITES, "--call-sites", callSites ? "1" : "",
                text -> JobEnvironment.callSites(Map.of(JobEnvironment.CALL_SITES, text)));
        for (var variable : variables) {
            int equals = variable.indexOf('=');
            if (equals < 1) {
                throw new UsageException("--env '" + variable + "' sets nothing; write it as NAME=VALUE");
            }
            if (variable.startsWith(OWN_VARIABLES)) {
                throw new UsageException("--env " + variable + " is not possible: variables that begin with "
                        + OWN_VARIABLES + " belong to the launcher; use its options");
            }
            environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return environment;
    }

    /** Passes on the value of an option, or else of a variable. */
    private static void pass(Map<String, String> environment, String variable, String option, String given,
            Consumer<String> check) {
        given(variable, option, given, check).ifPresent(text -> environment.put(variable, text));
    }

    /**
     * Returns the value of an option, or else of a variable. Checking it here reports an error once instead of once for
     * every rank.
     */
    static Optional<String> given(String variable, String option, String given, Consumer<String> check) {
        var text = Optional.ofNullable(given.isEmpty() ? System.getenv(variable) : given);
        try {
            text.ifPresent(check);
        } catch (IllegalArgumentException e) {
            throw new UsageException((given.isEmpty() ? variable + "=" : option + " ") + text.orElseThrow()
                    + " is not possible: " + e.getMessage());
        }
        return text;
    }

    private Optional<Program> program(JobDirectory directory) throws IOException {
        var found = program.endsWith(".java") ? compile(directory)
                : Optional.of(program.endsWith(".jar") ? Program.ofJar(Path.of(program), classPath, arguments)
                        : Program.ofClass(program, classPath, arguments));
        sayWhatIsMisplaced();
        return found;
    }

    private Optional<Program> compile(JobDirectory directory) throws IOException {
        var source = Path.of(program);
        Program.requireFile(source);
        var classes = directory.classes();
        var mainClass = new SourceCompiler(source, classPath, RankCache.library()).compile(classes);
        if (mainClass.isEmpty()) {
            return Optional.empty();
        }
        MainMethod.require(mainClass.get(), Program.join(classes.toString(), classPath), program);
        return Optional.of(new Program(mainClass.get(), classPath, Optional.of(classes), arguments));
    }
}
