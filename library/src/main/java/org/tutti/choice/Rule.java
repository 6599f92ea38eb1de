/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.memory.Bytes;

/**
 * A rule of the table from which {@link Choice} chooses the algorithms of collective calls. The number of nodes and
 * ranks of a communicator decides which rules of a collective fit. The length of a call's message then decides which of
 * these is used.
 *
 * @param nodes the numbers of nodes for which the rule fits
 * @param ranks the numbers of ranks for which the rule fits
 * @param oneOnEachNode whether the rule fits only if each node has a single rank
 * @param levels whether the rule fits only nodes with levels, such as sockets and shared caches
 * @param slowLinks whether the rule fits only if the links between nodes are slow
 * @param bytes the lengths of a message for which the rule fits
 * @param algorithm the algorithm that the rule chooses; for a non-commutative operator, it must keep the order of the
 *            ranks
 */
public record Rule(Range nodes, Range ranks, boolean oneOnEachNode, boolean levels, boolean slowLinks, Length bytes,
        Algorithm algorithm) {
    private static final String ANY = "any";

    /**
     * Returns a rule for all topologies in which the algorithm keeps the order of the ranks, if an operator needs it.
     */
    static Rule of(Algorithm algorithm) {
        return new Rule(Range.ANY, Range.ANY, false, false, false, Length.ANY, algorithm);
    }

    /** Returns whether this rule has no condition, except the order that an operator needs. */
    boolean fitsAll() {
        return equals(of(algorithm));
    }

    /** Returns a rule that fits links of any speed. */
    static Rule of(Collective collective, Range nodes, Range ranks, boolean levels, Length bytes, String algorithm) {
        return new Rule(nodes, ranks, false, levels, false, bytes, Catalogue.find(collective, algorithm));
    }

    /** Returns a rule that fits only slow links between nodes. */
    static Rule ofSlowLinks(Collective collective, Range nodes, Length bytes, String algorithm) {
        return new Rule(nodes, Range.ANY, false, false, true, bytes, Catalogue.find(collective, algorithm));
    }

    /** Returns a rule that fits only several nodes of a single rank each. */
    static Rule ofOneOnEachNode(Collective collective, Length bytes, String algorithm) {
        return new Rule(Range.from(2), Range.ANY, true, false, false, bytes, Catalogue.find(collective, algorithm));
    }

    /** Returns whether this rule fits a communicator, except for the length of a message. */
    boolean fits(Topology topology, Links links, boolean operatorCommutes) {
        return nodes.contains(topology.nodes()) && ranks.contains(topology.size())
                && (!oneOnEachNode || topology.size() == topology.nodes())
                && (!levels || topology.hasLevels()) && (!slowLinks || links == Links.SLOW)
                && (operatorCommutes || algorithm.keepsOrder(topology));
    }

    /** {@return the conditions of the rule, except the order that an operator needs, in words} */
    public String conditions() {
        String named = Stream.of(nodes.equals(Range.ANY) ? "" : nodes.equals(Range.ONE) ? "1 node" : nodes + " nodes",
                oneOnEachNode ? "1 rank a node" : ranks.equals(Range.ANY) ? "" : ranks + " ranks",
                levels ? "levels inside the node" : "", slowLinks ? "slow links" : "",
                bytes.equals(Length.ANY) ? "" : bytes.toString())
                .filter(each -> !each.isEmpty()).collect(Collectors.joining(", "));
        return named.isEmpty() ? "any call" : named;
    }

    /** {@return the numbers of ranks for which the rule fits, in words} */
    public String ranksInWords() {
        return oneOnEachNode ? "1 a node" : ranks.toString();
    }

    /** {@return the operators for which the algorithm may be used, in words} */
    public String operators() {
        return switch (algorithm.description().order()) {
            case ALWAYS -> ANY;
            case BLOCKS -> nodes.equals(Range.ONE) ? ANY : "commuting, or ranks in blocks";
            case ONE_NODE -> nodes.equals(Range.ONE) ? ANY : "commuting, or one node";
        };
    }

    /**
     * The numbers of nodes, or of ranks, for which a rule fits.
     *
     * @param least the least number
     * @param most the greatest number, or {@link Integer#MAX_VALUE} if there is no limit
     */
    public record Range(int least, int most) {
        static final Range ANY = from(1);
        static final Range ONE = exactly(1);

        static Range from(int least) {
            return new Range(least, Integer.MAX_VALUE);
        }

        static Range upTo(int most) {
            return new Range(1, most);
        }

        static Range exactly(int number) {
            return new Range(number, number);
        }

        boolean contains(int number) {
            return number >= least && number <= most;
        }

        @Override
        public String toString() {
            return equals(ANY) ? Rule.ANY : least == most ? String.valueOf(least)
                    : most == Integer.MAX_VALUE ? least + " or more"
                            : least == 1 ? "up to " + most : least + " to " + most;
        }
    }

    /**
     * The lengths of a message for which a rule fits.
     *
     * @param least the least length, in bytes
     * @param end the least length above {@code least} that does not fit, in bytes; {@link Long#MAX_VALUE} for no limit
     * @param forEachNode whether {@code least} is multiplied by the number of nodes; {@code end} has no limit then
     */
    public record Length(long least, long end, boolean forEachNode) {
        static final Length ANY = from(0);
        private static final long KIBIBYTE = 1 << 10;
        private static final Pattern OPTION = Pattern.compile("(\\w+)-(\\w*)");

        static Length from(long bytes) {
            return new Length(bytes, Long.MAX_VALUE, false);
        }

        static Length fromForEachNode(long bytes) {
            return new Length(bytes, Long.MAX_VALUE, true);
        }

        /**
         * Reads the range of an option.
         *
         * @param text a range such as {@code 64k-1m}, whose end is exclusive, or {@code 64k-} without an end
         * @return the range, with one length or more
         * @throws IllegalArgumentException if the text is no range, or the range is empty
         */
        static Length parse(String text) {
            Matcher sides = OPTION.matcher(text);
            Length range;
            try {
                range = sides.matches() ? new Length(Bytes.parse(sides.group(1)),
                        sides.group(2).isEmpty() ? Long.MAX_VALUE : Bytes.parse(sides.group(2)), false) : null;
            } catch (NumberFormatException _) {
                range = null;
            }
            if (range == null) {
                throw new IllegalArgumentException(
                        "\"" + text + "\" is no range of message bytes; give FROM-TO such as "
                                + "0-64k, or FROM- such as 64k- without an end");
            }
            if (range.least >= range.end) {
                throw new IllegalArgumentException(
                        "the range " + text + " is empty, because its end is exclusive; give "
                                + "an end above " + Bytes.option(range.least));
            }
            return range;
        }

        /** {@return this range as {@link #parse} reads it; it must not be for each node} */
        String option() {
            return Bytes.option(least) + "-" + (end == Long.MAX_VALUE ? "" : Bytes.option(end));
        }

        boolean overlaps(Length other) {
            return least < other.end && other.least < end;
        }

        long least(int nodes) {
            return forEachNode ? nodes * least : least;
        }

        @Override
        public String toString() {
            if (end == Long.MAX_VALUE) {
                return least == 0 ? Rule.ANY : text(least) + (forEachNode ? " a node or more" : " or more");
            }
            return (least == 0 ? "" : text(least) + " to ") + "below " + text(end);
        }

        private static String text(long bytes) {
            return bytes == 0 || bytes % KIBIBYTE != 0 ? bytes + " B" : bytes / KIBIBYTE + " KiB";
        }
    }
}
