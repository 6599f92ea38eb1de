/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.bench.CollectiveOperation;

/**
 * A loop over collectives.
 *
 * @param operations the collectives, and ways to make groups
 * @param sizes the sizes of messages in bytes, for operations with a message
 * @param repeats how often to repeat each cell
 * @param percentiles whether each call is timed
 */
record CollectiveLoop(List<CollectiveOperation> operations, List<Long> sizes, int repeats, boolean percentiles)
        implements
            Loop {
    /** Puts the operations into the order in which all contenders measure them. */
    CollectiveLoop {
        operations = operations.stream().distinct().sorted().toList();
        sizes = List.copyOf(sizes);
    }

    @Override
    public Loop from(long leastBytes) {
        return new CollectiveLoop(operations.stream()
                .filter(operation -> leastBytes == 0 || operation.hasElements()).toList(),
                sizes.stream().filter(bytes -> bytes >= leastBytes).toList(), repeats, percentiles);
    }

    @Override
    public List<Cell> cells() {
        return operations.stream().flatMap(operation -> operation.sizes(sizes).stream()
                .map(bytes -> new Cell(operation.label(), bytes))).toList();
    }

    @Override
    public String program() {
        return "collectives";
    }

    @Override
    public List<String> arguments(Layout layout, Path gates) {
        return List.of(operationList(), sizeList(), String.valueOf(repeats), gates.toString(),
                layout.communicators().label(), figures());
    }

    @Override
    public List<String> environment() {
        return List.of();
    }

    @Override
    public List<String> benchOptions(Layout layout) {
        List<String> options = new ArrayList<>(List.of("--collective", operationList(), "--communicator",
                layout.communicators().label()));
        if (!sizes.isEmpty()) {
            options.addAll(List.of("--bytes", sizeList()));
        }
        return options;
    }

    @Override
    public boolean makesGroups() {
        return operations.stream().anyMatch(CollectiveOperation::makesGroups);
    }

    private String operationList() {
        return operations.stream().map(CollectiveOperation::label).collect(Collectors.joining(","));
    }

    private String sizeList() {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
