/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.tool.UsageException;

/** What {@code --communicator} names: the communicators whose calls are measured. */
public enum CommunicatorKind {
    /** All ranks. */
    WORLD,
    /** A group for each node, all at the same time. */
    NODE,
    /** A group of the even ranks and one of the odd ranks, both at the same time. */
    INTERLEAVED,
    /** All ranks, and a duplicate, whose calls alternate. */
    ALTERNATING;

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the kind of a label of the command line} */
    public static CommunicatorKind ofLabel(String label) {
        return Stream.of(values()).filter(kind -> kind.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--communicator " + label + " is not one of "
                        + Stream.of(values()).map(CommunicatorKind::label).collect(Collectors.joining(", "))));
    }

    /** {@return whether a call is one of some ranks, beside others of the other ranks} */
    public boolean divides() {
        return this == NODE || this == INTERLEAVED;
    }
}
