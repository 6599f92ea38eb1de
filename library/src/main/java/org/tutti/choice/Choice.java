/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.allreduce.Allreduce;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.reduce.Reduce;

/**
 * Which algorithm a call uses: the one that was asked for, else the one that measured fastest on the machine that Tutti
 * was built on (docs/algorithms.md has the figures), or on a node with levels the one that is predicted to be.
 * Immutable. The choice depends only on what all ranks know alike.
 */
public final class Choice {
    private static final Barrier BARRIER = (Barrier) Catalogue.find(Collective.BARRIER, "srm");
    private static final Barrier BARRIER_FEW = (Barrier) Catalogue.find(Collective.BARRIER, "flat");
    private static final Barrier BARRIER_LEVELS = (Barrier) Catalogue.find(Collective.BARRIER, "tree");
    private static final Broadcast BROADCAST = (Broadcast) Catalogue.find(Collective.BROADCAST, "slot-ring");
    private static final Broadcast BROADCAST_LARGE_NODES = (Broadcast) Catalogue.find(Collective.BROADCAST, "srm");
    private static final Broadcast BROADCAST_LONG_NODES = (Broadcast) Catalogue.find(Collective.BROADCAST, "chain");
    private static final Reduce REDUCE_NODES = (Reduce) Catalogue.find(Collective.REDUCE, "srm");
    private static final Reduce REDUCE_SMALL = (Reduce) Catalogue.find(Collective.REDUCE, "flat");
    private static final Reduce REDUCE_MEDIUM = (Reduce) Catalogue.find(Collective.REDUCE, "srm");
    private static final Reduce REDUCE_LARGE = (Reduce) Catalogue.find(Collective.REDUCE, "index-range");
    private static final Allreduce ALLREDUCE_SMALL = (Allreduce) Catalogue.find(Collective.ALLREDUCE, "flat");
    private static final Allreduce ALLREDUCE_MANY = (Allreduce) Catalogue.find(Collective.ALLREDUCE, "srm");
    private static final Allreduce ALLREDUCE_LARGE = (Allreduce) Catalogue.find(Collective.ALLREDUCE, "index-range");

    private static final Allreduce ALLREDUCE_LEVELS = (Allreduce) Catalogue.find(Collective.ALLREDUCE, "index-radix");
    private static final long ALLREDUCE_LEVELS_BYTES = 512;

    private static final Reduce REDUCE_ANY_ORDER = (Reduce) Catalogue.find(Collective.REDUCE, "rank-order");
    private static final Allreduce ALLREDUCE_ANY_ORDER =
            (Allreduce) Catalogue.find(Collective.ALLREDUCE, "rank-order");

    private static final int BARRIER_FEW_RANKS = 8;
    private static final long BROADCAST_LARGE_BYTES_NODES = 128 << 10;

    /** For each node: of a shorter message the way of the first chunk down the chain is too much. */
    private static final long BROADCAST_LONG_BYTES_PER_NODE = 256 << 10;

    private static final int BROADCAST_LONG_NODES_MIN = 3;
    private static final long ALLREDUCE_LARGE_BYTES_NODES = 64 << 10;
    private static final long REDUCE_MEDIUM_BYTES = 64 << 10;
    private static final long REDUCE_LARGE_BYTES = 256 << 10;
    private static final long ALLREDUCE_LARGE_BYTES = 8 << 10;
    private static final int ALLREDUCE_MANY_RANKS = 16;

    /** What a choice is before anybody has asked for anything. */
    public static final Choice DEFAULT = new Choice(new Algorithm[Collective.values().length]);

    /** By collective; null where nobody has asked for anything. */
    private final Algorithm[] asked;

    private Choice(Algorithm[] asked) {
        this.asked = asked;
    }

    /**
     * A choice that uses a certain algorithm for one collective.
     *
     * @param collective the operation
     * @param name the algorithm's name
     * @return the choice
     * @throws IllegalArgumentException when there is no such algorithm
     */
    public Choice with(Collective collective, String name) {
        Algorithm[] changed = asked.clone();
        changed[collective.ordinal()] = Catalogue.find(collective, name);
        return new Choice(changed);
    }

    /**
     * Reads a choice as the environment has it: {@code allreduce=flat,barrier=srm}.
     *
     * @param text the text, may be empty
     * @return the choice
     * @throws IllegalArgumentException when it cannot be read, or names what there is not
     */
    public static Choice parse(String text) {
        Choice choice = DEFAULT;
        for (String part : text.split(",")) {
            if (!part.isBlank()) {
                String[] sides = part.split("=", -1);
                if (sides.length != 2) {
                    throw new IllegalArgumentException("\"" + part + "\" is not of the form collective=algorithm");
                }
                choice = choice.with(collective(sides[0].strip()), sides[1].strip());
            }
        }
        return choice;
    }

    private static Collective collective(String label) {
        for (Collective collective : Collective.values()) {
            if (collective.label().equals(label)) {
                return collective;
            }
        }
        throw new IllegalArgumentException("there is no collective \"" + label + "\"");
    }

