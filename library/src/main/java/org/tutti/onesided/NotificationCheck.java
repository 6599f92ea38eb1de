/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.RankFailedException;
import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.Members;
import org.tutti.memory.Words;

/**
 * Decides whether a rank that waits for notifications must stop waiting. Any rank may notify, so the wait also ends if
 * all other ranks have left the job. Their puts arrive before the news that they have left. Therefore the words that
 * count notifications are read once more before the wait fails. The wait may be at one word, or at any of several.
 */
final class NotificationCheck extends CallCheck {
    private final int self;
    private final int size;
    private MemorySegment region;
    private long dataBytes;
    private int notification;
    private long word;
    private long count;
    private SeenNotifications seen;
    private int[] notifications; // null for one word

    NotificationCheck(Members members, int rank, int size) {
        super(members, rank);
        this.self = rank;
        this.size = size;
    }

    /** Prepares this object for a wait until a word reaches a count. */
    void begin(String name, MemorySegment memory, int which, long offset, long atLeast, long untilNanos) {
        begin(name, ANY, untilNanos);
        region = memory;
        notification = which;
        word = offset;
        count = atLeast;
        notifications = null;
    }

    /** Prepares this object for a wait for one more notification at any of some words. */
    void beginAny(String name, SeenNotifications before, MemorySegment memory, long bytes, int[] which,
            long untilNanos) {
        begin(name, ANY, untilNanos);
        region = memory;
        dataBytes = bytes;
        seen = before;
        notifications = which;
    }

    /** Returns whether the awaited notification has arrived. */
    boolean hasCome() {
        return notifications == null ? Words.load(region, word) >= count
                : seen.isAny(region, dataBytes, notifications);
    }

    /**
     * Takes a notification at any of the words, if one has arrived. Returns the index of the word, or {@link
     * SeenNotifications#NONE}.
     */
    int takeAny() {
        return seen.takeAny(region, dataBytes, notifications);
    }

    @Override
    public RuntimeException failure(int of) {
        RuntimeException failure = super.failure(of);
        if (failure == null && size > 1 && haveAllLeft() && !hasCome()) {
            int other = self == 0 ? 1 : 0;
            return new RankFailedException(members.rankInJob(other), members.describe(self)
                    + " waits for " + awaited() + ", and all other ranks have left the job");
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
    protected String name() {
        int[] any = notifications;
        return super.name() + (any == null ? " (word " + notification + ", count " + count + ")"
                : " (words " + Arrays.toString(any) + ")");
    }

    @Override
    protected String awaited() {
        return notifications == null ? count + " notifications at word " + notification + ", which has "
                + Words.load(region, word)
                : "one more notification at any of the words "
                        + Arrays.toString(notifications);
    }

    @Override
    protected String advice() {
        return "see which rank should have notified it";
    }

    @Override
    protected String afterInterrupt() {
        return "it can wait again";
    }
}
