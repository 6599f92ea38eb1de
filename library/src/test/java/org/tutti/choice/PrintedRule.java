/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.tutti.Topology;

/**
 * A line of the table that {@code tutti info --choices} prints, read as a user reads it: from the words alone, and from
 * the node of each rank.
 *
 * @param nodes as {@code any}, {@code 4}, {@code 2 or more}, {@code up to 8} or {@code 3 to 8}
 * @param ranks as the nodes, or {@code 1 a node}
 * @param levels whether a node must have some
 * @param slowLinks whether the links must be slow
 * @param bytes as {@code any}, {@code 512 B or more} or {@code 4 KiB a node or more}
 * @param operators as {@code any}, {@code commuting, or ranks in blocks} or {@code commuting, or one node}
 * @param algorithm its name
 */
record PrintedRule(String nodes, String ranks, boolean levels, boolean slowLinks, String bytes, String operators,
        String algorithm) {
    private static final String ANY = "any";
    private static final Pattern BYTES = Pattern.compile("(\\d+) (B|KiB)( a node)? or more");

    static List<PrintedRule> of(Collection<Rule> rules) {
        return rules.stream().map(rule -> new PrintedRule(rule.nodes().toString(), rule.ranksInWords(),
                rule.levels(), rule.slowLinks(), rule.bytes().toString(), rule.operators(),
                rule.algorithm().description().name())).toList();
    }

    boolean fits(Topology topology, Links links, boolean operatorCommutes, long length) {
        long count = nodeOfRanks(topology).distinct().count();
        return contains(nodes, count) && containsRanks(topology.size(), count) && (!levels || hasLevels(topology))
                && (!slowLinks || links == Links.SLOW) && length >= bytesMin(count)
                && (operatorCommutes || mayKeepOrder(topology));
    }

    private boolean mayKeepOrder(Topology topology) {
        return switch (operators) {
            case ANY -> true;
            case "commuting, or ranks in blocks" -> isInBlocks(topology);
            case "commuting, or one node" -> nodeOfRanks(topology).distinct().count() == 1;
            default -> throw new AssertionError("no kind of operators: " + operators);
        };
    }

    /** How long a message is at least on so many nodes. */
    long bytesMin(long nodeCount) {
        if (bytes.equals(ANY)) {
            return 0;
        }
        Matcher matcher = BYTES.matcher(bytes);
        if (!matcher.matches()) {
            throw new AssertionError("no length: " + bytes);
        }
        long unit = matcher.group(2).equals("KiB") ? 1024 : 1;
        return Long.parseLong(matcher.group(1)) * unit * (matcher.group(3) == null ? 1 : nodeCount);
    }

    private boolean containsRanks(long size, long nodeCount) {
        return ranks.equals("1 a node") ? size == nodeCount : contains(ranks, size);
    }

    private static boolean contains(String range, long number) {
        long[] bounds = numbers(range).toArray();
        return switch (range.replaceAll("\\d+", "N")) {
            case ANY -> true;
            case "N" -> number == bounds[0];
            case "N or more" -> number >= bounds[0];
            case "up to N" -> number <= bounds[0];
            case "N to N" -> number >= bounds[0] && number <= bounds[1];
            default -> throw new AssertionError("no range: " + range);
        };
    }

    /** The numbers in a text. */
    static LongStream numbers(String text) {
        return Arrays.stream(text.split("\\D+")).filter(word -> !word.isEmpty()).mapToLong(Long::parseLong);
    }

    private static IntStream nodeOfRanks(Topology topology) {
        return IntStream.range(0, topology.size()).map(topology::nodeOf);
    }

    /** Whether the ranks of each node follow each other. */
    static boolean isInBlocks(Topology topology) {
        int[] nodeOfRank = nodeOfRanks(topology).toArray();
        long changes = IntStream.range(1, nodeOfRank.length).filter(i -> nodeOfRank[i] != nodeOfRank[i - 1]).count();
        return changes + 1 == Arrays.stream(nodeOfRank).distinct().count();
    }

    /** Whether the smallest groups leave a rank of some node out. */
    private static boolean hasLevels(Topology topology) {
        int[] sizes = topology.levels();
        return sizes.length > 0 && nodeOfRanks(topology).distinct()
                .anyMatch(node -> nodeOfRanks(topology).filter(each -> each == node).count() > sizes[0]);
    }
}
