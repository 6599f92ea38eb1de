/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.blocks.CarriedBlocksAlgorithm;

/**
 * The rules of a {@link Choice} that can apply to calls on one communicator. They are selected once, so that a call
 * only compares the length of its message with a few limits. A list is immutable.
 */
public final class Shortlist {
    private record Candidate(long bytesMin, long bytesEnd, Algorithm algorithm) {}

    private final Topology topology;
    private final int rails;
    private final Table equal;
    private final Table unequal;

    /** The candidates of all collectives, by the ordinal of the collective. */
    private record Table(Candidate[][] commuting, Candidate[][] ordered) {}

    Shortlist(Topology topology, Links links, int rails, Choice choice) {
        this.topology = topology;
        this.rails = rails;
        this.equal = table(links, choice::inEffect, UnaryOperator.identity());
        this.unequal = table(links, choice::inEffectForBlocks, CarriedBlocksAlgorithm::of);
    }

    private Table table(Links links, Function<Collective, List<Rule>> rules, UnaryOperator<Algorithm> running) {
        Collective[] collectives = Collective.values();
        Table table = new Table(new Candidate[collectives.length][], new Candidate[collectives.length][]);
        for (Collective each : collectives) {
            table.commuting[each.ordinal()] = fitting(rules.apply(each), links, true, running);
            table.ordered[each.ordinal()] = fitting(rules.apply(each), links, false, running);
        }
        return table;
    }

    private Candidate[] fitting(List<Rule> rules, Links links, boolean operatorCommutes,
            UnaryOperator<Algorithm> running) {
        return rules.stream().filter(rule -> rule.fits(topology, links, operatorCommutes))
                .map(rule -> new Candidate(rule.bytes().least(topology.nodes()), rule.bytes().end(),
                        running.apply(withPorts(rule.algorithm()))))
                .toArray(Candidate[]::new);
    }

    /** Returns the algorithm with as many ports as there are rails, if its name has no number of ports. */
    private Algorithm withPorts(Algorithm algorithm) {
        return rails > 1 && topology.nodes() > 1 ? Catalogue.withPorts(algorithm, rails) : algorithm;
    }

    /**
     * Returns the algorithm by which a call on the communicator runs.
     *
     * @param collective the collective that is called
     * @param bytes the length of the message, in bytes
     * @param operatorCommutes whether the operator commutes; true if nothing is combined
     * @return the algorithm
     * @throws IllegalArgumentException if the requested algorithm does not keep the order of ranks that the operator
     *            needs, and the message is not empty
     */
    public Algorithm algorithm(Collective collective, long bytes, boolean operatorCommutes) {
        return algorithm(equal, collective, bytes, operatorCommutes);
    }

    /**
     * Returns the algorithm by which a call with blocks that may differ in length runs. A requested algorithm for a
     * range of lengths is used only if the collective combines, because all ranks know all lengths then.
     *
     * @param collective a gather, a scatter, an allgather, an all-to-all or a reduce-scatter
     * @param longest the length of the longest block, in bytes, if the collective combines; any number otherwise
     * @param operatorCommutes whether the operator commutes; true if nothing is combined
     * @return the algorithm
     * @throws IllegalArgumentException as {@link #algorithm} does
     */
    public Algorithm ofBlocks(Collective collective, long longest, boolean operatorCommutes) {
        return algorithm(unequal, collective, longest, operatorCommutes);
    }

    private Algorithm algorithm(Table table, Collective collective, long bytes, boolean operatorCommutes) {
        for (Candidate candidate : (operatorCommutes ? table.commuting : table.ordered)[collective.ordinal()]) {
            if (bytes >= candidate.bytesMin && bytes < candidate.bytesEnd) {
                return candidate.algorithm;
            }
        }
        if (bytes == 0 && !operatorCommutes) { // nothing is combined
            return algorithm(table, collective, bytes, true);
        }
        throw new IllegalArgumentException("algorithm \""
                + algorithm(table, collective, bytes, true).description().name()
                + "\" does not combine the ranks in their order when they are placed like this: " + topology
                + ", and an operator that does not commute needs that; choose another one");
    }
}
