/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.info;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

import org.tutti.Collective;
import org.tutti.JobStartException;
import org.tutti.choice.Catalogue;
import org.tutti.choice.Choice;
import org.tutti.choice.Links;
import org.tutti.choice.Rule;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Chunked;
import org.tutti.collective.kernel.Vectors;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.fabric.tcp.RailAddresses;
import org.tutti.fabric.tcp.TcpFabric;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.memory.Bytes;
import org.tutti.memory.Futexes;
import org.tutti.tool.UsageException;
import org.tutti.tool.run.AlgorithmOptions;
import org.tutti.tool.run.CpuLevels;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code tutti info}: prints how Tutti sees this machine, the rails that it would use, the algorithms, and
 * the sizes for which it chooses each.
 */
@Command(name = "info", mixinStandardHelpOptions = true,
        description = "Shows this machine as Tutti sees it, sizes of its shared memory, its rails, the algorithms, "
                + "and when which is chosen.",
        footer = {"", "Examples:", "  tutti info", "  tutti info --algorithms", "  tutti info --rails eth0,eth1"})
public final class InfoCommand implements Callable<Integer> {
    private static final int[] RANKS_SHOWN = {2, 8, 64, 1024};
    private static final long KIBIBYTE = 1 << 10;
    private static final String RULE_LINE = "%-10s   %-9s   %-10s   %-6s   %-5s   %-24s   %-29s   %s%n";

    @Spec
    private CommandSpec spec;

    @Option(names = "--algorithms", description = "List the algorithms of every collective.")
    private boolean algorithms;

    @Option(names = "--layout", paramLabel = "NODESxRANKS",
            description = "The nodes, and the ranks of each, for which --algorithms tells which algorithm really runs; "
                    + "else one node with a rank for each core.")
    private String layout;

    @Option(names = "--choices", description = "List when which algorithm is chosen.")
    private boolean choices;

    @Mixin
    private AlgorithmOptions requested = new AlgorithmOptions();

    @Option(names = "--rails", paramLabel = "interface|address|subnet,…",
            description = "Try these interfaces, addresses or subnets as rails to other nodes, and leave out others, "
                    + "as ^eth9; else those of " + JobEnvironment.RAILS + ", or Tutti's choice.")
    private String rails;

    /** {@return the status to exit with} */
    @Override
    public Integer call() {
        if (algorithms && choices) {
            throw new UsageException("--algorithms and --choices exclude each other; leave one out");
        }
        requireUse("--layout", algorithms, "without --algorithms; give it as well");
        requireUse("--algorithm", choices, "without --choices; give it as well");
        requireUse("--tuning", choices, "without --choices; give it as well");
        requireUse("--rails", !algorithms && !choices, "with --algorithms or --choices; leave it out");
        if (algorithms) {
            int cores = Math.max(2, Runtime.getRuntime().availableProcessors());
            listAlgorithms(new ActualAlgorithms(layout == null ? "1x" + cores : layout), System.out);
        } else if (choices) {
            listChoices(Choice.parse(requested.rules()), System.out);
        } else {
            RailAddresses chosen = chooseRails();
            describeMachine(System.out);
            describeRails(chosen, System.out);
        }
        return 0;
    }

    private void requireUse(String option, boolean isUsed, String otherwise) {
        if (!isUsed && spec.commandLine().getParseResult().hasMatchedOption(option)) {
            throw new UsageException(option + " has no meaning " + otherwise);
        }
    }