    /**
     * Chooses the algorithm of any collective.
     *
     * @param collective the operation
     * @param topology where the communicator's ranks are
     * @param bytes the length of the message
     * @param kernel the operator; unused where nothing is combined
     * @return the algorithm
     * @throws IllegalArgumentException when the one that was asked for would not keep the order that the operator needs
     */
    public Algorithm algorithm(Collective collective, Topology topology, long bytes, Kernel kernel) {
        return switch (collective) {
            case BARRIER -> barrier(topology);
            case BROADCAST -> broadcast(topology, bytes);
            case REDUCE -> reduce(topology, bytes, kernel);
            case ALLREDUCE -> allreduce(topology, bytes, kernel);
        };
    }

    /**
     * Chooses the algorithm of a barrier.
     *
     * @param topology where the communicator's ranks are
     * @return the algorithm
     */
    public Barrier barrier(Topology topology) {
        Algorithm forced = asked[Collective.BARRIER.ordinal()];
        if (forced != null) {
            return (Barrier) forced;
        }
        if (hasLevels(topology)) {
            return BARRIER_LEVELS;
        }
        return topology.nodes() == 1 && topology.size() <= BARRIER_FEW_RANKS ? BARRIER_FEW : BARRIER;
    }

    /**
     * Chooses the algorithm of a broadcast.
     *
     * @param topology where the communicator's ranks are
     * @param bytes the length of the message
     * @return the algorithm
     */
    public Broadcast broadcast(Topology topology, long bytes) {
        Algorithm forced = asked[Collective.BROADCAST.ordinal()];
        if (forced != null) {
            return (Broadcast) forced;
        }
        int nodes = topology.nodes();
        if (nodes == 1 || bytes < BROADCAST_LARGE_BYTES_NODES) {
            return BROADCAST;
        }
        return nodes >= BROADCAST_LONG_NODES_MIN && bytes >= nodes * BROADCAST_LONG_BYTES_PER_NODE
                ? BROADCAST_LONG_NODES : BROADCAST_LARGE_NODES;
    }

    /**
     * Chooses the algorithm of a reduce.
     *
     * @param topology where the communicator's ranks are
     * @param bytes the length of the message
     * @param kernel the operator
     * @return the algorithm
     * @throws IllegalArgumentException when the one that was asked for would not keep the order that the operator needs
     */
    public Reduce reduce(Topology topology, long bytes, Kernel kernel) {
        Algorithm forced = asked[Collective.REDUCE.ordinal()];
        if (forced != null) {
            checkOrder(forced, topology, kernel);
            return (Reduce) forced;
        }
        if (topology.nodes() > 1) {
            return keepsOrder(REDUCE_NODES, topology, kernel) ? REDUCE_NODES : REDUCE_ANY_ORDER;
        }
        if (hasLevels(topology)) {
            return REDUCE_NODES; // its binomial tree nests over levels of powers of two
        }
        if (bytes >= REDUCE_LARGE_BYTES) {
            return REDUCE_LARGE;
        }
        return bytes >= REDUCE_MEDIUM_BYTES ? REDUCE_MEDIUM : REDUCE_SMALL;
    }

    /**
     * Chooses the algorithm of an allreduce.
     *
     * @param topology where the communicator's ranks are
     * @param bytes the length of the message
     * @param kernel the operator
     * @return the algorithm
     * @throws IllegalArgumentException when the one that was asked for would not keep the order that the operator needs
     */
    public Allreduce allreduce(Topology topology, long bytes, Kernel kernel) {
        Algorithm forced = asked[Collective.ALLREDUCE.ordinal()];
        if (forced != null) {
            checkOrder(forced, topology, kernel);
            return (Allreduce) forced;
        }
        if (topology.nodes() > 1) {
            Allreduce best = bytes < ALLREDUCE_LARGE_BYTES_NODES ? ALLREDUCE_MANY : ALLREDUCE_LARGE;
            return keepsOrder(best, topology, kernel) ? best : ALLREDUCE_ANY_ORDER;
        }
        if (hasLevels(topology)) {
            return bytes >= ALLREDUCE_LEVELS_BYTES ? ALLREDUCE_LEVELS : ALLREDUCE_MANY;
        }
        if (bytes >= ALLREDUCE_LARGE_BYTES) {
            return ALLREDUCE_LARGE;
        }
        return topology.size() > ALLREDUCE_MANY_RANKS ? ALLREDUCE_MANY : ALLREDUCE_SMALL;
    }

    /** Ranks of different nodes may have been told different levels, so only on one node do all know them alike. */
    private static boolean hasLevels(Topology topology) {
        return topology.hasLevels() && topology.nodes() == 1;
    }

    private static void checkOrder(Algorithm algorithm, Topology topology, Kernel kernel) {
        if (!keepsOrder(algorithm, topology, kernel)) {
            throw new IllegalArgumentException("algorithm \"" + algorithm.description().name()
                    + "\" does not combine the ranks in their order when they are placed like this: " + topology
                    + ", and an operator that does not commute needs that; choose another one");
        }
    }

    private static boolean keepsOrder(Algorithm algorithm, Topology topology, Kernel kernel) {
        return kernel.isCommutative() || switch (algorithm.description().order()) {
            case ALWAYS -> true;
            case BLOCKS -> topology.isInBlocks();
            case NEVER -> false;
        };
    }
}
