/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.calls;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.collective.calls.RecentCalls.Entry;
import org.tutti.job.node.Node;
import org.tutti.tool.report.Units;

/** Names calls, communicators and algorithms for people. */
public final class CallNames {
    private static final String VOWELS = "aeiou";

    private static final Map<Long, String> ALGORITHMS = Stream
            .concat(Arrays.stream(Collective.values()).flatMap(collective -> Catalogue.of(collective).stream()),
                    Catalogue.unlisted().stream())
            .map(algorithm -> algorithm.label())
            .collect(Collectors.toMap(label -> label.hash(), label -> label.toString(), (name, _) -> name));

    private CallNames() {}

    /** {@return the name of an algorithm; its hash as hexadecimal digits if no listed algorithm has the hash} */
    public static String algorithm(long hash) {
        return ALGORITHMS.getOrDefault(hash, Long.toHexString(hash));
    }

    /** {@return "the world", or "communicator 1f3a"} */
    static String communicator(long number) {
        return number == Node.WORLD ? "the world" : "communicator " + Long.toHexString(number);
    }

    /** {@return a call with an article, such as "an allreduce of 8 B"} */
    static String call(Entry call) {
        return name(call) + (call.collective().hasElements() ? " of " + Units.bytes(call.bytes()) : "");
    }

    /** {@return a call with everything that must be the same at all ranks} */
    static String exactCall(Entry call) {
        return name(call)
                + (call.collective().hasElements() ? " of " + Units.count(call.bytes()) + " B" : "")
                + (call.collective().hasRoot() ? " with root " + call.root() : "");
    }

    private static String name(Entry call) {
        var label = call.collective().label();
        return (VOWELS.indexOf(label.charAt(0)) < 0 ? "a " : "an ") + label;
    }
}
