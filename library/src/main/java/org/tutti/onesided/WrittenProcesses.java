/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The set of the processes to which this rank has written since their last fence. A fence waits until all earlier
 * writes to a process are visible there.
 *
 * <p>Each process has a mark. The mark records whether the process was written to since its last fence began, and how
 * many of its fences are under way. A put sets the mark when the fabric has accepted its bytes. A fence clears the
 * mark, and then waits until the fabric reports that all puts so far are visible. A fence that fails sets the mark
 * again.
 *
 * <p><b>Memory ordering.</b> All accesses to a mark are volatile, and so is the fabric's count of the puts that it has
 * accepted. A put raises that count and then looks at the mark. A fence clears the mark and then reads the count.
 * Therefore the fence that clears the mark counts every put that has found the mark set and left it set, and waits for
 * these puts. A fence that finds no mark while another thread's fence is under way asks the fabric, too, because the
 * other fence may have cleared the mark of a put for which it still waits.
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
     * Creates an empty set.
     *
     * @param processes a number greater than that of any process
     */
    WrittenProcesses(int processes) {
        this.marks = new int[processes];
        this.listed = new int[processes];
        this.ranks = new int[processes];
    }

    /**
     * Records that the fabric has accepted a put into a process, so that the next fence waits for the put.
     *
     * @param process the number of the process that was written to
     * @param rank a rank of the communicator in that process, by which messages name the process
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

    /** Returns the number of processes to which this rank has ever written. */
    int count() {
        return count;
    }

    /** Returns a process to which this rank has written, by its index in the order of first writes. */
    int process(int index) {
        return listed[index];
    }

    /** Returns a rank of the communicator in the process with an index, for messages. */
    int rank(int index) {
        return ranks[index];
    }

    /** Returns whether a fence has something to wait for. */
    boolean isAny() {
        for (int i = 0; i < count; i++) {
            if ((mark(listed[i]) & ~LISTED) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Begins a fence. Returns whether there is something to wait for. If there is, {@link #endFence} must follow. */
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

    /** Ends a fence. If the fence has failed, the next fence has to wait for the same puts. */
    void endFence(int process, boolean inVain) {
        int mark = mark(process);
        assert mark >= FENCE : "a fence of process " + process + " ends that has not begun, with mark " + mark;
        while (!MARKS.compareAndSet(marks, process, mark, mark - FENCE | (inVain ? WRITTEN : 0))) {
            mark = mark(process);
        }
    }
}
