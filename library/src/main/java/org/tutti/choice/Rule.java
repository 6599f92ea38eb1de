/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;

/**
 * A line of the table from which {@link Choice} takes algorithms. The topology of a communicator decides which lines of
 * a collective fit; the length of a message decides which of these is taken.
 *
 * @param nodes the number of nodes
 * @param ranks the number of ranks
 * @param levels whether the nodes must have levels inside
 * @param slowLinks whether the links between nodes must be slow
 * @param bytes the length of the message
 * @param algorithm the algorithm; it must keep the order of the ranks for a non-commutative operator
 */
public record Rule(Range nodes, Range ranks, boolean levels, boolean slowLinks, Length bytes, Algorithm algorithm) {
    private static final String ANY = "any";

    /** Returns a rule for all topologies in which the algorithm keeps the order that an operator needs. */
    static Rule of(Algorithm algorithm) {
        return new Rule(Range.ANY, Range.ANY, false, false, Length.ANY, algorithm);
    }

    static Rule of(Collective collective, Range nodes, Range ranks, boolean levels, Length bytes, String algorithm) {
        return new Rule(nodes, ranks, levels, false, bytes, Catalogue.find(collective, algorithm));
    }

    /** Returns a rule for slow links. */
    static Rule ofSlowLinks(Collective collective, Range nodes, Length bytes, String algorithm) {
        return new Rule(nodes, Range.ANY, false, true, bytes, Catalogue.find(collective, algorithm));
    }

    boolean fits(Topology topology, Links links, boolean operatorCommutes) {
        return nodes.contains(topology.nodes()) && ranks.contains(topology.size())
                && (!levels || topology.hasLevels()) && (!slowLinks || links == Links.SLOW)
                && (operatorCommutes || algorithm.keepsOrder(topology));
    }

    /**
     * {@return the operators for which it is, in words}
     */
    public String operators() {
        return switch (algorithm.description().order()) {
            case ALWAYS -> ANY;
            case BLOCKS -> nodes.equals(Range.ONE) ? ANY : "commuting, or ranks in blocks";
            case ONE_NODE -> nodes.equals(Range.ONE) ? ANY : "commuting, or one node";
        };
    }

    /**
     * A range of numbers.
     *
     * @param least the least number
     * @param most the greatest number, {@link Integer#MAX_VALUE} for no limit
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
     * The least length of a message.
     *
     * @param least the length, in bytes
     * @param forEachNode whether the length counts for each node
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