    private RailAddresses chooseRails() {
        if (rails == null) {
            return RailAddresses.choose(System.getenv().getOrDefault(JobEnvironment.RAILS, ""), List.of());
        }
        try {
            return RailAddresses.choose(rails, List.of());
        } catch (JobStartException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static void describeMachine(PrintStream out) {
        var memory = Path.of(System.getenv().getOrDefault(JobEnvironment.MEMORY, "/dev/shm")).toFile();
        out.printf("JVM             %s %s%n", System.getProperty("java.vm.name"), Runtime.version());
        out.printf("system          %s %s %s%n", System.getProperty("os.name"), System.getProperty("os.version"),
                System.getProperty("os.arch"));
        out.printf("cores           %d%n", Runtime.getRuntime().availableProcessors());
        out.printf("levels          domains of these cores: %s; of ranks: %s%n", CpuLevels.ofThisProcess(),
                System.getenv().getOrDefault(JobEnvironment.LEVELS, "none, unless given or bound to cores"));
        out.printf("shared memory   %s, %s of %s free%n", memory, Bytes.text(memory.getUsableSpace()),
                Bytes.text(memory.getTotalSpace()));
        out.printf("reductions      %s%n", Vectors.areInJdk()
                ? "vectors in ranks that tutti run starts, else with --add-modules " + Vectors.MODULE
                : "plain loops: this JDK has no module " + Vectors.MODULE);
        out.printf("slots           %d to %d operations in flight on a communicator, %d bytes in the line of a word%n",
                RingLayout.SLOTS_MIN, RingLayout.SLOTS_MAX, RingLayout.PAYLOAD_BYTES);
        out.printf("TCP             congestion control: %s%n", CongestionControl.ofThisMachine().describe());
        out.printf("native calls    %s; others need --enable-native-access=ALL-UNNAMED%n",
                "in ranks that tutti run starts: arrays between nodes "
                        + (TcpFabric.passesArrays() ? "pass without a copy" : "are copied (no send and recv here)")
                        + ", sleeping ranks are " + (Futexes.arePossible() ? "woken" : "not woken (no futex here)"));
        out.println();
        out.println("ranks on a node   slots of a communicator   windows of all ranks, at most");
        for (int ranks : RANKS_SHOWN) {
            out.printf("%15d   %,19d KiB   %,27d KiB%n", ranks, new RingLayout(1, ranks).bytes() / KIBIBYTE,
                    2 * WindowSizes.windowBytesMax(ranks) * ranks / KIBIBYTE);
        }
    }

    private static void describeRails(RailAddresses chosen, PrintStream out) {
        out.println();
        out.printf("%-4s   %-39s   %-15s   %s%n", "rail", "address", "interface", "why, or why not");
        for (var candidate : chosen.candidates()) { // the rails come first
            out.printf("%4s   %-39s   %-15s   %s%n", candidate.rail() < 0 ? "" : candidate.rail(),
                    candidate.address().getHostAddress(), candidate.interfaceName(), candidate.reason());
        }
    }

    private static void listAlgorithms(ActualAlgorithms actual, PrintStream out) {
        for (var collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                var description = algorithm.description();
                out.printf("%s %s: %s%n", collective.label(), description.name(), description.source());
                out.printf("    steps %s; bytes in memory %s, over rails %s%n", description.steps(),
                        description.memoryBytes(), description.railBytes());
                out.printf("    shared memory %s; order of ranks %s%s%n", description.memory(),
                        order(description.order()),
                        algorithm instanceof Chunked ? "; chunks as in " + description.name() + "@32k" : "");
                String running = actual.describe(algorithm);
                if (!running.isEmpty()) {
                    out.printf("    on %s runs %s%n", actual.layout(), running);
                }
            }
        }
        out.println();
        out.println(
                "p ranks on each of n nodes, b bytes, c chunks. Steps: waits of one rank for another, in a row.\n"
                        + "Bytes in memory: copied or read from others by the busiest rank; over rails: those that\n"
                        + "enter or leave the busiest node. Operators that do not commute need the order kept.\n"
                        + "The name may say the length of chunks, 4k to 1024k, where \"chunks as in\" stands; and\n"
                        + "@2-ports or @4-ports where @3-ports stands. A line \"on 1x2 runs srm\" names another\n"
                        + "algorithm that sends the same messages there. Ranges are bytes of a message. The root is\n"
                        + "rank 0, and operators commute. --layout asks for other nodes and ranks. A barrier that is\n"
                        + "the first call of a communicator runs between nodes as srm. For calls with Blocks, a\n"
                        + "requested algorithm runs as for 256 bytes, and moves the first 248 bytes of each block;\n"
                        + "the algorithm blocks moves the rest.");
    }

    private static void listChoices(Choice choice, PrintStream out) {
        out.printf(RULE_LINE, "collective", "nodes", "ranks", "levels", "links", "bytes", "operator", "algorithm");
        for (var collective : Collective.values()) {
            listRules(choice.inEffect(collective), Choice.rules(collective), out);
        }
        Choice.tables().forEach((name, rules) -> {
            out.printf("%nbefore these lines, with --algorithm %s:%n", name);
            listRules(rules, rules, out);
        });
        out.println();
        out.println(
                "The first line that fits is used, unless withAlgorithm in a program says otherwise. Requested: by\n"
                        + "--algorithm or " + JobEnvironment.ALGORITHM + ", or by the file of --tuning or "
                        + JobEnvironment.TUNING + ".\nBytes: of the message; with blocks, of one block. Levels: the "
                        + "node has some. Links: as --links\nor " + JobEnvironment.LINKS
                        + " says they are. Ranks in blocks: each node's ranks follow each other.");
    }

    /** Lists rules, and marks those that are not among the usual ones. */
    private static void listRules(List<Rule> rules, List<Rule> usual, PrintStream out) {
        for (Rule rule : rules) {
            Collective collective = rule.algorithm().collective();
            out.printf(RULE_LINE, collective.label(), rule.nodes(), rule.ranksInWords(), rule.levels() ? "yes" : "any",
                    rule.slowLinks() ? Links.SLOW : "any",
                    rule.bytes(), collective.combines() ? rule.operators() : "",
                    rule.algorithm().description().name()
                            + (usual.contains(rule) ? "" : " (requested)"));
        }
    }

    private static String order(Algorithm.Order order) {
        return switch (order) {
            case ALWAYS -> "kept";
            case BLOCKS -> "kept if each node's ranks follow each other";
            case ONE_NODE -> "kept on one node";
        };
    }
}
