/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * What all algorithms tell about themselves. An algorithm is a plain method against {@link Team} and has no state; one
 * object serves all ranks.
 */
public abstract class Algorithm {
    /** For which placements of the ranks an algorithm combines the contributions of consecutive ranks only. */
    public enum Order {
        /** For every placement; also said of algorithms that combine nothing. */
        ALWAYS,
        /** When each node's ranks follow each other. */
        BLOCKS,
        /** For none: operators must commute. */
        NEVER
    }

    /**
     * What the catalogue says of an algorithm, with p ranks on each of n nodes, b bytes and c chunks.
     *
     * @param name how it is called in options and messages, at most 32 characters
     * @param order when operators need not commute
     * @param steps how many times some rank waits for another, one after the other
     * @param memoryBytes how many bytes the busiest rank copies or reads from others of its node
     * @param railBytes how many bytes enter or leave the busiest node, whichever is more
     * @param memory the shared memory that a rank or node needs while it runs
     * @param source where it was published, with the section
     */
    public record Description(String name, Order order, String steps, String memoryBytes,
            String railBytes, String memory, String source) {}

    private final Description description;
    private final Label label;

    /**
     * @param description what the catalogue says of it
     */
    protected Algorithm(Description description) {
        this.description = description;
        this.label = new Label(description.name());
    }

    /**
     * {@return what the catalogue says of it}
     */
    public final Description description() {
        return description;
    }

    /**
     * {@return its name as descriptors hold it}
     */
    public final Label label() {
        return label;
    }

    /**
     * Counts what the algorithm does on its critical path.
     *
     * @param nodes how many nodes there are
     * @param localRanks how many ranks each of them has
     * @param bytes the length of the message
     * @return the counts
     */
    public abstract Counts counts(int nodes, int localRanks, long bytes);
}
