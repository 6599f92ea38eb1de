/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Cost;
import org.tutti.collective.Flow;
import org.tutti.collective.NodeStage;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Folding;

/**
 * Allreduce by recursive exchange between the masters, with one port recursive doubling: in step j those exchange all
 * that they have, in groups of k + 1, whose numbers differ in digit j to the base of k + 1 only, and each combines it
 * from left to right, so that all get the same bits. When the nodes are no power of k + 1, some hand what they have to
 * the last of their run first, and get the result at the end ({@link Folding}).
 *
 * <pre>
 *  4 nodes, 1 port:    0 ↔ 1   2 ↔ 3       0 and 1 have 0∘1, 2 and 3 have 2∘3
 *                      0 ↔ 2   1 ↔ 3       all have (0∘1)∘(2∘3)
 *  4 nodes, 3 ports:   each to each        all have ((0∘1)∘2)∘3
 * </pre>
 *
 * <p>⌊log n⌋ steps to that base, in each of which a node sends k times b bytes: k/log₂(k + 1) times as many in all as
 * with one port, 1.5 with three. It is the grouping of Standard Exchange (Qian and Afsahi 2008, section 5.1.2).
 *
 * <p>A round is a piece of each flow ({@link Partners}), in one of two places in turn, and is combined there or in the
 * caller's memory. Who has the result of a round knows that all have read what they got in the one before. In a step a
 * master sends before it waits, and waits for messages of that step only, for which their senders wait for earlier ones
 * only.
 */
public final class RecursiveExchangeAllreduce extends TwoLevelAllreduce implements Exchange {
    private static final int LANDINGS = 0; // no shares of an inbox
    private static final Description DOUBLING = new Description("recursive-doubling", Order.BLOCKS,
            "c·(⌊log₂ n⌋ + 3), 2·c more if n is no power of two", "2·b·(p−1)/p + b",
            "⌊log₂ n⌋·b, 2·b more if n is no power of two", "2 × 32 KiB, and as much an edge",
            "Thakur, Rabenseifner, Gropp 2005, section 4.5");
    private static final Description EXCHANGE = new Description("recursive-exchange", Order.BLOCKS,
            "c·(⌊log n⌋ + 3) to base k + 1, 2·c more if n is no power of k + 1", "2·b·(p−1)/p + b",
            "k·⌊log n⌋·b, up to 2·k·b more if n is no power of k + 1", "2 × 32 KiB, and as much an edge",
            "Tutti; the groups: Qian, Afsahi 2008, section 5.1.2");

    private final Partners partners;

    /**
     * @param ports with how many others a node exchanges in a step, 1 to 4
     */
    public RecursiveExchangeAllreduce(int ports) {
        super(ports == 1 ? DOUBLING : EXCHANGE.withPorts(ports));
        this.partners = new Partners(ports);
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        int rounds = rounds(nodes);
        int puts = partners.edges(nodes) + partners.foldedMax(nodes);
        Cost cost = NodeStage.cost(localRanks, bytes, Flow.PIECE_BYTES, rounds, (double) puts * bytes,
                (double) combines(nodes) * bytes, aloneBytes(nodes, bytes));
        return cost.withFurtherPuts(rounds == 0 ? 0 : cost.railSteps() / rounds * (puts - rounds));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(Flow.PIECE_BYTES, partners.edges(nodes), nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(Flow.PIECE_BYTES, team.windowBytesMax() / NodeStage.HALVES);
    }

    @Override
    Exchange exchange(long chunk) {
        return this;
    }

    /** Steps in a row: one for each digit of a position, two more when some nodes are folded. */
    int rounds(int nodes) {
        return partners.steps(nodes) + 2 * folds(nodes);
    }

    private int folds(int nodes) {
        return Math.min(1, partners.foldedMax(nodes));
    }

    /** What is copied on a node of one rank: the result at one that is folded. */
    long aloneBytes(int nodes, long bytes) {
        return folds(nodes) * bytes;
    }

    /** How often a node combines. */
    int combines(int nodes) {
        return partners.edges(nodes);
    }

    @Override
    public void open(Team team, Kernel kernel, long bytes, long chunk, int rounds) {
        partners.openFolds(team, kernel, LANDINGS, rounds, chunk);
        if (!partners.isFolded(team)) {
            int steps = partners.steps(team.nodes());
            for (int step = 0; step < steps; step++) {
                partners.open(team, kernel, step, LANDINGS, rounds, chunk);
            }
        }
    }

    @Override
    public void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (partners.isHandedOver(team, kernel, own, work, at, length)) {
            return;
        }
        int ports = partners.ports(team.nodes());
        int steps = partners.steps(team.nodes());
        Area accumulated = partners.takeOver(team, kernel, own, work, at, length);
        for (int step = 0; step < steps; step++) {
            int edge = partners.edge(team.nodes(), step);
            int lower = partners.lower(team, step);
            for (int i = 0; i < ports; i++) {
                team.outflow(edge + i).send(accumulated, at, length);
            }
            Area left = Partners.combineLower(team, kernel, edge, lower, accumulated, work, at, length);
            Partners.combineHigher(team, kernel, edge + lower, ports - lower, left, work, at, length);
            for (int i = 0; i < ports; i++) {
                team.inflow(edge + i).release();
            }
            accumulated = work;
        }
        partners.handBack(team, work, at, length);
    }
}
