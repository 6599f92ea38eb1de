/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.tutti.tool.Candidates;
import org.tutti.tool.UsageException;

/** The values of {@code --call}: the ways to call a collective. */
public enum CallKind {
    /** The call returns when it is done. */
    BLOCKING,
    /**
     * A blocking call with {@link org.tutti.Blocks} of one length; only for collectives that take blocks of any length.
     */
    WITH_BLOCKS,
    /** The call is started, and awaited immediately. */
    NON_BLOCKING,
    /** The call is prepared once, and run each time. */
    PREPARED,
    /** The call is prepared once; each time it is started, and awaited immediately. */
    PREPARED_STARTED,
    /** The call is started, the rank computes as long as a call takes, and then awaits it. */
    OVERLAPPED;

    /** The labels that a shell offers. */
    public static final class Labels extends Candidates {
        Labels() {
            super(CallKind::labels);
        }
    }

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the labels of all kinds} */
    static List<String> labels() {
        return Stream.of(values()).map(CallKind::label).toList();
    }

    /** {@return the kinds with these labels on the command line} */
    public static List<CallKind> ofLabels(List<String> labels) {
        return labels.stream().map(CallKind::ofLabel).toList();
    }

    private static CallKind ofLabel(String label) {
        return Stream.of(values()).filter(kind -> kind.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--call " + label + " is not one of "
                        + String.join(", ", labels())));
    }
}
