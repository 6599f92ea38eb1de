/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

import org.tutti.TuttiException;

/**
 * The counters of the interfaces of all hosts since the hosts were made, including headers of packets.
 *
 * @param hosts the counters of each host
 */
record Traffic(Map<String, Counters> hosts) {
    /**
     * The counters of a host.
     *
     * @param received the number of bytes that came in
     * @param sent the number of bytes that went out
     */
    record Counters(long received, long sent) {}

    /** {@return the counters in the output of {@code bench/cluster counters}} */
    static Traffic parse(String text) {
        var hosts = new LinkedHashMap<String, Counters>();
        text.lines().map(line -> line.split(" ")).forEach(words -> {
            if (words.length != 3 || !words[1].matches("\\d{1,18}") || !words[2].matches("\\d{1,18}")) {
                throw new TuttiException("bench/cluster counters printed '" + String.join(" ", words)
                        + "' instead of a host and two numbers; see whether the script is that of this version");
            }
            hosts.put(words[0], new Counters(Long.parseLong(words[1]), Long.parseLong(words[2])));
        });
        return new Traffic(hosts);
    }

    /** {@return the bytes that the busiest host received, or sent, since an earlier count, whichever are more} */
    long busiestSince(Traffic before) {
        return Math.max(most(before, Counters::received), most(before, Counters::sent));
    }

    private long most(Traffic before, ToLongFunction<Counters> direction) {
        return hosts.entrySet().stream().mapToLong(host -> direction.applyAsLong(host.getValue())
                - direction.applyAsLong(before.hosts.get(host.getKey()))).max().orElse(0);
    }
}
