/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.tutti.job.RankProcess;

/**
 * The exceptions of the ranks. All ranks often throw the same exception. In that case the launcher passes on the
 * exception of the first rank, and names the other ranks in one sentence. Exceptions are the same if they differ only
 * in the number of their own rank.
 */
final class Traces {
    private static final byte MARK = (byte) RankProcess.TRACE_MARK;
    private static final Pattern LINE = Pattern.compile("(\\d{1,9}):(.*?)\n?", Pattern.DOTALL);
    private static final int TRACES_MAX = 1000;

    private final int size;
    private final boolean each;
    private final Map<String, Integer> first = new LinkedHashMap<>(); // the first rank by its exception
    private final Map<Integer, TreeSet<Integer>> alike = new LinkedHashMap<>();

    /**
     * @param size how many ranks the job has
     * @param each whether to pass on the exceptions of all ranks, because each rank's output has a file of its own
     */
    Traces(int size, boolean each) {
        this.size = size;
        this.each = each;
    }

    /** {@return the bytes to pass on instead of a line, if the line is an exception; otherwise null} */
    synchronized byte[] take(byte[] bytes, int from, int to) {
        if (bytes[from] != MARK) {
            return null;
        }
        var line = LINE.matcher(new String(bytes, from + 1, to - from - 1, StandardCharsets.UTF_8));
        if (!line.matches() || Integer.parseInt(line.group(1)) >= size) {
            return null; // a program may write anything
        }
        var rank = line.group(1);
        var trace = line.group(2).replace(RankProcess.TRACE_LINE_END, '\n');
        var known = known(withoutNumber(trace, rank), Integer.parseInt(rank));
        if (known == null || each) {
            return ("Exception in rank " + rank + ": " + trace).getBytes(StandardCharsets.UTF_8);
        }
        alike.computeIfAbsent(known, _ -> new TreeSet<>()).add(Integer.valueOf(rank));
        return new byte[0];
    }

    /**
     * The rank that has thrown the same exception before, or null. Beyond a limit, new exceptions are not remembered.
     */
    private Integer known(String trace, int rank) {
        return first.size() < TRACES_MAX ? first.putIfAbsent(trace, rank) : first.get(trace);
    }

    private static String withoutNumber(String trace, String rank) {
        return trace.replaceAll("\\brank " + rank + "\\b", Matcher.quoteReplacement("rank …"));
    }

    /** {@return a sentence, once, for each exception that other ranks have thrown as well} */
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
