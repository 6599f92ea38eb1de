/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

import org.tutti.lab.compare.Contender.Kind;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.bench.Percentile;

/** All figures of a comparison: those of each turn, by layout, contender and cell. */
final class ComparedFigures {
    private final Map<Layout, Map<Contender, Map<Cell, List<Figure>>>> turns = new LinkedHashMap<>();

    private final Map<Layout, Map<Contender, Map<Cell, List<Double>>>> counted = new LinkedHashMap<>();
    private final Map<Layout, List<String>> failures = new LinkedHashMap<>();

    /** Adds the bytes that a contender sent, or received, on the busiest node for each call of a turn. */
    void count(Layout layout, Contender contender, Cell cell, double bytes) {
        counted.computeIfAbsent(layout, key -> new LinkedHashMap<>())
                .computeIfAbsent(contender, key -> new LinkedHashMap<>())
                .computeIfAbsent(cell, key -> new ArrayList<>()).add(bytes);
    }

    /** {@return the median over the turns of a call's bytes on the busiest node's links, if they were counted} */
    OptionalDouble counted(Layout layout, Contender contender, Cell cell) {
        var bytes = counted.getOrDefault(layout, Map.of()).getOrDefault(contender, Map.of()).get(cell);
        return bytes == null ? OptionalDouble.empty()
                : OptionalDouble.of(Figure.median(bytes.stream().mapToDouble(Double::doubleValue)));
    }

    /** Notes that a contender stopped measuring in a layout, and the reason. */
    void fail(Layout layout, String failure) {
        turns.computeIfAbsent(layout, key -> new LinkedHashMap<>());
        failures.computeIfAbsent(layout, key -> new ArrayList<>()).add(failure);
    }

    /** {@return a sentence for each contender that failed in a layout} */
    List<String> failures(Layout layout) {
        return failures.getOrDefault(layout, List.of());
    }

    void add(Layout layout, Contender contender, Figure figure) {
        turns.computeIfAbsent(layout, key -> new LinkedHashMap<>())
                .computeIfAbsent(contender, key -> new LinkedHashMap<>())
                .computeIfAbsent(figure.cell(), key -> new ArrayList<>()).add(figure);
    }

    Set<Layout> layouts() {
        return turns.keySet();
    }

    Set<Contender> contenders(Layout layout) {
        return turns.get(layout).keySet();
    }

    /** {@return whether a contender of a kind was measured in a layout} */
    boolean has(Layout layout, Kind kind) {
        return contenders(layout).stream().anyMatch(contender -> contender.kind() == kind);
    }

    /** {@return the cells of a layout, without repetition} */
    Set<Cell> cells(Layout layout) {
        Set<Cell> cells = new LinkedHashSet<>();
        turns.get(layout).values().forEach(figures -> cells.addAll(figures.keySet()));
        return cells;
    }

    Optional<Figure> figure(Layout layout, Contender contender, Cell cell) {
        return Optional.ofNullable(turns.get(layout).get(contender)).map(figures -> figures.get(cell))
                .map(Figure::ofTurns);
    }

    /** {@return the names of the contenders; variants share one name} */
    List<String> families(Layout layout) {
        return contenders(layout).stream().map(Contender::family).distinct().toList();
    }

    /** {@return the figure of a family's fastest variant} */
    Optional<Figure> fastest(Layout layout, String family, Cell cell) {
        return contenders(layout).stream().filter(contender -> contender.family().equals(family))
                .flatMap(contender -> figure(layout, contender, cell).stream())
                .min(Comparator.comparingDouble(Figure::median));
    }

    /** {@return the longest time that a contender needs to rewrite the data of a cell} */
    OptionalDouble longestRewriting(Layout layout, Cell cell) {
        return contenders(layout).stream().flatMap(contender -> figure(layout, contender, cell).stream())
                .mapToDouble(Figure::rewriting).max();
    }

    private Optional<Figure> best(Kind kind, Layout layout, Cell cell) {
        return contenders(layout).stream().filter(contender -> contender.kind() == kind)
                .flatMap(contender -> figure(layout, contender, cell).stream())
                .min(Comparator.comparingDouble(Figure::median));
    }

    /** {@return the ratio of a contender's time to that of the best contender of a kind, if both were measured} */
    OptionalDouble ratio(Layout layout, String family, Cell cell, Kind kind) {
        var own = fastest(layout, family, cell);
        var best = best(kind, layout, cell);
        return own.isPresent() && best.isPresent()
                ? OptionalDouble.of(own.get().median() / best.get().median())
                : OptionalDouble.empty();
    }

    /**
     * {@return the geometric mean of a contender's ratios in a layout, for a percentile or the means, if it has any}
     */
    OptionalDouble meanRatio(Layout layout, String family, Kind kind, Optional<Percentile> percentile) {
        double[] ratios = cells(layout).stream().filter(cell -> cell.percentile().equals(percentile))
                .map(cell -> ratio(layout, family, cell, kind))
                .filter(OptionalDouble::isPresent).mapToDouble(OptionalDouble::getAsDouble).toArray();
        return ratios.length == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(Figure.geometricMean(Arrays.stream(ratios)));
    }
}
