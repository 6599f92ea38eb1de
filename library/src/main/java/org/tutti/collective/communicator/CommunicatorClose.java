/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.TeamContext;

/**
 * Closes a communicator at one rank, because the user closes it, because it is broken, or because the rank leaves its
 * job. The close has three steps, and no step waits for another rank. A team, the object that runs a rank's operations,
 * has one object of this class.
 *
 * <ol>
 * <li><b>Leaving.</b> The rank begins no further operation. If an operation has failed, the rank has set the
 * communicator's broken word or has found it set, and {@code OperationLifecycle.begin} checks that word. Once the
 * rank's operations in flight on other threads have ended, the rank leaves all operations ({@link
 * OperationSequence#leaveAll}), also those that have no number yet. It stores this in its left word, which counts the
 * operations that it has left. A rank that has not noticed the failure may still read the memory that this rank has
 * shown. Therefore that memory stays reserved until all other ranks of the node have also left the operation, or have
 * ended. Other nodes can no longer put into the memory, because their right has been revoked before. The memory of a
 * broken communicator is therefore reused by the same rule as the memory of any operation.
 * <li><b>Detaching.</b> When all ranks of the node have left all operations, no rank reads the memory that this rank
 * has shown. This rank then revokes the right of other nodes to put into the communicator's block through its process.
 * It stores in its left word that it is detached, and does not access the block again.
 * <li><b>Releasing.</b> The master, the rank that has allocated the block, releases it when all other ranks of the node
 * are detached or have ended.
 * </ol>
 *
 * <p>Memory ordering: a rank stores its left word with release order after its last read of memory that other ranks
 * have shown. It stores that it is detached only after its last access to the block. The master loads the left words of
 * all ranks with acquire order before it releases the block.
 */
public final class CommunicatorClose {
    private enum State {
        ATTACHED, DETACHED, RELEASED
    }

    private final TeamContext context;
    private final BrokenWord broken;
    private State state = State.ATTACHED;

    /**
     * Creates the object that closes a communicator at one rank. The rank's team calls this constructor once, when the
     * team is created.
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
     * @param failure the exception that tells the failure
     */
    public void breakOff(Throwable failure) {
        breakOff(0, failure);
    }

    /**
     * Breaks the communicator and leaves it, because a call that has drawn the numbers of its operations cannot begin.
     * This rank will never run these operations.
     *
     * @param drawn the call that cannot begin
     * @param failure the exception that tells why
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
     * {@return whether the communicator is broken, as far as this rank's node knows. While a group is being created, a
     * rank breaks it only if the rank knows that all members have joined.}
     */
    public boolean isBroken() {
        return broken.isSet();
    }

    /** {@return the word that tells why the communicator is broken; 0 if it is not, as far as this node knows} */
    public long brokenWord() {
        return broken.get();
    }

    /**
     * Records that this rank leaves its job. Its operations in flight then soon end with an exception.
     */
    public void interrupt() {
        context.operations.end();
    }

    /**
     * Leaves all operations of the communicator once those in flight at this rank have ended. A rank calls this method
     * when it closes the communicator, or after {@link #interrupt}. The method does not wait. If operations are in
     * flight, the end of the last one completes the leaving.
     */
    public void leave() {
        context.operations.leaveAll(context.machine, 0);
    }

    // ---- detaching and releasing

    /**
     * Detaches this rank from the communicator's block of memory and releases the block, as far as is possible without
     * waiting. This rank must have {@linkplain #leave left} all operations before. If the method returns false, it must
     * be called again later.
     *
     * @param revoke an action that revokes the right of other nodes to put into the block through this rank's process;
     *            it is run at most once
     * @return true if this rank has released everything that it holds of the communicator
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
     * Completes the close as far as possible when the rank leaves its job. The rank does not access the communicator
     * after this call, even if other ranks still use it. If the rank leaves its job in the middle of an operation, it
     * does not announce in its left word that it is detached, because its thread may still be inside the operation.
     *
     * @param revoke an action that revokes the right of other nodes to put into the block through this rank's process;
     *            it is run at most once
     */
    public void abandon(Runnable revoke) {
        if (!tryRelease(revoke)) {
            detach(revoke);
            sayDetached();
        }
    }

    /**
     * Revokes the right of other nodes to put into the block. The rank calls this method before it announces in its
     * left word that it is detached. The block may be released after that, and no other node may put there then.
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
     * Returns whether any rank of this node, other than {@code except}, has a left word less than {@code left} and has
     * not ended.
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
