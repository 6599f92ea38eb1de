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

/** Builds the command and the environment that start one process of a job. */
final class RankCommand {
    /**
     * Whether ranks get the Vector API, an incubator module, because the JDK has it. The launcher drops the JVM's
     * warning.
     */
    static final boolean VECTOR_MODULE = Vectors.areInJdk();

    /** The line that a JVM with an incubator module prints before anything else. */
    static final String VECTOR_WARNING = "WARNING: Using incubator modules: " + Vectors.MODULE;

    /** Variables that another launcher may have set for this launcher; the ranks learn their values in another way. */
    private static final Set<String> FOREIGN_VARIABLES =
            Set.of(JobEnvironment.RENDEZVOUS, JobEnvironment.SECRET_FILE);

    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED"; // to the calls of sockets

    /** With "deny" ranks get no native access, and use the JDK's channels alone. */
    private static final String ILLEGAL_NATIVE_ACCESS = "--illegal-native-access=";

    private static final Pattern COLLECTOR = Pattern.compile("-XX:[+]Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC");

    private static final double HEAP_SHARE_PERCENT = 60;

    /**
     * The largest heap for the serial collector. One thread collects it in a few seconds, in which its process must not
     * count as silent.
     */
    private static final long SERIAL_HEAP_BYTES_MAX = 4L << 30;

    /**
     * Makes compiled loops check every 1,000 rounds whether the rank is asked where it is. The serial and the parallel
     * collector omit this check in counted loops, and a rank in a long loop could not answer. The other collectors have
     * these settings by default.
     */
    private static final List<String> ANSWERING_LOOPS =
            List.of("-XX:+UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=1000");

    /**
     * How much longer the ranks wait for each other than the launcher does, because the launcher's report says more.
     * The limit of the ranks is meant for other launchers.
     */
    private static final long JOIN_TIMEOUT_MARGIN_MILLIS = 2_000;

    private static final long JOIN_TIMEOUT_MAX_MILLIS = 86_400_000;

    private final NodePlan plan;
    private final Program program;

    /**
     * @param plan the node
     * @param program the program of its ranks
     */
    RankCommand(NodePlan plan, Program program) {
        this.plan = plan;
        this.program = program;
    }

    /** {@return the builder of the node's process with this number; the standard input of the process is empty} */
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
        environment.computeIfAbsent(JobEnvironment.CORES,
                _ -> String.valueOf(Math.max(1, Cores.count() / plan.share().nodes())));
        environment.put(JobEnvironment.HEARTBEAT_MILLIS, String.valueOf(plan.heartbeat().toMillis()));
        environment.put(JobEnvironment.JOIN_TIMEOUT_MILLIS, String.valueOf(
                Math.min(plan.joinTimeout().toMillis() + JOIN_TIMEOUT_MARGIN_MILLIS, JOIN_TIMEOUT_MAX_MILLIS)));
        if (!plan.rails().isEmpty()) { // otherwise this host's own environment decides
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
        plan.recordings().ifPresent(files -> command
                .addAll(files.options(plan.shape().job(), plan.ranksOf(process).fileName())));
        command.addAll(List.of("-cp", Program.join(RankCache.library().toString(), program.wholeClassPath())));
        command.add(RankProcess.class.getName());
        command.add(program.mainClass());
        command.addAll(program.arguments());
        return command;
    }

    /**
     * The options that let a JVM share its machine; by default, a JVM takes the whole machine. Options from the user's
     * command line come later and take precedence. Options from the environment come earlier; a collector among them
     * replaces the default one, because a JVM accepts only one.
     */
    private List<String> defaultOptions(List<String> userOptions) {
        List<String> options = new ArrayList<>();
        options.add("-XX:-UsePerfData"); // a file in /tmp for each JVM, which kill -9 would leave there
        options.add("-XX:+ExitOnOutOfMemoryError"); // a rank that has lost a thread would leave the others waiting
        if (userOptions.stream().noneMatch(option -> option.matches("-XX:.*(CountedLoop|StripMining).*"))) {
            options.addAll(ANSWERING_LOOPS);
        }
        options.add("-XX:ActiveProcessorCount=" + processors());
        options.add(String.format(Locale.ROOT, "-XX:MaxRAMPercentage=%.4f",
                HEAP_SHARE_PERCENT / plan.share().processes()));
        options.addAll(modules());
        if (deniesNativeAccess(userOptions)) {
            options.remove(NATIVE_ACCESS);
        }
        return options;
    }

    /** {@return whether the last option about native access denies it; a JVM, too, goes by the last one} */
    private static boolean deniesNativeAccess(List<String> userOptions) {
        return userOptions.stream().filter(option -> option.startsWith(ILLEGAL_NATIVE_ACCESS))
                .reduce((_, last) -> last).filter((ILLEGAL_NATIVE_ACCESS + "deny")::equals).isPresent();
    }

    /** {@return the command that starts a JVM like this one} */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** {@return the options for the modules that ranks need in addition to those of every JVM} */
    static List<String> modules() {
        return VECTOR_MODULE ? List.of(NATIVE_ACCESS, "--add-modules", Vectors.MODULE) : List.of(NATIVE_ACCESS);
    }

    private int processors() {
        return Math.max(plan.ranksPerProcess() > 1 ? 2 : 1, Cores.count() / plan.share().processes());
    }
}
