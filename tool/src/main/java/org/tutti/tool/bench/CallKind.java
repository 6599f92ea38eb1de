/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.tool.UsageException;

/** What {@code --call} names: how a collective is called. */
public enum CallKind {
    /** The call returns when it is done. */
    BLOCKING,
    /** The same, told by {@link org.tutti.Blocks} that all blocks are of one length: only where blocks may differ. */
    WITH_BLOCKS,
    /** The call is started, and awaited at once. */
    NON_BLOCKING,
    /** The call is prepared once, and run each time. */
    PREPARED,
    /** The call is prepared once; each time it is started, and awaited at once. */
    PREPARED_STARTED,
    /** The call is started, the rank computes as long as a call takes, and then awaits it. */
    OVERLAPPED;

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the kinds of labels of the command line} */
    public static List<CallKind> ofLabels(List<String> labels) {
        return labels.stream().map(CallKind::ofLabel).toList();
    }

    private static CallKind ofLabel(String label) {
        return Stream.of(values()).filter(kind -> kind.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--call " + label + " is not one of "
                        + Stream.of(values()).map(CallKind::label).collect(Collectors.joining(", "))));
    }
}
