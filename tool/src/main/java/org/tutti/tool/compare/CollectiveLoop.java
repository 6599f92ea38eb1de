/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.tool.compare.Figure.Cell;

/**
 * A loop over collectives.
 *
 * @param operations the collectives
 * @param sizes bytes of a message, for those that have one
 * @param repeats how often each cell is repeated
 */
record CollectiveLoop(List<String> operations, List<Long> sizes, int repeats) implements Loop {
    private static final String BARRIER = Collective.BARRIER.label();
    private static final List<String> ORDER = Stream.of(Collective.values()).map(Collective::label).toList();

    /** Puts the operations into the order in which all contenders measure them. */
    CollectiveLoop {
        operations = operations.stream().distinct().sorted(Comparator.comparing(ORDER::indexOf)).toList();
        sizes = List.copyOf(sizes);
    }

    @Override
    public Loop from(long leastBytes) {
        return new CollectiveLoop(operations.stream()
                .filter(operation -> leastBytes == 0 || !operation.equals(BARRIER)).toList(),
                sizes.stream().filter(bytes -> bytes >= leastBytes).toList(), repeats);
    }

    @Override
    public List<Cell> cells() {
        return operations.stream().flatMap(operation -> operation.equals(BARRIER) ? Stream.of(new Cell(BARRIER, 0))
                : sizes.stream().map(bytes -> new Cell(operation, bytes))).toList();
    }

    @Override
    public String program() {
        return "collectives";
    }

    @Override
    public List<String> arguments(Path gates) {
        return List.of(operationList(), sizeList(), String.valueOf(repeats), gates.toString());
    }

    @Override
    public List<String> environment() {
        return List.of();
    }

    @Override
    public List<String> benchOptions() {
        List<String> options = new ArrayList<>(List.of("--collective", operationList()));
        if (!sizes.isEmpty()) {
            options.addAll(List.of("--bytes", sizeList()));
        }
        return options;
    }

    private String operationList() {
        return String.join(",", operations);
    }

    private String sizeList() {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
