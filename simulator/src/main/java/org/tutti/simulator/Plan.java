/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;

/**
 * A verification run: some calls on a shape, with a seed. The calls are the same whenever the plan is made.
 */
public sealed interface Plan permits AlgorithmPlan, InFlightPlan {
    /**
     * Runs the calls and checks them.
     *
     * @return what is wrong, with the command that repeats the run; empty when nothing is
     */
    Optional<SimulationFailure> verify();

    /** {@return the plan as the option --replay takes it} */
    @Override
    String toString();

    /**
     * Reads a plan.
     *
     * @param text as {@link #toString} writes it
     * @return the plan
     * @throws IllegalArgumentException when it cannot be read; the message says why
     */
    static Plan parse(String text) {
        String[] fields = text.split(":", -1);
        boolean inFlight = fields[0].equals(InFlightPlan.NAME);
        if (fields.length != (inFlight ? 4 : 5)) {
            throw new IllegalArgumentException("\"" + text + "\" is not of the form "
                    + (inFlight ? InFlightPlan.NAME : "collective:algorithm") + ":node.of.each.rank:part:seed");
        }
        int shape = fields.length - 3;
        try {
            int[] nodes = Arrays.stream(fields[shape].split("\\.")).mapToInt(Integer::parseInt).toArray();
            int part = Integer.parseInt(fields[shape + 1]);
            long seed = Long.parseLong(fields[shape + 2]);
            if (part < 0) {
                throw new IllegalArgumentException("\"" + text + "\" has part " + part + "; parts are numbered from 0");
            }
            if (inFlight) {
                return new InFlightPlan(new Topology(nodes), part, seed);
            }
            Collective collective = Arrays.stream(Collective.values()).filter(each -> each.label().equals(fields[0]))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no collective \"" + fields[0] + "\""));
            return new AlgorithmPlan(collective, Catalogue.find(collective, fields[1]), new Topology(nodes), part,
                    seed);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" has something else where a number is expected: "
                    + e.getMessage(), e);
        }
    }

    /** {@return a shape as plans are written} */
    static String text(Topology topology) {
        return IntStream.range(0, topology.size()).mapToObj(rank -> String.valueOf(topology.nodeOf(rank)))
                .collect(Collectors.joining("."));
    }

    /** {@return a failure that says what was run, and how to repeat it} */
    static SimulationFailure explain(String what, SimulationFailure failure, Plan plan) {
        return new SimulationFailure(what + " is not right: " + failure.getMessage()
                + "  repeat it by: tutti simulate --replay " + plan, failure);
    }
}
