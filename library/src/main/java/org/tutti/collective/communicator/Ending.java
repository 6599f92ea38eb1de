/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import java.lang.invoke.VarHandle;

import org.tutti.CollectiveMismatchException;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.members.Breakage;
import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.CallComparison;
import org.tutti.collective.operation.Ledger;
import org.tutti.collective.operation.TeamContext;

/**
 * How a communicator ends at one rank: because it is broken, the rank closes it, or the rank leaves its job.
 *
 * <p><b>Leaving all.</b> A rank begins no operation after one that it has broken off: it has set the broken word, or
 * found it set, before, and looks at that word in {@code OperationLifecycle.begin}. So when those have ended that it
 * has in flight on other threads, it reads and writes nothing of the communicator's slots and windows any more, and its
 * left word says that it has left all operations ({@link Ledger#leaveAll}). The same holds for a rank that leaves its
 * job. What it has shown stays as it is until all other ranks of its node have left the operation, too, or have ended:
 * who has not noticed yet what broke may still read it. Other nodes put nothing there any more, as that is revoked
 * before. So the memory of a broken communicator is closed by the same rule as that of any operation.
 */
public final class Ending {
    private final TeamContext context;
    private final long brokenByError;

    public Ending(TeamContext context) {
        this.context = context;
        this.brokenByError = Breakage.wordOfError(context.rank);
    }

    /** Says that the communicator is broken, and why. */
    public void setBroken(Throwable failure) {
        context.machine.setOnce(context.ring, RingLayout.BROKEN,
                failure instanceof Error ? brokenByError : Breakage.word(failure, context.rank, context.members));
    }

    /**
     * {@return whether the communicator is broken, as this rank's node knows; if it is a group that is being made,
     * somebody has broken it who knows that all have come}
     */
    public boolean isBroken() {
        return context.machine.load(context.ring, RingLayout.BROKEN) != 0;
    }

    /**
     * Ends the communicator because something has failed that was done on it outside of operations.
     *
     * @param failure what was thrown
     */
    public void breakNow(Throwable failure) {
        try {
            setBroken(failure);
            leaveAll();
        } catch (IllegalStateException closed) { // the job was closed meanwhile, and its memory is gone
            failure.addSuppressed(closed);
        }
    }

    /**
     * The same, because a call that was drawn cannot begin: its operations are none that are waited for.
     *
     * @param drawn the call
     * @param failure what was thrown
     */
    public void breakOff(CallArguments drawn, Throwable failure) {
        try {
            setBroken(failure);
            context.ledger.leaveAll(context.machine, drawn.operationsLeft());
        } catch (IllegalStateException closed) { // the job was closed meanwhile, and its memory is gone
            failure.addSuppressed(closed);
        }
    }

    /**
     * Says what this rank has called, when it calls nothing more, and compares that with the calls of the ranks of its
     * node that have said so. In the last calls of a communicator a rank may have waited for nobody, and a rank may
     * have left them out. Of two ranks the one that says so last finds the difference: each stores what it has called
     * before it looks, with a full fence between, so at least one of them sees what the other has stored.
     *
     * @return what names the calls that differ; null if none do, or the communicator is broken
     */
    public CollectiveMismatchException compareCalls() {
        if (isBroken()) {
            return null;
        }
        long end = context.layout.end(context.localRank);
        context.machine.storePlain(context.ring, end + RingLayout.END_FINGERPRINT, context.ledger.history());
        context.machine.store(context.ring, end, context.ledger.drawn() + 1);
        VarHandle.fullFence();
        for (int each = 0; each < context.localSize; each++) {
            long there = context.layout.end(each);
            long drawn = context.machine.load(context.ring, there) - 1;
            var mismatch = each == context.localRank || drawn < 0 ? null
                    : comparison().compareEnds(context.localRanks[each], drawn,
                            context.machine.loadPlain(context.ring, there + RingLayout.END_FINGERPRINT));
            if (mismatch != null) {
                return isBroken() ? null : mismatch; // a call that has failed may be none of another rank
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
    public CollectiveMismatchException compareCalls(int other, long drawn, long history) {
        return isBroken() ? null : comparison().compareEnds(other, drawn, history);
    }

    private CallComparison comparison() {
        return new CallComparison(context, () -> {
        }, null);
    }

    /**
     * {@return how many operations this rank has drawn}
     */
    public long drawn() {
        return context.ledger.drawn();
    }

    /**
     * {@return the fingerprint of the calls that this rank has made}
     */
    public long history() {
        return context.ledger.history();
    }

    /**
     * Says that this rank leaves its job: its operations in flight end with an exception, soon.
     */
    public void end() {
        context.ledger.end();
    }

    /**
     * Says that this rank leaves all operations, as soon as those in flight have ended: because it has {@linkplain #end
     * ended}, or closes the communicator.
     */
    public void leaveAll() {
        context.ledger.leaveAll(context.machine, 0);
    }

    /**
     * Tries to let go of the communicator's block, when this rank has {@linkplain #leaveAll left all operations}: that
     * can be done once all ranks of its node have, or have ended.
     *
     * @return whether nobody reads any more what this rank has shown, and it touches nothing of the block but by {@link
     *         #saySettled} and {@link #giveUp}
     */
    boolean settle() {
        if (isBehind(Ledger.ALL, Ledger.NOBODY)) {
            return false;
        }
        context.ledger.setSettled();
        return true;
    }

    /**
     * Ends that others reach the landings by way of this rank, if it is the master, when it has {@linkplain #settle
     * settled}.
     */
    void shut() {
        if (context.landings != null && context.isMaster()) {
            context.landings.shut(context.machine);
        }
    }

    /**
     * Says that this rank has {@linkplain #settle settled}: the block may be gone afterwards, but for its master. One
     * that leaves its job in the middle of an operation does not say so: its thread may still be there.
     */
    void saySettled() {
        long left = context.ledger.left(context.machine);
        if (left >= Ledger.ALL) {
            context.machine.store(context.ring, context.layout.left(context.localRank), left + Ledger.SETTLED);
        }
    }

    /**
     * Gives up this rank's part of the block when it has {@linkplain #settle settled}; the master, which has claimed
     * the block, gives it back when all others have given up theirs, or have ended.
     *
     * @return whether that is done
     */
    boolean giveUp() {
        if (!context.isMaster()) {
            saySettled();
        } else if (isBehind(Ledger.ALL + Ledger.SETTLED, context.localRank)) {
            return false;
        } else {
            if (context.landings != null) {
                context.landings.release(context.machine);
            }
            context.memory.release(context.ringAddress, context.layout.bytes());
        }
        return true;
    }

    /** Whether the left word of any rank of this node but one is less, and that rank goes on. */
    private boolean isBehind(long left, int except) {
        for (int each = 0; each < context.localSize; each++) {
            if (each != except && context.machine.load(context.ring, context.layout.left(each)) < left
                    && !context.members.hasEnded(context.localRanks[each])) {
                return true;
            }
        }
        return false;
    }
}
