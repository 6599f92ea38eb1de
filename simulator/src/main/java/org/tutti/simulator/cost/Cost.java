/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

/**
 * The cost of an algorithm on its critical path, in the terms of Hockney's formula. The time is
 *
 * <pre>
 *  memorySteps · αm + memoryBytes · βm + combinedBytes · γ + railSteps · αr + furtherPuts · o + railBytes · βr
 * </pre>
 *
 * where αm is the time for a word to cross between cores, βm the time to copy a byte, γ the time to combine a byte with
 * another one, αr the time for an empty put to arrive at another node, o the time for which an empty put occupies the
 * ranks that make it and take it in, and βr the time for a byte to cross a rail. Steps that overlap, such as the stages
 * of a pipeline, count once.
 *
 * @param memorySteps waits of one rank for another rank of its node, one after the other
 * @param memoryBytes bytes that are copied, one after the other
 * @param combinedBytes bytes that are combined, one after the other
 * @param railSteps waits of one node for another one, one after the other
 * @param railBytes bytes that cross rails, one after the other
 * @param furtherPuts puts of a rank in its rail steps, except the first in each step
 * @param messages the least number of messages between all nodes; 0 if the formula does not say
 */
public record Cost(double memorySteps, double memoryBytes, double combinedBytes, double railSteps, double railBytes,
        double furtherPuts, double messages) {
    /**
     * Creates the cost of an algorithm that makes one put in each rail step.
     *
     * @param memorySteps as for the record
     * @param memoryBytes as for the record
     * @param combinedBytes as for the record
     * @param railSteps as for the record
     * @param railBytes as for the record
     */
    public Cost(double memorySteps, double memoryBytes, double combinedBytes, double railSteps, double railBytes) {
        this(memorySteps, memoryBytes, combinedBytes, railSteps, railBytes, 0, 0);
    }

    /**
     * Sets the puts that follow the first one of a rail step without a wait.
     *
     * @param puts the number of puts, except the first in each rail step
     * @return the cost with them
     */
    public Cost withFurtherPuts(double puts) {
        return new Cost(memorySteps, memoryBytes, combinedBytes, railSteps, railBytes, puts, messages);
    }

    /**
     * Sets the messages of an algorithm in which every node sends to every other one, directly or along a ring.
     *
     * @param nodes the number of nodes
     * @return the cost with these messages
     */
    Cost withMessagesOfAllPairs(int nodes) {
        return new Cost(memorySteps, memoryBytes, combinedBytes, railSteps, railBytes, furtherPuts,
                nodes * (nodes - 1.0));
    }
}
