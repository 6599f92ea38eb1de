/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which other processes have something of this rank's that no fence has waited for, put there by any of its threads.
 *
 * <p>Each process has a mark: whether it was written to since the last fence of it has begun, and how many fences of it
 * are under way. A put sets the mark when its bytes have been handed to the fabric. A fence takes the mark away and
 * then asks the fabric for everything that was put so far; a fence that fails sets it again.
 *
 * <p><b>Memory ordering.</b> All accesses to a mark are volatile, and so is the fabric's count of what it was handed. A
 * put raises that count and then looks at the mark; a fence takes the mark away and then reads the count. So a put that
 * finds the mark set, and leaves it, is counted by the fence that takes it away: the fence waits for the put. A fence
 * that finds no mark while another thread's fence is under way asks for itself, because the other one may have taken
 * away the mark of a put that it is still waiting for.
 */
final class WrittenProcesses {
    private static final VarHandle MARKS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int WRITTEN = 1;
    private static final int LISTED = 2;
    private static final int FENCE = 4; // one fence under way; more of them add up

    private final int[] marks;
    private final int[] listed;
    private final int[] ranks;
    private volatile int count;

    /**
     * @param processes greater than the number of any process
     */
    WrittenProcesses(int processes) {
        this.marks = new int[processes];
        this.listed = new int[processes];
        this.ranks = new int[processes];
    }

    /**
     * Something was put into a process; the fabric has it.
     *
     * @param process the process
     * @param rank a rank of the communicator that is in it, for messages
     */
    void note(int process, int rank) {
        if ((mark(process) & WRITTEN) == 0) {
            list(process, rank);
            MARKS.getAndBitwiseOr(marks, process, WRITTEN);
        }
    }

    private int mark(int process) {
        return (int) MARKS.getVolatile(marks, process);
    }

    private synchronized void list(int process, int rank) {
        if ((mark(process) & LISTED) == 0) {
            assert count < listed.length : "process " + process + " is listed after " + count + " others";
            listed[count] = process;
            ranks[count] = rank;
            count = count + 1; // the volatile store shows others what is in the list
            MARKS.getAndBitwiseOr(marks, process, LISTED);
        }
    }

    /** How many processes have ever been written to. */
    int count() {
        return count;
    }

    /** One of those. */
    int process(int index) {
        return listed[index];
    }

    /** A rank of the communicator in that process, for messages. */
    int rank(int index) {
        return ranks[index];
    }

    /** Whether a fence has something to wait for. */
    boolean isAny() {
        for (int i = 0; i < count; i++) {
            if ((mark(listed[i]) & ~LISTED) != 0) {
                return true;
            }
        }
        return false;
    }

    /** A fence begins; returns whether it has something to wait for, and {@link #endFence} is to follow. */
    boolean beginFence(int process) {
        int mark = mark(process);
        while ((mark & ~LISTED) != 0) {
            if (MARKS.compareAndSet(marks, process, mark, (mark & ~WRITTEN) + FENCE)) {
                return true;
            }
            mark = mark(process);
        }
        return false;
    }

    /** A fence has ended; if it was in vain, the next one has to wait for the same. */
    void endFence(int process, boolean inVain) {
        int mark = mark(process);
        assert mark >= FENCE : "a fence of process " + process + " ends that has not begun, with mark " + mark;
        while (!MARKS.compareAndSet(marks, process, mark, mark - FENCE | (inVain ? WRITTEN : 0))) {
            mark = mark(process);
        }
    }
}
