/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

/**
 * What an algorithm costs on its critical path, for the formula of Hockney: the time is
 *
 * <pre>
 *  memorySteps · αm + memoryBytes · βm + combinedBytes · γ + railSteps · αr + furtherPuts · o + railBytes · βr
 * </pre>
 *
 * where αm is the time for a word to cross between cores, βm that for a byte to be copied, γ that for a byte to be
 * combined with another one, αr the time for an empty put to arrive at another node, o that for which an empty put
 * occupies those who make it and take it in, and βr that for a byte to cross a rail. What overlaps, as the stages of a
 * pipeline do, counts once.
 *
 * @param memorySteps how many times one rank waits for another of its node, one after the other
 * @param memoryBytes how many bytes are copied, one after the other
 * @param combinedBytes how many bytes are combined, one after the other
 * @param railSteps how many times a node waits for another one, one after the other
 * @param railBytes how many bytes cross rails, one after the other
 * @param furtherPuts how many more puts a rank makes in its rail steps than one in each
 * @param messages how many messages cross between all nodes at least; 0 where the formula does not say
 */
public record Cost(double memorySteps, double memoryBytes, double combinedBytes, double railSteps, double railBytes,
        double furtherPuts, double messages) {
    /**
     * The cost of an algorithm that makes one put in each rail step.
     *
     * @param memorySteps as above
     * @param memoryBytes as above
     * @param combinedBytes as above
     * @param railSteps as above
     * @param railBytes as above
     */
    public Cost(double memorySteps, double memoryBytes, double combinedBytes, double railSteps, double railBytes) {
        this(memorySteps, memoryBytes, combinedBytes, railSteps, railBytes, 0, 0);
    }

    /**
     * Adds puts that follow each other without a wait.
     *
     * @param puts how many more than one in each rail step
     * @return the cost with them
     */
    public Cost withFurtherPuts(double puts) {
        return new Cost(memorySteps, memoryBytes, combinedBytes, railSteps, railBytes, puts, messages);
    }

    /**
     * Says that every node sends to every other one, by itself or along a ring.
     *
     * @param nodes how many nodes there are
     * @return the cost with so many messages
     */
    Cost withMessagesOfAllPairs(int nodes) {
        return new Cost(memorySteps, memoryBytes, combinedBytes, railSteps, railBytes, furtherPuts,
                nodes * (nodes - 1.0));
    }
}
