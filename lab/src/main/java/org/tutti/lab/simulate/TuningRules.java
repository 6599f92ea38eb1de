/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.lab.simulate.Measurements.Cell;
import org.tutti.memory.Bytes;

/**
 * Writes the rules of a tuning file from measurements. Each measured size has the fastest algorithm as its rule, if
 * the algorithm is faster than Tutti's choice. The rule holds up to the next measured size, and the rule of the
 * greatest size holds for all greater ones.
 */
final class TuningRules {
    /** The part of the time of Tutti's choice that a rule must save. A smaller gain may be noise. */
    private static final double GAIN_MIN = 0.05;

    private static final int PERCENT = 100;

    private TuningRules() {}

    /**
     * Returns the text of a tuning file.
     *
     * @param cells the measured cells, all of one layout, among them those of Tutti's choice
     * @param chosen gives Tutti's choice for the collective and the size of a cell
     * @return the text; a comment if there is no rule
     */
    static String text(List<Cell> cells, Function<Cell, Algorithm> chosen) {
        Map<Collective, TreeMap<Long, List<Cell>>> sizes = cells.stream().collect(Collectors.groupingBy(
                Cell::collective, TreeMap::new, Collectors.groupingBy(Cell::bytes, TreeMap::new, Collectors.toList())));
        String rules = sizes.values().stream().flatMap(ofCollective -> ofCollective.keySet().stream()
                .map(bytes -> rule(ofCollective, bytes, chosen))).collect(Collectors.joining());
        return String.format(Locale.ROOT, "# algorithms that take at least %.0f %% less time than Tutti's "
                + "choices%s%n", PERCENT * GAIN_MIN, rules.isEmpty() ? ": none" : "") + rules;
    }

    /** A line for a size of a collective; empty if there is no rule for it. */
    private static String rule(NavigableMap<Long, List<Cell>> sizes, long bytes, Function<Cell, Algorithm> chosen) {
        List<Cell> cells = sizes.get(bytes);
        Cell fastest = cells.stream().min(Comparator.comparingDouble(Cell::micros)).orElseThrow();
        String name = name(chosen.apply(fastest));
        Cell usual = cells.stream().filter(cell -> name(cell.algorithm()).equals(name)).findFirst().orElseThrow();
        if (fastest.micros() > (1 - GAIN_MIN) * usual.micros()) {
            return "";
        }
        Long next = sizes.higherKey(bytes);
        return String.format(Locale.ROOT, "%dx%d: %s=%s:%s-%s    # %.2f µs; %s %.2f µs%n", fastest.nodes(),
                fastest.ranksPerNode(), fastest.collective().label(), name(fastest.algorithm()), Bytes.option(bytes),
                next == null ? "" : Bytes.option(next), fastest.micros(), name, usual.micros());
    }

    private static String name(Algorithm algorithm) {
        return algorithm.description().name();
    }
}
