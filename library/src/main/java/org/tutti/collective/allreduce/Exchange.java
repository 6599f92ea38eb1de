/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/** What the masters of two nodes or more do with what their nodes have, a round after the other. */
interface Exchange {
    /**
     * Opens what goes to other masters and comes from them, before all rounds.
     *
     * @param bytes the length of the message
     * @param chunk the bytes of the first round, which no other one exceeds
     * @param rounds how many rounds follow
     */
    void open(Team team, Kernel kernel, long bytes, long chunk, int rounds);

    /**
     * Combines what the masters have, at every one of them, to the same bits. What this node has is sent and combined
     * from where it is: nothing else brings it to where the result goes.
     *
     * @param own what this node has
     * @param work where the result goes, perhaps the same
     * @param at at which byte of both
     * @param length the round's bytes
     */
    void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length);
}
