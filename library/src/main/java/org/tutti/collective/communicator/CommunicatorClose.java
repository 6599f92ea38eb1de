/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.TeamContext;

/**
 * The end of a communicator at one rank: because it is broken, the rank closes it, or the rank leaves its job. No step
 * waits for another rank. A team has one such object.
 *
 * <ol>
 * <li><b>Leaving.</b> The rank begins no further operation. Once its operations in flight on other threads have ended,
 * it leaves all operations, drawn or not ({@link OperationSequence#leaveAll}), and its left word says so. A rank that
 * breaks off an operation has before set the broken word, or found it set, and {@code OperationLifecycle.begin} looks
 * at that word. The memory that the rank has shown stays until all other ranks of its node have left the operation,
 * too, or have ended, because a rank that has not noticed the failure may still read it. Other nodes can no longer put
 * there, because their right has been revoked before. Thus the memory of a broken communicator is used again by the
 * same rule as that of any operation.
 * <li><b>Detaching.</b> When all ranks of the node have left, no rank reads the memory that this one has shown. The
 * rank revokes the right of other nodes to put into the block through its process, and says in its left word that it is
 * detached: it does not touch the block again.
 * <li><b>Releasing.</b> The master, which has claimed the block, gives it back to the node's memory when all others are
 * detached, or have ended.
 * </ol>
 *
 * <p>Memory ordering: a rank stores its left word with release order after its last read of memory that others have
 * shown, and says that it is detached only after its last access to the block. The master loads the left words of all
 * ranks with acquire order before it gives the block back.
 */
public final class CommunicatorClose {
    private enum State {
        ATTACHED, DETACHED, RELEASED
    }

    private final TeamContext context;
    private final BrokenWord broken;
    private State state = State.ATTACHED;

    /**
     * Called once, when a team is made.
     *
     * @param context the communicator at this rank
     */
    public CommunicatorClose(TeamContext context) {
        this.context = context;
        this.broken = new BrokenWord(context);
    }

    // ---- leaving

    /**
     * Breaks the communicator and leaves it, because of a failure outside of operations.
     *
     * @param failure the exception
     */
    public void breakOff(Throwable failure) {
        breakOff(0, failure);
    }

    /**
     * Breaks the communicator and leaves it, because a call that has drawn its numbers cannot begin. This rank will
     * never be in its operations.
     *
     * @param drawn the call
     * @param failure the exception
     */
    public void breakOff(CallArguments drawn, Throwable failure) {
        breakOff(drawn.operationsLeft(), failure);
    }

    private void breakOff(long unfinished, Throwable failure) {
        try {
            broken.set(failure);
            context.operations.leaveAll(context.machine, unfinished);
        } catch (IllegalStateException closed) { // the job was closed meanwhile, and its memory is gone
            failure.addSuppressed(closed);
        }
    }

    /**
     * {@return whether the communicator is broken, as this rank's node knows; only a rank that knows that all members
     * have joined breaks a group that is being made}
     */
    public boolean isBroken() {
        return broken.isSet();
    }

    /**
     * Notes that this rank leaves its job, so that its operations in flight soon end with an exception.
     */
    public void interrupt() {
        context.operations.end();
    }

    /**
     * Leaves all operations, as soon as those in flight have ended, because this rank is {@linkplain #interrupt
     * interrupted} or closes the communicator.
     */
    public void leave() {
        context.operations.leaveAll(context.machine, 0);
    }

    // ---- detaching and releasing

    /**
     * Detaches and releases, as far as is possible without waiting, after this rank has {@linkplain #leave left}.
     *
     * @param revoke revokes the right of other nodes to put into the block through this rank's process; run once
     * @return whether this rank has given back all that it has of the communicator
     */
    public boolean tryRelease(Runnable revoke) {
        if (state == State.ATTACHED && !isBehind(OperationSequence.ALL, OperationSequence.NOBODY)) {
            context.operations.setDetached();
            detach(revoke);
        }
        if (state == State.DETACHED && release()) {
            state = State.RELEASED;
        }
        return state == State.RELEASED;
    }

    /**
     * Gives up the close, because the rank leaves its job and touches nothing from now on, whatever other ranks still
     * do. A rank that leaves its job in the middle of an operation does not say that it is detached, because its thread
     * may still be there.
     *
     * @param revoke as in {@link #tryRelease}
     */
    public void abandon(Runnable revoke) {
        if (!tryRelease(revoke)) {
            detach(revoke);
            sayDetached();
        }
    }

    /**
     * Detaches. This comes before the rank says so, because the block may be given back only when no other node can put
     * there.
     */
    private void detach(Runnable revoke) {
        if (state == State.ATTACHED) {
            state = State.DETACHED;
            if (context.eagerBuffers != null && context.isMaster()) {
                context.eagerBuffers.revoke(context.machine);
            }
            revoke.run();
        }
    }

    private void sayDetached() {
        long left = context.operations.left(context.machine);
        assert state == State.DETACHED && left < OperationSequence.ALL + OperationSequence.DETACHED
                : "a communicator says with left word " + left + " that it is detached, and is " + state;
        if (left >= OperationSequence.ALL) {
            context.machine.store(context.ring, context.layout.left(context.localRank),
                    left + OperationSequence.DETACHED);
        }
    }

    private boolean release() {
        assert state == State.DETACHED : "a communicator is released that is " + state;
        if (!context.isMaster()) {
            sayDetached();
        } else if (isBehind(OperationSequence.ALL + OperationSequence.DETACHED, context.localRank)) {
            return false;
        } else {
            if (context.eagerBuffers != null) {
                context.eagerBuffers.release(context.machine);
            }
            context.memory.release(context.ringAddress, context.layout.bytes());
        }
        return true;
    }

    /**
     * Returns whether the left word of a rank of this node, other than the given one, is less, and that rank has not
     * ended.
     */
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
