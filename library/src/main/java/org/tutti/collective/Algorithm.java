/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * What all algorithms tell about themselves. An algorithm is a plain method against {@link Team} and has no state; one
 * object serves all ranks.
 */
public abstract class Algorithm {
    /**
     * What the catalogue says of an algorithm.
     *
     * @param name how it is called in options and messages, at most 16 characters
     * @param keepsRankOrder whether it combines the contributions of consecutive ranks only, so that operators need not
     *            commute; true where nothing is combined
     * @param manyNodes whether it works with ranks on several nodes
     * @param steps how many times some rank waits for another, one after the other, with p ranks and c chunks
     * @param bytes how many bytes the busiest rank copies or reads from others, for a message of n bytes
     * @param memory the shared memory that a rank needs while it runs
     * @param source where it was published
     */
    public record Description(String name, boolean keepsRankOrder, boolean manyNodes, String steps, String bytes,
            String memory, String source) {}

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
}
