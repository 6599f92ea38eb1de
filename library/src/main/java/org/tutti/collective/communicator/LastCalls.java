/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import java.lang.invoke.VarHandle;

import org.tutti.CollectiveMismatchException;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.operation.CallComparison;
import org.tutti.collective.operation.TeamContext;

/**
 * Compares all calls of a rank on a communicator with all calls of other ranks, after the rank's last call. A rank that
 * waits for another one also compares calls. In its last calls, however, a rank may have waited for no other rank, so
 * only this comparison finds a difference there.
 */
public final class LastCalls {
    private final TeamContext context;
    private final BrokenWord broken;

    /**
     * Creates an object that compares the calls of one rank with those of others.
     *
     * @param context the communicator at this rank
     */
    public LastCalls(TeamContext context) {
        this.context = context;
        this.broken = new BrokenWord(context);
    }

    /**
     * Publishes the calls of this rank, after its last call, and compares them with the calls that other ranks of its
     * node have already published. A difference may also be that a rank has left out its last calls. At least one of
     * two ranks finds a difference between them, because each rank stores its own calls before it loads the calls of
     * the other, with a full fence in between.
     *
     * @return the exception that names the calls that differ, or null if no calls differ or the communicator is broken
     */
    public CollectiveMismatchException compare() {
        if (broken.isSet()) {
            return null;
        }
        long end = context.layout.end(context.localRank);
        context.machine.storePlain(context.ring, end + RingLayout.END_FINGERPRINT, context.operations.history());
        context.machine.store(context.ring, end, context.operations.drawn() + 1);
        VarHandle.fullFence();
        for (int each = 0; each < context.localSize; each++) {
            long there = context.layout.end(each);
            long drawn = context.machine.load(context.ring, there) - 1;
            var mismatch = each == context.localRank || drawn < 0 ? null
                    : comparison().compareEnds(context.localRanks[each], drawn,
                            context.machine.loadPlain(context.ring, there + RingLayout.END_FINGERPRINT));
            if (mismatch != null) {
                return broken.isSet() ? null : mismatch; // a failed call may be missing at another rank
            }
        }
        return null;
    }

    /**
     * Compares all calls of this rank with all calls of a rank on another node, after the last call of both.
     *
     * @param other the other rank, as a rank of the communicator
     * @param drawn the number of operations that the calls of the other rank consist of
     * @param history the fingerprint, a hash, of the other rank's calls
     * @return the exception that names the calls that differ, or null if no calls differ or the communicator is broken
     */
    public CollectiveMismatchException compare(int other, long drawn, long history) {
        return broken.isSet() ? null : comparison().compareEnds(other, drawn, history);
    }

    private CallComparison comparison() {
        return new CallComparison(context, () -> {
        }, null);
    }

    /** {@return the number of operations that all calls of this rank consist of} */
    public long drawn() {
        return context.operations.drawn();
    }

    /**
     * {@return the fingerprint of the calls that this rank has made, which is a hash}
     */
    public long history() {
        return context.operations.history();
    }

    /**
     * {@return whether the communicator is broken. The calls of a broken communicator are not compared.}
     */
    public boolean isBroken() {
        return broken.isSet();
    }
}
