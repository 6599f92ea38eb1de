/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.members.Breakage;
import org.tutti.collective.operation.TeamContext;

/**
 * The word of a communicator's block that says that the communicator is broken, why, and by which rank; 0 while it is
 * not. The first rank that breaks the communicator sets it, and it never changes again.
 */
public final class BrokenWord {
    private final TeamContext context;
    private final long ofError;

    /**
     * Gives access to the word at one rank.
     *
     * @param context the communicator at this rank
     */
    public BrokenWord(TeamContext context) {
        this.context = context;
        this.ofError = Breakage.wordOfError(context.rank);
    }

    /**
     * Says that this rank breaks the communicator, unless it is broken.
     *
     * @param failure the reason
     */
    public void set(Throwable failure) {
        context.machine.setOnce(context.ring, RingLayout.BROKEN,
                failure instanceof Error ? ofError : Breakage.word(failure, context.rank, context.members));
    }

    /**
     * {@return whether the communicator is broken, as this rank's node knows; only a rank that knows that all members
     * have joined breaks a group that is being made}
     */
    public boolean isSet() {
        return context.machine.load(context.ring, RingLayout.BROKEN) != 0;
    }
}
