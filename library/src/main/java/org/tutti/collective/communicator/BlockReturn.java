/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

/**
 * How a rank gives back what it has of a group that it has closed: it waits for nobody, and looks now and then whether
 * it can go on. When all ranks of its node have left all operations, nobody reads any more what it has shown; then it
 * ends that others put into the group's block by way of it, and says that it has settled: it touches the block no more.
 * The master, which has claimed the block, gives it back to the node's memory when all others have settled.
 *
 * <p>Memory ordering: a rank's left word is stored with release order after its last read of what others have shown,
 * and says that it has settled only after its last access to the block; the master loads the left words of all with
 * acquire order before it gives the block back.
 */
public final class BlockReturn {
    private final Ending ending;
    private final Runnable shut;
    private boolean settled;

    /**
     * @param ending how the group ends at this rank
     * @param shut ends that others put into the block by way of this rank; called once
     */
    public BlockReturn(Ending ending, Runnable shut) {
        this.ending = ending;
        this.shut = shut;
    }

    /**
     * Goes as far as can be gone without waiting, when this rank has {@linkplain Ending#leaveAll left all operations}.
     *
     * @return whether all is given back that this rank has to
     */
    public boolean goOn() {
        if (!settled && !ending.settle()) {
            return false;
        }
        settle();
        return ending.giveUp();
    }

    /** The block is given back only when nobody can put there: so this comes before the rank says so. */
    private void settle() {
        if (!settled) {
            settled = true;
            ending.shut();
            shut.run();
        }
    }

    /**
     * Goes no further: the rank leaves its job, and touches nothing any more, whatever others still do.
     */
    public void abandon() {
        if (!goOn()) {
            settle();
            ending.saySettled();
        }
    }
}
