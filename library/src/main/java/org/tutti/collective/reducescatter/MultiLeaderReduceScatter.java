/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

/**
 * Reduce-scatter by several {@linkplain org.tutti.collective.Leaders leaders} of each node: pairwise exchange, in which
 * leader j sends each node the j-th part of its row, whole blocks, to the j-th leader there, and combines what comes
 * with the same part of its own node's row, all in the masters' windows. So operators must commute.
 *
 * <pre>
 *  3 nodes of 2 ranks, 2 leaders:     0 → 2 → 4 → 0    then 0 → 4 → 2 → 0       blocks of ranks 0, 2 and 4
 *                                     1 → 3 → 5 → 1    then 1 → 5 → 3 → 1       blocks of ranks 1, 3 and 5
 * </pre>
 */
public final class MultiLeaderReduceScatter extends PairwiseReduceScatter {
    /**
     * @param leaders how many ranks of a node exchange with other nodes, 2 to 4
     */
    public MultiLeaderReduceScatter(int leaders) {
        super(new Description("multi-leader", Order.ONE_NODE, "1, n > 1: 3 + n − 1", "b·p·n·(2 − 1/p) + b·p·(n − 1)",
                "b·p·(n − 1)", "p·n·b a rank, 2·p·b more at masters",
                "Tutti, after Qian, Afsahi 2008; pairwise").withLeaders(leaders));
    }
}
