/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.members.Breakage;
import org.tutti.collective.operation.TeamContext;

/**
 * Reads and writes the broken word, which records that a communicator is broken. Each node has the word in its block of
 * the communicator, and the ranks of the node share it. The word is 0 until the communicator is broken. It then holds
 * the reason and the rank that found the reason, and does not change again. {@link
 * org.tutti.collective.members.Breakage} defines its layout.
 */
public final class BrokenWord {
    private final TeamContext context;
    private final long ofError;

    /**
     * Creates the access of one rank to the word of its node.
     *
     * @param context the communicator at this rank
     */
    public BrokenWord(TeamContext context) {
        this.context = context;
        this.ofError = Breakage.wordOfError(context.rank);
    }

    /**
     * Records in the word that this rank breaks the communicator. If the communicator is already broken, this method
     * has no effect.
     *
     * @param failure the reason why the communicator is broken
     */
    public void set(Throwable failure) {
        context.machine.setOnce(context.ring, RingLayout.BROKEN,
                failure instanceof Error ? ofError : Breakage.word(failure, context.rank, context.members));
    }

    /**
     * {@return whether the communicator is broken, as far as this rank's node knows. While a group is being created, a
     * rank breaks it only if the rank knows that all members have joined.}
     */
    public boolean isSet() {
        return get() != 0;
    }

    /** {@return the word, which is 0 until the communicator is broken} */
    public long get() {
        return context.machine.load(context.ring, RingLayout.BROKEN);
    }
}
