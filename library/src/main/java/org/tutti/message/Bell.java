/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Waiter;

/** The bell of a rank, at which the rank waits for a message of any rank. {@link Doors} argues its memory ordering. */
final class Bell {
    private final Machine machine;
    private final MemorySegment doors;
    private final long rings;
    private final long waiters;

    /**
     * Finds the bell of a rank.
     *
     * @param machine the access to memory
     * @param doors the memory with a {@link Doors door} for each rank
     * @param rank the rank in the job
     */
    Bell(Machine machine, MemorySegment doors, int rank) {
        this.machine = machine;
        this.doors = doors;
        this.rings = Doors.door(rank) + Doors.RINGS;
        this.waiters = Doors.door(rank) + Doors.WAITERS;
    }

    /** Returns the number of rings so far. */
    long rings() {
        return machine.load(doors, rings);
    }

    /** Ends a wait that has read an earlier number of rings, also one that has not begun. */
    void ring() {
        machine.add(doors, rings, 1);
    }

    /** Rings if a thread waits. */
    void ringIfAwaited() {
        if (machine.load(doors, waiters) > 0) {
            ring();
        }
    }

    /** Lets senders ring. The calling thread must then look for messages, because an earlier sender has not rung. */
    void beginWaiting() {
        machine.add(doors, waiters, 1);
    }

    void endWaiting() {
        machine.add(doors, waiters, -1);
    }

    /** Waits for the ring after so many rings. */
    void await(long before, Waiter.Check check) {
        machine.await(doors, rings, before + 1, check);
    }

    /** Returns the word that grows with each ring, for {@link #isAwaited}. */
    AwaitedWord awaited(long before) {
        return new AwaitedWord(doors, rings, before + 1);
    }

    /** Returns whether a word is the one that grows with each ring. */
    boolean isAwaited(AwaitedWord word) {
        return word.word() == rings && word.memory().equals(doors);
    }
}
