/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Algorithm.Order;

/**
 * A verification run: the calls of an algorithm on a shape that make one part of all its calls there, with a seed. All
 * calls are every root with every size around a boundary; operator, place and data of each are drawn, but the same
 * whenever the plan is made.
 *
 * @param collective the collective
 * @param algorithm the algorithm
 * @param topology where the ranks are
 * @param part which part of the calls
 * @param seed decides the order of everything
 */
@SuppressWarnings("exports") // the algorithms are for those whom the library shows them to
public record Plan(Collective collective, Algorithm algorithm, Topology topology, int part, long seed) {
    private static final int CALLS = 24;
    private static final int MANY_BARRIERS = 40;
    private static final int[] BYTES_AROUND =
            {48, 112, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 96 << 10, 128 << 10, 256 << 10};
    private static final int BYTES_MAX = (512 << 10) + 24;

    /**
     * Runs the calls and checks them.
     *
     * @return what is wrong, with the command that repeats the run; empty when nothing is
     */
    public Optional<SimulationFailure> verify() {
        return Verifier.verify(topology, calls(), seed).map(failure -> new SimulationFailure(
                collective.label() + " " + algorithm.description().name() + " is not right: " + failure.getMessage()
                        + "  repeat it by: tutti simulate --replay " + this,
                failure));
    }

    /**
     * {@return how many parts the calls of an algorithm on a shape have}
     *
     * @param collective the collective
     * @param algorithm the algorithm
     * @param topology where the ranks are
     */
    public static int parts(Collective collective, Algorithm algorithm, Topology topology) {
        return (all(collective, algorithm, topology).size() + CALLS - 1) / CALLS;
    }

    List<Call> calls() {
        List<Call> all = all(collective, algorithm, topology);
        return all.subList(Math.min(all.size(), part * CALLS), Math.min(all.size(), (part + 1) * CALLS));
    }

    private static List<Call> all(Collective collective, Algorithm algorithm, Topology topology) {
        Random random = new Random(topology.toString().hashCode());
        List<Call> calls = new ArrayList<>();
        if (collective == Collective.BARRIER) {
            for (int i = 0; i < MANY_BARRIERS; i++) {
                calls.add(new Call(collective, algorithm, Operation.BYTES, 0, 0, true, i));
            }
            return calls;
        }
        boolean rooted = collective == Collective.BROADCAST || collective == Collective.REDUCE;
        for (int root = 0; root < (rooted ? topology.size() : 1); root++) {
            for (Operation operation : operations(collective, algorithm, topology)) {
                for (int bytes : sizes(operation.unitBytes(), topology.size())) {
                    calls.add(new Call(collective, algorithm, operation, root, bytes, random.nextBoolean(),
                            random.nextInt()));
                }
            }
        }
        Collections.shuffle(calls, random);
        return calls;
    }

    private static List<Operation> operations(Collective collective, Algorithm algorithm, Topology topology) {
        if (collective == Collective.BROADCAST) {
            return List.of(Operation.BYTES);
        }
        Order order = algorithm.description().order();
        boolean keepsOrder = order == Order.ALWAYS || order == Order.BLOCKS && topology.isInBlocks();
        return keepsOrder ? List.of(Operation.values()) : List.of(Operation.BYTES, Operation.SUM);
    }

    private static TreeSet<Integer> sizes(int unit, int ranks) {
        TreeSet<Integer> sizes = new TreeSet<>(List.of(0, unit, (ranks - 1) * unit, ranks * unit));
        for (int bytes : BYTES_AROUND) {
            sizes.addAll(List.of(bytes / unit * unit - unit, bytes / unit * unit, bytes / unit * unit + unit));
        }
        sizes.add(BYTES_MAX / unit * unit);
        sizes.removeIf(bytes -> bytes < 0);
        return sizes;
    }

    /** {@return the plan as the option --replay takes it} */
    @Override
    public String toString() {
        String nodes = IntStream.range(0, topology.size()).mapToObj(rank -> String.valueOf(topology.nodeOf(rank)))
                .collect(Collectors.joining("."));
        String levels = IntStream.of(topology.levels()).mapToObj(String::valueOf).collect(Collectors.joining("."));
        return collective.label() + ":" + algorithm.description().name() + ":" + nodes
                + (levels.isEmpty() ? "" : "/" + levels) + ":" + part + ":" + seed;
    }

    /**
     * Reads a plan.
     *
     * @param text as {@link #toString} writes it
     * @return the plan
     * @throws IllegalArgumentException when it cannot be read; the message says why
     */
    public static Plan parse(String text) {
        String[] fields = text.split(":", -1);
        if (fields.length != 5) {
            throw new IllegalArgumentException("\"" + text
                    + "\" is not of the form collective:algorithm:node.of.each.rank/levels:part:seed");
        }
        Collective collective = Arrays.stream(Collective.values()).filter(each -> each.label().equals(fields[0]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no collective \"" + fields[0] + "\""));
        try {
            String[] shape = fields[2].split("/", -1);
            Topology topology = new Topology(numbers(shape[0]), shape.length == 1 ? new int[0] : numbers(shape[1]));
            return new Plan(collective, Catalogue.find(collective, fields[1]), topology,
                    Integer.parseInt(fields[3]), Long.parseLong(fields[4]));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" has something else where a number is expected: "
                    + e.getMessage(), e);
        }
    }

    private static int[] numbers(String text) {
        return Arrays.stream(text.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }
}
