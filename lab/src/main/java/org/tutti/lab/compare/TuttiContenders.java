/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.job.launch.JobEnvironment;
import org.tutti.lab.compare.Contender.Kind;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.Main;
import org.tutti.tool.bench.BenchCommand;

/**
 * The contenders of Tutti itself, measured by {@code tutti bench}: processes, virtual threads, and processes that send
 * off-heap memory.
 */
final class TuttiContenders {
    private static final String SINGLE_RAIL = "single-rail";

    /** Makes each rank a node of its own on its host, so that no algorithm knows which ranks share memory. */
    static final String FLAT = "flat";

    /** The names of all contenders. */
    static final List<String> NAMES =
            List.of("tutti", "virtual", TuttiContenders.SINGLE_RAIL, TuttiContenders.FLAT, "segments");

    /** The names of the contenders that can measure one-sided operations. */
    static final List<String> ONE_SIDED_NAMES =
            Stream.of(Stream.of("tutti", "segments"), BenchCommand.protocols().stream(), Stream.of(SINGLE_RAIL))
                    .flatMap(Function.identity()).toList();

    /** The names of the contenders that can measure messages. */
    static final List<String> MESSAGE_NAMES = List.of("tutti", SINGLE_RAIL);

    private static final String PREFIX = "tutti ";

    /**
     * The words that start the command line from the class path of this JVM, on each host too: the checkout's script
     * builds what has changed, and would then measure other classes.
     */
    private static final List<String> COMMAND_LINE = List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            Main.class.getName());

    /**
     * The shortest message of a collective to send from off-heap memory: programs do not keep shorter ones there for
     * speed.
     */
    private static final long SEGMENTS_LEAST_BYTES = 1 << 20;

    private final Place place;
    private final List<String> algorithms;

    /**
     * @param place the files of the comparison
     * @param algorithms the names of algorithms that are contenders too, in addition to Tutti's choice
     */
    TuttiContenders(Place place, List<String> algorithms) {
        this.place = place;
        this.algorithms = algorithms;
    }

    /** {@return the choice of an algorithm for all collectives of a loop, as a value of {@code TUTTI_ALGORITHM}} */
    static String choice(Loop loop, String algorithm) {
        return loop.cells().stream().map(Cell::operation).distinct().map(each -> each + "=" + algorithm)
                .collect(Collectors.joining(","));
    }

    /** {@return the contenders with these names, for a loop} */
    List<Contender> contenders(List<String> names, Loop measured) {
        long segmentsLeastBytes = measured instanceof OneSidedCells ? 0 : SEGMENTS_LEAST_BYTES;
        var all = Stream.of(
                new Contender("tutti", Kind.TUTTI, 0, layout -> true,
                        (layout, loop, gates) -> bench(layout, loop, gates, List.of())),
                new Contender("tutti virtual", Kind.TUTTI, 0, layout -> layout.nodes() == 1,
                        (layout, loop, gates) -> bench(layout, loop, gates, List.of("--virtual"))),
                new Contender(PREFIX + SINGLE_RAIL, Kind.TUTTI, 0,
                        layout -> layout.nodes() > 1 && place.rails().size() > 1,
                        (layout, loop, gates) -> bench(layout, loop, gates, place.hosts(layout),
                                place.rails().subList(0, 1), List.of())),
                new Contender(PREFIX + FLAT, Kind.TUTTI, 0, TuttiContenders::canBeFlat,
                        (layout, loop, gates) -> benchFlat(layout, loop, gates)),
                new Contender("tutti segments", Kind.TUTTI, segmentsLeastBytes, layout -> true,
                        (layout, loop, gates) -> bench(layout, loop, gates, List.of("--segments"))));
        var protocols = BenchCommand.protocols().stream().map(protocol -> new Contender(PREFIX + protocol,
                Kind.TUTTI, 0, layout -> layout.nodes() > 1, // on one node, no data travel
                (layout, loop, gates) -> bench(layout, loop, gates, List.of("--protocol", protocol))));
        var forced = algorithms.stream().map(name -> new Contender(PREFIX + name, Kind.TUTTI, 0, layout -> true,
                (layout, loop, gates) -> forced(bench(layout, loop, gates, List.of()), loop, name)));
        var flat = algorithms.stream().filter(_ -> names.contains(FLAT))
                .map(name -> new Contender(PREFIX + FLAT + " " + name, Kind.TUTTI, 0, TuttiContenders::canBeFlat,
                        (layout, loop, gates) -> forced(benchFlat(layout, loop, gates), loop, name)));
        var named = Stream.concat(all, protocols)
                .filter(contender -> names.contains(contender.name().replaceFirst(PREFIX, "")));
        return Stream.of(named, forced, flat).flatMap(Function.identity()).toList();
    }

    private static boolean canBeFlat(Layout layout) {
        return layout.nodes() > 1 && layout.ranksPerNode() > 1;
    }

    private static List<String> forced(List<String> words, Loop loop, String algorithm) {
        words.addAll(0, List.of("env", JobEnvironment.ALGORITHM + "=" + choice(loop, algorithm)));
        return words;
    }

    private List<String> benchFlat(Layout layout, Loop loop, Path gates) {
        return bench(layout, loop, gates, place.hostsOfRanks(layout), place.rails(), List.of());
    }

    private List<String> bench(Layout layout, Loop loop, Path gates, List<String> options) {
        return bench(layout, loop, gates, place.hosts(layout), place.rails(), options);
    }

    private List<String> bench(Layout layout, Loop loop, Path gates, String hosts, List<String> rails,
            List<String> options) {
        List<String> words = new ArrayList<>(COMMAND_LINE);
        words.addAll(List.of("bench", "--repeats", String.valueOf(loop.repeats()), "--csv", "/dev/stdout", "--gates",
                gates.toString()));
        if (loop.percentiles()) {
            words.add("--percentiles");
        }
        words.addAll(loop.benchOptions(layout));
        words.addAll(options);
        words.addAll(layout.nodes() == 1 ? List.of("-n", String.valueOf(layout.ranks()))
                : List.of("--hosts", hosts, "--agent", place.clusterScript() + " exec {host}", "--remote-tutti",
                        place.script("tutti", COMMAND_LINE).toString(), "--rails", String.join(",", rails)));
        return words;
    }
}
