/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;

/**
 * The cell of {@code --messages} that a figure belongs to.
 *
 * @param operation the operation
 * @param bytes the size of a message
 */
public record MessageCell(MessageOperation operation, long bytes) {
    /** {@return the cells of all valid combinations, in the order in which both ranks measure them} */
    static List<MessageCell> of(List<MessageOperation> operations, List<Long> sizes) {
        return operations.stream().distinct().sorted().flatMap(operation -> operation.sizes(sizes).stream()
                .map(bytes -> new MessageCell(operation, bytes))).toList();
    }

    /** {@return the cell as an argument of programs, such as latency:8} */
    @Override
    public String toString() {
        return operation.label() + ":" + bytes;
    }

    /** {@return the cell that a word of a program's arguments denotes} */
    static MessageCell parse(String word) {
        String[] parts = word.split(":");
        return new MessageCell(MessageOperation.ofLabel(parts[0]), Long.parseLong(parts[1]));
    }
}
