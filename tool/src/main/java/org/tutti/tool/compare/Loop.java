/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What every contender measures in one invocation.
 *
 * @param operations the collectives
 * @param sizes bytes of a message, for those that have one
 * @param repeats how often each cell is repeated
 */
record Loop(List<String> operations, List<Long> sizes, int repeats) {
    /** {@return the sizes from some bytes on} */
    Loop from(long leastBytes) {
        return new Loop(operations.stream().filter(operation -> leastBytes == 0 || !operation.equals("barrier"))
                .toList(), sizes.stream().filter(bytes -> bytes >= leastBytes).toList(), repeats);
    }

    boolean isEmpty() {
        return operations.isEmpty() || sizes.isEmpty() && !operations.contains("barrier");
    }

    String operationList() {
        return String.join(",", operations);
    }

    String sizeList() {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** {@return the arguments of every peer's program} */
    List<String> arguments() {
        return List.of(operationList(), sizeList(), String.valueOf(repeats));
    }
}
