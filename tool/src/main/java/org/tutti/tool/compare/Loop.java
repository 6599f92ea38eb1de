/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.tool.compare.Figure.Cell;

/**
 * What every contender measures in one invocation.
 *
 * @param operations the collectives
 * @param sizes bytes of a message, for those that have one
 * @param repeats how often each cell is repeated
 */
record Loop(List<String> operations, List<Long> sizes, int repeats) {
    private static final String BARRIER = "barrier";
    private static final List<String> ORDER = List.of(BARRIER, "broadcast", "reduce", "allreduce");

    /** Puts the operations into the order in which all contenders measure them. */
    Loop {
        operations = operations.stream().distinct().sorted(Comparator.comparing(ORDER::indexOf)).toList();
        sizes = List.copyOf(sizes);
    }

    /** {@return the sizes from some bytes on} */
    Loop from(long leastBytes) {
        return new Loop(operations.stream().filter(operation -> leastBytes == 0 || !operation.equals(BARRIER))
                .toList(), sizes.stream().filter(bytes -> bytes >= leastBytes).toList(), repeats);
    }

    /** {@return the cells, in the order in which they are measured} */
    List<Cell> cells() {
        return operations.stream().flatMap(operation -> operation.equals(BARRIER) ? Stream.of(new Cell(BARRIER, 0))
                : sizes.stream().map(bytes -> new Cell(operation, bytes))).toList();
    }

    String operationList() {
        return String.join(",", operations);
    }

    String sizeList() {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** {@return the arguments of every peer's program, which waits at these gates} */
    List<String> arguments(Path gates) {
        return List.of(operationList(), sizeList(), String.valueOf(repeats), gates.toString());
    }
}
