/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.collective.kernel.Vectors;
import org.tutti.job.RankProcess;
import org.tutti.job.launch.JobEnvironment;

/** The command and the environment that start one process of a job. */
final class RankCommand {
    /**
     * Whether ranks get the Vector API, an incubator module, where the JDK has it; its warning is kept from the
     * output.
     */
    static final boolean VECTOR_MODULE = Vectors.areInJdk();

    /** The line that a JVM with an incubator module prints before anything else. */
    static final String VECTOR_WARNING = "WARNING: Using incubator modules: " + Vectors.MODULE;

    /** Whatever started the launcher may have been told these; the ranks learn them otherwise. */
    private static final Set<String> FOREIGN_VARIABLES =
            Set.of(JobEnvironment.RENDEZVOUS, JobEnvironment.SECRET_FILE);

    private static final Pattern COLLECTOR = Pattern.compile("-XX:[+]Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC");

    private static final double HEAP_SHARE_PERCENT = 60;

    /** One thread collects a heap of this size in a few seconds, in which its process must not count as silent. */
    private static final long SERIAL_HEAP_BYTES_MAX = 4L << 30;

    /**
     * Has compiled loops look every so many rounds whether somebody asks where the rank is. The serial and the parallel
     * collector leave that out of counted loops, and a rank in a long one could not say where it is; the others have
     * these very settings by themselves.
     */
    private static final List<String> ANSWERING_LOOPS =
            List.of("-XX:+UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=1000");

    /** The launcher looks for missing ranks by itself and says more; the ranks' own patience is for other launchers. */
    private static final long JOIN_TIMEOUT_MARGIN_MILLIS = 2_000;

    private static final long JOIN_TIMEOUT_MAX_MILLIS = 86_400_000;

    private final NodePlan plan;
    private final Program program;

    /**
     * @param plan the node
     * @param program what its ranks run
     */
    RankCommand(NodePlan plan, Program program) {
        this.plan = plan;
        this.program = program;
    }

    /** {@return what starts the node's process with this number; its standard input is empty} */
    ProcessBuilder process(int process) {
        var ranks = plan.ranksOf(process);
        var shape = plan.shape();
        var builder = new ProcessBuilder().directory(plan.directory().toFile());
        var environment = builder.environment();
        environment.putAll(plan.environment());
        environment.keySet().removeAll(FOREIGN_VARIABLES);
        environment.put(JobEnvironment.JOB, shape.job());
        environment.put(JobEnvironment.RANK, String.valueOf(ranks.first()));
        environment.put(JobEnvironment.SIZE, String.valueOf(shape.size()));
        environment.put(JobEnvironment.RANKS_PER_PROCESS, String.valueOf(ranks.count()));
        environment.put(JobEnvironment.NODE, String.valueOf(shape.node()));
        environment.put(JobEnvironment.NODES, String.valueOf(shape.nodes()));
        environment.put(JobEnvironment.NODE_RANKS, String.valueOf(shape.nodeRanks()));
        environment.put(JobEnvironment.MEMORY, plan.memory().toString());
        environment.put(JobEnvironment.CORES, String.valueOf(Math.max(1, Cores.count() / plan.share().nodes())));
        environment.put(JobEnvironment.HEARTBEAT_MILLIS, String.valueOf(plan.heartbeat().toMillis()));
        environment.put(JobEnvironment.JOIN_TIMEOUT_MILLIS, String.valueOf(
                Math.min(plan.joinTimeout().toMillis() + JOIN_TIMEOUT_MARGIN_MILLIS, JOIN_TIMEOUT_MAX_MILLIS)));
        if (!plan.rails().isEmpty()) { // else what this host's own environment says counts
            environment.put(JobEnvironment.RAILS, plan.rails());
        }
        if (!plan.ports().isEmpty()) {
            environment.put(JobEnvironment.PORTS, plan.ports());
        }
        if (!environment.containsKey(JobEnvironment.LEVELS)) {
            var levels = Cores.levels(plan);
            if (!levels.isEmpty()) {
                environment.put(JobEnvironment.LEVELS,
                        levels.stream().map(String::valueOf).collect(Collectors.joining(",")));
            }
        }
        return builder.command(command(process, JvmVariables.options(environment)))
                .redirectInput(Redirect.from(new File("/dev/null")));
    }

    private List<String> command(int process, List<String> environmentOptions) {
        var userOptions = Stream.concat(environmentOptions.stream(), plan.jvmOptions().stream()).toList();
        var defaultOptions = defaultOptions(userOptions);
        long heapBytes = HeapLimit.bytes(Stream.of(environmentOptions, defaultOptions, plan.jvmOptions())
                .flatMap(List::stream).toList(), HeapLimit.machineBytes());
        List<String> command = new ArrayList<>(Orphans.woken());
        command.addAll(Cores.binding(plan, process));
        command.add(java());
        command.addAll(defaultOptions);
        if (userOptions.stream().noneMatch(option -> COLLECTOR.matcher(option).matches())) {
            command.add(heapBytes > SERIAL_HEAP_BYTES_MAX ? "-XX:+UseG1GC" : "-XX:+UseSerialGC");
        }
        command.addAll(RankCache.options(userOptions, heapBytes));
        command.addAll(plan.jvmOptions());
        command.addAll(List.of("-cp", Program.join(RankCache.library().toString(), program.wholeClassPath())));
        command.add(RankProcess.class.getName());
        command.add(program.mainClass());
        command.addAll(program.arguments());
        return command;
    }

    /**
     * A JVM takes the whole machine unless told that it is one of several. Options of the user's command line come
     * later and win. Those of the environment come earlier; a collector among them wins, because a JVM takes only one.
     */
    private List<String> defaultOptions(List<String> userOptions) {
        List<String> options = new ArrayList<>();
        options.add("-XX:-UsePerfData"); // a file in /tmp for each JVM, which kill -9 leaves there
        options.add("-XX:+ExitOnOutOfMemoryError"); // a rank that has lost a thread would leave the others waiting
        if (userOptions.stream().noneMatch(option -> option.matches("-XX:.*(CountedLoop|StripMining).*"))) {
            options.addAll(ANSWERING_LOOPS);
        }
        options.add("-XX:ActiveProcessorCount=" + processors());
        options.add(String.format(Locale.ROOT, "-XX:MaxRAMPercentage=%.4f",
                HEAP_SHARE_PERCENT / plan.share().processes()));
        options.addAll(modules());
        return options;
    }

    /** {@return the command that starts a JVM like this one} */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** {@return the options for modules that ranks have besides those of every JVM} */
    static List<String> modules() {
        return VECTOR_MODULE ? List.of("--add-modules", Vectors.MODULE) : List.of();
    }

    private int processors() {
        return Math.max(plan.ranksPerProcess() > 1 ? 2 : 1, Cores.count() / plan.share().processes());
    }
}
