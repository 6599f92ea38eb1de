/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.tutti.tool.Candidates;
import org.tutti.tool.UsageException;

/** The values of {@code --communicator}: the communicators to call on. */
public enum CommunicatorKind {
    /** All ranks. */
    WORLD,
    /** A group for each node, all at the same time. */
    NODE,
    /** A group of the even ranks and one of the odd ranks, both at the same time. */
    INTERLEAVED,
    /** The world and a duplicate of it; the calls alternate between the two. */
    ALTERNATING;

    /** The labels that a shell offers. */
    public static final class Labels extends Candidates {
        Labels() {
            super(CommunicatorKind::labels);
        }
    }

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the labels of all kinds} */
    static List<String> labels() {
        return Stream.of(values()).map(CommunicatorKind::label).toList();
    }

    /** {@return the kind with this label on the command line} */
    public static CommunicatorKind ofLabel(String label) {
        return Stream.of(values()).filter(kind -> kind.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--communicator " + label + " is not one of "
                        + String.join(", ", labels())));
    }

    /** {@return whether each call includes only some of the ranks, while the other ranks make calls of their own} */
    public boolean divides() {
        return this == NODE || this == INTERLEAVED;
    }
}
