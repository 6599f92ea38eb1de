/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.stream.Stream;

/**
 * The cell of {@code --one-sided} that a figure belongs to.
 *
 * @param operation the operation
 * @param target the behavior of the ranks that do not call
 * @param bytes the size of a call's data
 */
public record OneSidedCell(OneSidedOperation operation, Target target, long bytes) {
    /** The behavior of the ranks that do not call. */
    public enum Target {
        /** They wait for the caller in a collective. */
        PASSIVE(""),
        /** They compute, 300 ms at a time, and do nothing for Tutti. */
        COMPUTING("-computing");

        private final String suffix;

        Target(String suffix) {
            this.suffix = suffix;
        }
    }

    /** {@return the cells of all valid combinations, in the order in which all ranks measure them} */
    public static List<OneSidedCell> of(List<OneSidedOperation> operations, List<Target> targets, List<Long> sizes) {
        return operations.stream().distinct().sorted().flatMap(operation -> targets.stream().distinct().sorted()
                .filter(target -> target == Target.PASSIVE || !operation.isCalledByAll())
                .flatMap(target -> operation.sizes(sizes).stream()
                        .map(bytes -> new OneSidedCell(operation, target, bytes))))
                .toList();
    }

    /** {@return the names of operations in files, combined with the behavior of the target} */
    public static List<String> labels() {
        return Stream.of(OneSidedOperation.values()).flatMap(operation -> Stream.of(Target.values())
                .map(target -> new OneSidedCell(operation, target, 0).label())).toList();
    }

    /** {@return the name of the operation in files, combined with the behavior of the target} */
    public String label() {
        return operation.label() + target.suffix;
    }

    /** {@return the cell as an argument of programs, such as put-computing:8} */
    @Override
    public String toString() {
        return label() + ":" + bytes;
    }

    /** {@return the cell that a word of a program's arguments denotes} */
    static OneSidedCell parse(String word) {
        String[] parts = word.split(":");
        Target target = parts[0].endsWith(Target.COMPUTING.suffix) ? Target.COMPUTING : Target.PASSIVE;
        String operation = parts[0].substring(0, parts[0].length() - target.suffix.length());
        return new OneSidedCell(OneSidedOperation.ofLabel(operation), target, Long.parseLong(parts[1]));
    }
}
