/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;

/**
 * A rule of the table from which {@link Choice} chooses the algorithms of collective calls. The number of nodes and
 * ranks of a communicator decides which rules of a collective fit. The length of a call's message then decides which of
 * these is used.
 *
 * @param nodes the numbers of nodes for which the rule fits
 * @param ranks the numbers of ranks for which the rule fits
 * @param levels whether the rule fits only nodes with levels, such as sockets and shared caches
 * @param slowLinks whether the rule fits only if the links between nodes are slow
 * @param bytes the least length of a message for which the rule fits
 * @param algorithm the algorithm that the rule chooses; for a non-commutative operator, it must keep the order of the
 *            ranks
 */
public record Rule(Range nodes, Range ranks, boolean levels, boolean slowLinks, Length bytes, Algorithm algorithm) {
    private static final String ANY = "any";

    /**
     * Returns a rule for all topologies in which the algorithm keeps the order of the ranks, if an operator needs it.
     */
    static Rule of(Algorithm algorithm) {
        return new Rule(Range.ANY, Range.ANY, false, false, Length.ANY, algorithm);
    }

    /** Returns a rule that fits links of any speed. */
    static Rule of(Collective collective, Range nodes, Range ranks, boolean levels, Length bytes, String algorithm) {
        return new Rule(nodes, ranks, levels, false, bytes, Catalogue.find(collective, algorithm));
    }

    /** Returns a rule that fits only slow links between nodes. */
    static Rule ofSlowLinks(Collective collective, Range nodes, Length bytes, String algorithm) {
        return new Rule(nodes, Range.ANY, false, true, bytes, Catalogue.find(collective, algorithm));
    }

    /** Returns whether this rule fits a communicator, except for the length of a message. */
    boolean fits(Topology topology, Links links, boolean operatorCommutes) {
        return nodes.contains(topology.nodes()) && ranks.contains(topology.size())
                && (!levels || topology.hasLevels()) && (!slowLinks || links == Links.SLOW)
                && (operatorCommutes || algorithm.keepsOrder(topology));
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
     * The least length of a message for which a rule fits.
     *
     * @param least the length in bytes, in all or for each node
     * @param forEachNode whether the length is for each node, so that it is multiplied by the number of nodes
     */
    public record Length(long least, boolean forEachNode) {
        static final Length ANY = from(0);
        private static final long KIBIBYTE = 1 << 10;

        static Length from(long bytes) {
            return new Length(bytes, false);
        }

        static Length fromForEachNode(long bytes) {
            return new Length(bytes, true);
        }

        long least(int nodes) {
            return forEachNode ? nodes * least : least;
        }

        @Override
        public String toString() {
            return equals(ANY) ? Rule.ANY : (least < KIBIBYTE ? least + " B" : least / KIBIBYTE + " KiB")
                    + (forEachNode ? " a node or more" : " or more");
        }
    }
}
