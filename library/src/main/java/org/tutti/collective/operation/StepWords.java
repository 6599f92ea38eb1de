/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.pattern.RootedTree;

/**
 * Posts and awaits the READY and DONE words of an operation. In these words the ranks of a node tell each other which
 * step of the algorithm they have reached. READY says that the data of a rank are there; DONE says that the rank has
 * read the data of others. A team has one such object.
 *
 * <p>Memory ordering: {@link #post} stores with release order, {@link #await} loads with acquire order.
 */
public final class StepWords {
    static final long READY = RingLayout.READY;

    /** The DONE word. A rank posts a step in it when it no longer needs the data that other ranks show it. */
    public static final long DONE = RingLayout.DONE;

    /** The greatest step of an operation. */
    public static final int STEPS_MAX = RingLayout.STEPS_MAX;

    private final Machine machine;
    private final MemorySegment ring;
    private final int[] localRanks;
    private final int localRank;
    private final int localSize;
    private final boolean blocking;
    private final Operation operation;
    private final OperationWait waiting;
    private final long[] posted = new long[2]; // the operations and steps of READY and DONE; only assertions look

    /** Creates the step words of a team. */
    public StepWords(TeamContext context, Operation operation, OperationWait waiting) {
        this.machine = context.machine;
        this.ring = context.ring;
        this.localRanks = context.localRanks;
        this.localRank = context.localRank;
        this.localSize = context.localSize;
        this.blocking = context.blocking;
        this.operation = operation;
        this.waiting = waiting;
    }

    /**
     * Posts a step in a word of this rank, so that the other ranks of the node see that this rank has reached it.
     *
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step, 1 to {@link #STEPS_MAX}, greater than the last step that this rank has posted in the word
     */
    public void post(long word, long step) {
        assert step > 0 && step <= STEPS_MAX : "step " + step;
        assert operation.isCurrent() : operation;
        assert grows(word, step) : (word == READY ? "READY" : "DONE") + " falls to step " + step + " of " + operation;
        long cell = operation.cell(localRank);
        if (word == READY) { // just before the word: a rank that polls the line would take it away
            machine.storeTag(ring, cell + READY, operation.tag());
        }
        machine.store(ring, cell + word, operation.base + step);
    }

    /**
     * Returns whether a step of a word comes after the last one that this rank has posted, in this operation or an
     * earlier one; for assertions.
     */
    private boolean grows(long word, long step) {
        int index = word == READY ? 0 : 1;
        long before = posted[index];
        posted[index] = (operation.sequence << RingLayout.STEP_BITS) + step;
        boolean isOfAnother = before >> RingLayout.STEP_BITS != operation.sequence;
        return before < posted[index] || !blocking && isOfAnother; // other threads begin them in any order
    }

    /**
     * Waits until another rank of this node has posted a step in one of its words.
     *
     * @param other the other rank's local rank, its index on the node
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step, at most {@link #STEPS_MAX}; a step of 0 or less needs no wait
     * @throws org.tutti.CollectiveMismatchException if the other rank has called something else
     */
    public void await(int other, long word, long step) {
        assert step <= STEPS_MAX : "step " + step;
        if (step <= 0) {
            return;
        }
        long cell = operation.cell(other);
        waiting.awaitWord(localRanks[other], ring, cell + word, operation.base + step);
        if (word == READY) {
            waiting.compare(localRanks[other], machine.loadTag(ring, cell + READY));
        }
    }

    /**
     * Waits until every other rank of this node has posted a step in one of its words, as {@link #await} does for one.
     */
    public void awaitOthers(long word, long step) {
        for (int distance = 1; distance < localSize; distance++) {
            int other = localRank + distance;
            await(other < localSize ? other : other - localSize, word, step);
        }
    }

    /**
     * Waits until all children of this rank in a tree of the node's ranks have posted a step in one of their words, as
     * {@link #await} does for one rank.
     *
     * @param tree the tree of the node's ranks
     * @param root the local rank of the tree's root
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step, at most {@link #STEPS_MAX}; a step of 0 or less needs no wait
     */
    public void awaitChildren(RootedTree tree, int root, long word, long step) {
        if (step <= 0) {
            return;
        }
        int children = tree.children(localRank, root, localSize);
        for (int index = 0; index < children; index++) {
            await(tree.child(localRank, index, root, localSize), word, step);
        }
    }
}
