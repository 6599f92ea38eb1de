/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.info;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.CallShape;
import org.tutti.memory.Bytes;
import org.tutti.tool.UsageException;

/** Tells for each algorithm which one really runs on a layout, the nodes and ranks of a job. */
final class ActualAlgorithms {
    private static final Pattern LAYOUT = Pattern.compile("([1-9]\\d{0,3})x([1-9]\\d{0,3})");

    /** The longest message that is looked at; longer ones run alike. */
    private static final long BYTES_MAX = 1L << 30;

    private final String layout;
    private final Topology topology;

    /**
     * @param layout the nodes, and the ranks of each, such as 2x4
     * @throws UsageException if the text is no layout
     */
    ActualAlgorithms(String layout) {
        Matcher sides = LAYOUT.matcher(layout);
        if (!sides.matches()) {
            throw new UsageException("\"" + layout
                    + "\" is no layout; give NODESxRANKS, such as 4x2 for 4 nodes with 2 ranks each");
        }
        int ranks = Integer.parseInt(sides.group(2));
        this.layout = layout;
        this.topology = new Topology(
                IntStream.range(0, Integer.parseInt(sides.group(1)) * ranks).map(rank -> rank / ranks).toArray());
    }

    /**
     * Returns the algorithms that really run when an algorithm is chosen, as in "direct:0-16k,ring:16k-".
     *
     * @return the algorithms with their ranges of message bytes; the name alone if one runs for all lengths; empty if
     *         the algorithm itself runs for all lengths
     */
    String describe(Algorithm algorithm) {
        List<String> names = new ArrayList<>();
        List<Long> starts = new ArrayList<>();
        long longest = algorithm.collective().hasElements() ? BYTES_MAX : 0;
        for (long bytes = 0; bytes <= longest; bytes = Math.max(1, 2 * bytes)) {
            String name = name(algorithm, bytes);
            if (names.isEmpty() || !names.getLast().equals(name)) {
                starts.add(names.isEmpty() ? 0 : start(algorithm, bytes));
                names.add(name);
            }
        }
        if (names.size() == 1) {
            return names.getFirst().equals(algorithm.description().name()) ? "" : names.getFirst();
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < names.size(); i++) {
            text.append(i == 0 ? "" : ",").append(names.get(i)).append(':').append(Bytes.option(starts.get(i)))
                    .append('-').append(i + 1 < names.size() ? Bytes.option(starts.get(i + 1)) : "");
        }
        return text.toString();
    }

    /** {@return the layout, as it was given} */
    String layout() {
        return layout;
    }

    private String name(Algorithm algorithm, long bytes) {
        return algorithm.actual(new CallShape(topology, false, bytes, 0, true)).description().name();
    }

    /** Returns the least length above half of a length for which the same algorithm runs as for that length. */
    private long start(Algorithm algorithm, long bytes) {
        String name = name(algorithm, bytes);
        long below = bytes / 2;
        long start = bytes;
        while (start - below > 1) {
            long middle = (below + start) / 2;
            if (name(algorithm, middle).equals(name)) {
                start = middle;
            } else {
                below = middle;
            }
        }
        return start;
    }
}
