/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.tutti.tool.Main;
import org.tutti.tool.bench.BenchCommand;
import org.tutti.tool.compare.Contender.Kind;

/** Tutti itself, by {@code tutti bench}: processes, virtual threads, and processes that send off-heap memory. */
final class TuttiContenders {
    /** The names of all. */
    static final List<String> NAMES = List.of("tutti", "virtual", "segments");

    /** The names of those that can measure one-sided operations. */
    static final List<String> ONE_SIDED_NAMES =
            Stream.concat(Stream.of("tutti", "segments"), BenchCommand.protocols().stream()).toList();

    private static final String PREFIX = "tutti ";

    /** Of a collective; below, nobody keeps data off-heap for speed. */
    private static final long SEGMENTS_LEAST_BYTES = 1 << 20;

    private final Place place;

    TuttiContenders(Place place) {
        this.place = place;
    }

    /** {@return those of these names, for a loop} */
    List<Contender> contenders(List<String> names, Loop measured) {
        long segmentsLeastBytes = measured instanceof OneSidedCells ? 0 : SEGMENTS_LEAST_BYTES;
        var all = Stream.of(
                new Contender("tutti", Kind.TUTTI, 0, layout -> true,
                        (layout, loop, gates) -> bench(layout, loop, gates, List.of())),
                new Contender("tutti virtual", Kind.TUTTI, 0, layout -> layout.nodes() == 1,
                        (layout, loop, gates) -> bench(layout, loop, gates, List.of("--virtual"))),
                new Contender("tutti segments", Kind.TUTTI, segmentsLeastBytes, layout -> true,
                        (layout, loop, gates) -> bench(layout, loop, gates, List.of("--segments"))));
        var protocols = BenchCommand.protocols().stream().map(protocol -> new Contender(PREFIX + protocol,
                Kind.TUTTI, 0, layout -> layout.nodes() > 1, // on a node nothing travels
                (layout, loop, gates) -> bench(layout, loop, gates, List.of("--protocol", protocol))));
        return Stream.concat(all, protocols)
                .filter(contender -> names.contains(contender.name().replaceFirst(PREFIX, ""))).toList();
    }

    private List<String> bench(Layout layout, Loop loop, Path gates, List<String> options) {
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), Main.class.getName(), "bench", "--repeats",
                String.valueOf(loop.repeats()), "--csv", "/dev/stdout", "--gates", gates.toString()));
        words.addAll(loop.benchOptions(layout));
        words.addAll(options);
        words.addAll(layout.nodes() == 1 ? List.of("-n", String.valueOf(layout.ranks()))
                : List.of("--hosts", place.hosts(layout), "--agent", place.clusterScript() + " exec {host}"));
        return words;
    }
}
