/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.tutti.job.RankProcess;

/**
 * The exceptions of the ranks. Often all of them throw the same one: what one has thrown is passed on, and of the
 * others only their numbers. Exceptions are the same if all is, but for the number of the rank itself.
 */
final class Traces {
    private static final byte MARK = (byte) RankProcess.TRACE_MARK;
    private static final Pattern LINE = Pattern.compile("(\\d+):(.*?)\n?", Pattern.DOTALL);

    private final boolean each;
    private final Map<String, Integer> first = new LinkedHashMap<>(); // ranks by what they threw
    private final Map<Integer, TreeSet<Integer>> alike = new LinkedHashMap<>();

    /**
     * @param each whether those of all ranks are passed on, as nobody sees them side by side
     */
    Traces(boolean each) {
        this.each = each;
    }

    /** {@return what is to be passed on instead of a line, if it is an exception; else null} */
    synchronized byte[] take(byte[] bytes, int from, int to) {
        if (bytes[from] != MARK) {
            return null;
        }
        var line = LINE.matcher(new String(bytes, from + 1, to - from - 1, StandardCharsets.UTF_8));
        if (!line.matches()) {
            return Arrays.copyOfRange(bytes, from, to);
        }
        var rank = line.group(1);
        var trace = line.group(2).replace(RankProcess.TRACE_LINE_END, '\n');
        var known = first.putIfAbsent(withoutNumber(trace, rank), Integer.valueOf(rank));
        if (known == null || each) {
            return ("Exception in rank " + rank + ": " + trace).getBytes(StandardCharsets.UTF_8);
        }
        alike.computeIfAbsent(known, _ -> new TreeSet<>()).add(Integer.valueOf(rank));
        return new byte[0];
    }

    private static String withoutNumber(String trace, String rank) {
        return trace.replaceAll("\\brank " + rank + "\\b", Matcher.quoteReplacement("rank …"));
    }

    /** {@return a sentence for each exception that others have thrown as well, once} */
    synchronized List<String> sentences() {
        var sentences = alike.entrySet().stream().map(entry -> {
            var ranks = entry.getValue();
            return names(ranks) + " threw the same exception as rank " + entry.getKey()
                    + (ranks.size() > 1 ? " (" + ranks.size() + " more ranks)" : "");
        }).toList();
        alike.clear();
        return sentences;
    }

    private static String names(TreeSet<Integer> ranks) {
        List<RankRange> ranges = new ArrayList<>();
        for (int rank : ranks) {
            var last = ranges.isEmpty() ? null : ranges.getLast();
            if (last != null && last.last() + 1 == rank) {
                ranges.set(ranges.size() - 1, new RankRange(last.first(), rank));
            } else {
                ranges.add(new RankRange(rank, rank));
            }
        }
        return (ranks.size() == 1 ? "rank " : "ranks ")
                + ranges.stream().map(RankRange::numbers).collect(Collectors.joining(", "));
    }
}
