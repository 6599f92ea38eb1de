/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.List;
import java.util.Locale;

/**
 * The collective operations. Each has several algorithms, which {@link Communicator#withAlgorithm} selects by name.
 */
public enum Collective {
    /** Nobody leaves before everybody has entered. */
    BARRIER,
    /** The root's elements reach every rank. */
    BROADCAST(Trait.ROOT, Trait.OTHERS_RECEIVE),
    /** The combination of every rank's elements reaches the root. */
    REDUCE(Trait.ROOT, Trait.ROOT_RECEIVES, Trait.COMBINES),
    /** The combination of every rank's elements reaches every rank. */
    ALLREDUCE(Trait.ROOT_RECEIVES, Trait.OTHERS_RECEIVE, Trait.COMBINES);

    /** Where there is no root, rank 0 counts as it. */
    private enum Trait {
        ROOT, ROOT_RECEIVES, OTHERS_RECEIVE, COMBINES
    }

    private final String label;
    private final boolean hasRoot;
    private final boolean rootReceives;
    private final boolean othersReceive;
    private final boolean combines;

    Collective(Trait... traits) {
        this.label = name().toLowerCase(Locale.ROOT);
        List<Trait> all = List.of(traits);
        this.hasRoot = all.contains(Trait.ROOT);
        this.rootReceives = all.contains(Trait.ROOT_RECEIVES);
        this.othersReceive = all.contains(Trait.OTHERS_RECEIVE);
        this.combines = all.contains(Trait.COMBINES);
    }

    /**
     * {@return the name as it is written in options, messages and the environment: lower case}
     */
    public String label() {
        return label;
    }

    /**
     * {@return whether it moves or combines elements}
     */
    public boolean hasElements() {
        return rootReceives || othersReceive;
    }

    /**
     * {@return whether one of the ranks is its root}
     */
    public boolean hasRoot() {
        return hasRoot;
    }

    /**
     * {@return whether it combines elements by an operator}
     */
    public boolean combines() {
        return combines;
    }

    /**
     * Tells whether it writes into a rank's memory.
     *
     * @param rank the rank
     * @param root the root, 0 where there is none
     * @return whether the rank receives a result
     */
    public boolean receives(int rank, int root) {
        return rank == root ? rootReceives : othersReceive;
    }
}
