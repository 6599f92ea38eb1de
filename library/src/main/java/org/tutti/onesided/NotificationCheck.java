/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.RankFailedException;
import org.tutti.collective.Members;
import org.tutti.memory.Words;

/**
 * Looks for reasons to end the wait for a notification, which any rank may give: also that all others have left. What
 * they had put is there before it is known that they have left, so the word is looked at once more then.
 */
final class NotificationCheck extends CallCheck {
    private final int self;
    private final int size;
    private MemorySegment region;
    private long word;
    private long count;

    NotificationCheck(Members members, int rank, int size) {
        super(members, rank);
        this.self = rank;
        this.size = size;
    }

    /** A wait begins for a word to reach a count. */
    void begin(MemorySegment memory, long offset, long atLeast, long untilNanos) {
        begin("awaitNotifications", ANY, untilNanos);
        region = memory;
        word = offset;
        count = atLeast;
    }

    @Override
    RuntimeException failure(int of) {
        RuntimeException failure = super.failure(of);
        if (failure == null && size > 1 && haveAllLeft() && Words.load(region, word) < count) {
            int other = self == 0 ? 1 : 0;
            return new RankFailedException(members.rankInJob(other), members.describe(self)
                    + " waits for a notification, and all other ranks have left the job");
        }
        return failure;
    }

    private boolean haveAllLeft() {
        for (int each = 0; each < size; each++) {
            if (each != self && !members.hasLeft(each)) {
                return false;
            }
        }
        return true;
    }

    @Override
    String afterInterrupt() {
        return "it can wait again";
    }
}
