/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * How a communicator ends at one rank: because it is broken, the rank closes it, or the rank leaves its job.
 *
 * <p><b>Leaving all.</b> A rank begins no operation after one that it has broken off: it has set the broken word, or
 * found it set, before, and looks at that word in {@link Operation#begin}. So when those have ended that it has in
 * flight on other threads, it reads and writes nothing of the communicator's slots and windows any more, and its left
 * word says that it has left all operations ({@link Ledger#leaveAll}). The same holds for a rank that leaves its job.
 * What it has shown stays as it is until all other ranks of its node have left the operation, too, or have ended: who
 * has not noticed yet what broke may still read it. Other nodes put nothing there any more, as that is revoked before.
 * So the memory of a broken communicator is closed by the same rule as that of any operation.
 */
public final class Ending {
    private final Placement place;
    private final Machine machine;
    private final Ledger ledger;
    private final long brokenByError;

    Ending(Placement place) {
        this.place = place;
        this.machine = place.machine;
        this.ledger = place.ledger;
        this.brokenByError = Breakage.wordOfError(place.rank);
    }

    /** Says that the communicator is broken, and why. */
    void setBroken(Throwable failure) {
        machine.setOnce(place.ring, RingLayout.BROKEN,
                failure instanceof Error ? brokenByError : Breakage.word(failure, place.rank));
    }

    /**
     * Ends the communicator because something has failed that was done on it outside of operations.
     *
     * @param failure what was thrown
     */
    public void breakNow(Throwable failure) {
        setBroken(failure);
        leaveAll();
    }

    /**
     * Says that this rank leaves its job: its operations in flight end with an exception, soon.
     */
    public void end() {
        ledger.end();
    }

    /**
     * {@return whether this rank has said that it {@linkplain #end leaves}}
     */
    public boolean hasEnded() {
        return ledger.hasEnded();
    }

    /**
     * Says that this rank leaves all operations, as soon as those in flight have ended: because it has {@linkplain #end
     * ended}, or closes the communicator.
     */
    public void leaveAll() {
        ledger.leaveAll(machine, 0);
    }

    /**
     * Tries to let go of the communicator's block, when this rank has {@linkplain #leaveAll left all operations}: that
     * can be done once all ranks of its node have, or have ended.
     *
     * @return whether nobody reads any more what this rank has shown, and it touches nothing of the block but by {@link
     *         #saySettled} and {@link #haveOthersSettled}
     */
    public boolean settle() {
        return ledger.settle(machine);
    }

    /**
     * Says that this rank has {@linkplain #settle settled}: the block may be gone afterwards, but for its master.
     */
    public void saySettled() {
        ledger.saySettled(machine);
    }

    /**
     * {@return whether all other ranks of this node have settled, or ended}
     */
    public boolean haveOthersSettled() {
        return ledger.haveOthersSettled(machine);
    }

    /**
     * Gives the communicator's memory back, at the master that has claimed it, when all ranks of the node have
     * {@linkplain #settle settled}.
     */
    public void release() {
        if (place.landings != null) {
            place.landings.release(machine);
        }
        place.memory.release(place.ringAddress, place.layout.bytes());
    }
}
