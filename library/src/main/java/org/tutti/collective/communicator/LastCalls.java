/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import java.lang.invoke.VarHandle;

import org.tutti.CollectiveMismatchException;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.operation.CallComparison;
import org.tutti.collective.operation.TeamContext;

/**
 * Compares all that a rank has called on a communicator with all that others have called, when it calls nothing more:
 * in the last calls a rank may have waited for no other one, so that no wait has found a difference.
 */
public final class LastCalls {
    private final TeamContext context;
    private final BrokenWord broken;

    /**
     * @param context the communicator at this rank
     */
    public LastCalls(TeamContext context) {
        this.context = context;
        this.broken = new BrokenWord(context);
    }

    /**
     * Says what this rank has called, when it calls nothing more, and compares that with the calls of the ranks of its
     * node that have said so. In the last calls of a communicator a rank may have waited for nobody, and a rank may
     * have left them out. Of two ranks the one that says so last finds the difference: each stores what it has called
     * before it looks, with a full fence between, so at least one of them sees what the other has stored.
     *
     * @return what names the calls that differ; null if none do, or the communicator is broken
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
                return broken.isSet() ? null : mismatch; // a call that has failed may be none of another rank
            }
        }
        return null;
    }

    /**
     * Compares the calls of this rank, which calls nothing more, with those that a rank of another node has made.
     *
     * @param other that rank
     * @param drawn how many operations it has drawn
     * @param history the fingerprint of its calls
     * @return what says how they differ; null if they do not, or the communicator is broken
     */
    public CollectiveMismatchException compare(int other, long drawn, long history) {
        return broken.isSet() ? null : comparison().compareEnds(other, drawn, history);
    }

    private CallComparison comparison() {
        return new CallComparison(context, () -> {
        }, null);
    }

    /**
     * {@return how many operations this rank has drawn}
     */
    public long drawn() {
        return context.operations.drawn();
    }

    /**
     * {@return the fingerprint of the calls that this rank has made}
     */
    public long history() {
        return context.operations.history();
    }

    /**
     * {@return whether the communicator is broken, so that its calls are not compared}
     */
    public boolean isBroken() {
        return broken.isSet();
    }
}
