/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a figure of {@code --one-sided} is about.
 *
 * @param operation what is called
 * @param target what the ranks do meanwhile that do not call
 * @param bytes of the data of a call
 */
public record OneSidedCell(OneSidedOperation operation, Target target, long bytes) {
    /** What ranks do that do not call. */
    public enum Target {
        /** They wait for the caller in a collective. */
        PASSIVE(""),
        /** They compute, 300 ms at a time, and look at nothing. */
        COMPUTING("-computing");

        private final String suffix;

        Target(String suffix) {
            this.suffix = suffix;
        }
    }

    /** {@return the cells of all combinations that there are, in the order in which everybody measures them} */
    public static List<OneSidedCell> of(List<OneSidedOperation> operations, List<Target> targets, List<Long> sizes) {
        return operations.stream().distinct().sorted().flatMap(operation -> targets.stream().distinct().sorted()
                .filter(target -> target == Target.PASSIVE || !operation.isCalledByAll())
                .flatMap(target -> operation.sizes(sizes).stream()
                        .map(bytes -> new OneSidedCell(operation, target, bytes))))
                .toList();
    }

    /** {@return the names that operations have in files, with what the target does} */
    public static List<String> labels() {
        return Stream.of(OneSidedOperation.values()).flatMap(operation -> Stream.of(Target.values())
                .map(target -> new OneSidedCell(operation, target, 0).label())).toList();
    }

    /** {@return the name of the operation in files, with what the target does} */
    public String label() {
        return operation.label() + target.suffix;
    }

    /** {@return the cell as programs are told of it, such as put-computing:8} */
    @Override
    public String toString() {
        return label() + ":" + bytes;
    }

    /** {@return the cell that a word of a program's arguments stands for} */
    static OneSidedCell parse(String word) {
        String[] parts = word.split(":");
        Target target = parts[0].endsWith(Target.COMPUTING.suffix) ? Target.COMPUTING : Target.PASSIVE;
        String operation = parts[0].substring(0, parts[0].length() - target.suffix.length());
        return new OneSidedCell(OneSidedOperation.ofLabel(operation), target, Long.parseLong(parts[1]));
    }
}
