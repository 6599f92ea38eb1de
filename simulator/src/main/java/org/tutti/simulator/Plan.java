/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;

/** A verification run: some calls on a shape, with a seed. Equal plans have equal calls. */
public sealed interface Plan permits AlgorithmPlan, GroupPlan, HeldBackPlan, InFlightPlan {
    /**
     * Runs the calls and checks them.
     *
     * @return the failure, with the command that repeats the run; empty when the run is right
     */
    Optional<SimulationFailure> verify();

    /** {@return the plan as the option --replay takes it} */
    @Override
    String toString();

    /**
     * Reads a plan.
     *
     * @param text the text that {@link #toString} returns
     * @return the plan
     * @throws IllegalArgumentException if the text is not a plan; the message says why
     */
    static Plan parse(String text) {
        String[] fields = text.split(":", -1);
        boolean mixed = List.of(InFlightPlan.NAME, HeldBackPlan.NAME, GroupPlan.NAME).contains(fields[0]);
        if (fields.length != (mixed ? 4 : 5)) {
            throw new IllegalArgumentException("\"" + text + "\" is not of the form "
                    + (mixed ? fields[0] : "collective:algorithm")
                    + ":node.of.each.rank/levels:part:seed");
        }
        int shape = fields.length - 3;
        try {
            Topology topology = topology(fields[shape]);
            int part = Integer.parseInt(fields[shape + 1]);
            long seed = Long.parseLong(fields[shape + 2]);
            if (part < 0) {
                throw new IllegalArgumentException("\"" + text + "\" has part " + part + "; parts are numbered from 0");
            }
            return switch (fields[0]) {
                case GroupPlan.NAME -> new GroupPlan(topology, part, seed);
                case InFlightPlan.NAME -> new InFlightPlan(topology, part, seed);
                case HeldBackPlan.NAME -> new HeldBackPlan(topology, part, seed);
                default -> new AlgorithmPlan(Catalogue.find(collective(fields[0]), fields[1]), topology, part, seed);
            };
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" has something else where a number is expected: "
                    + e.getMessage(), e);
        }
    }

    private static Collective collective(String label) {
        return Arrays.stream(Collective.values()).filter(each -> each.label().equals(label)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no collective \"" + label + "\""));
    }

    private static Topology topology(String text) {
        String[] sides = text.split("/", 2);
        return new Topology(numbers(sides[0]), sides.length == 1 ? new int[0] : numbers(sides[1]));
    }

    private static int[] numbers(String text) {
        return Arrays.stream(text.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }

    /** {@return a shape in the form that the text of a plan has} */
    static String text(Topology topology) {
        String nodes = IntStream.range(0, topology.size()).mapToObj(rank -> String.valueOf(topology.nodeOf(rank)))
                .collect(Collectors.joining("."));
        String levels = IntStream.of(topology.levels()).mapToObj(String::valueOf).collect(Collectors.joining("."));
        return nodes + (levels.isEmpty() ? "" : "/" + levels);
    }

    /** {@return a failure that names the run, and the command that repeats it} */
    static SimulationFailure explain(String what, SimulationFailure failure, Plan plan) {
        return new SimulationFailure(what + " is not right: " + failure.getMessage()
                + "  repeat it by: tutti simulate --replay " + plan, failure);
    }
}
