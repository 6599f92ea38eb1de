/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.List;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;

/**
 * The rules of a {@link Choice} that can apply to calls on one communicator. They are selected once, so that a call
 * only compares the length of its message with a few limits. A list is immutable.
 */
public final class Shortlist {
    private record Candidate(long bytesMin, long bytesEnd, Algorithm algorithm) {}

    private final Topology topology;
    private final int rails;
    private final Candidate[][] commuting = new Candidate[Collective.values().length][];
    private final Candidate[][] ordered = new Candidate[Collective.values().length][];

    Shortlist(Topology topology, Links links, int rails, List<List<Rule>> byCollective) {
        this.topology = topology;
        this.rails = rails;
        for (int i = 0; i < byCollective.size(); i++) {
            commuting[i] = fitting(byCollective.get(i), links, true);
            ordered[i] = fitting(byCollective.get(i), links, false);
        }
    }

    private Candidate[] fitting(List<Rule> rules, Links links, boolean operatorCommutes) {
        return rules.stream().filter(rule -> rule.fits(topology, links, operatorCommutes))
                .map(rule -> new Candidate(rule.bytes().least(topology.nodes()), rule.bytes().end(),
                        withPorts(rule.algorithm())))
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
        for (Candidate candidate : (operatorCommutes ? commuting : ordered)[collective.ordinal()]) {
            if (bytes >= candidate.bytesMin && bytes < candidate.bytesEnd) {
                return candidate.algorithm;
            }
        }
        if (bytes == 0 && !operatorCommutes) { // nothing is combined
            return algorithm(collective, bytes, true);
        }
        throw new IllegalArgumentException("algorithm \""
                + algorithm(collective, bytes, true).description().name()
                + "\" does not combine the ranks in their order when they are placed like this: " + topology
                + ", and an operator that does not commute needs that; choose another one");
    }
}
