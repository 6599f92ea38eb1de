/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.tutti.CallInterruptedException;
import org.tutti.CollectiveMismatchException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.DeadlineExceededException;
import org.tutti.JobAbortedException;
import org.tutti.NodeMemoryException;
import org.tutti.RankFailedException;
import org.tutti.TuttiException;
import org.tutti.memory.CallSite;

/**
 * Encodes and decodes the broken word of a communicator. The word records why the communicator is broken. Its highest
 * byte holds the reason. The next three bytes name the culprit, the rank that failed or left. They hold its rank in the
 * job plus one, or 0 if there is no culprit. The low half holds the rank of the communicator that found the reason.
 */
public final class Breakage {
    private static final int REASON_SHIFT = 56;
    private static final int CULPRIT_MASK = 0xffffff;

    /** The reasons. The broken word holds the ordinal, so the order of the constants is part of the layout. */
    private enum Reason {
        NONE, MISMATCH, DEADLINE, INTERRUPT, RANK_FAILED, RANK_LEFT, ABORTED, NO_MEMORY, OTHER
    }

    private Breakage() {}

    /**
     * Returns the broken word that a rank sets when an {@link Error} breaks the communicator. A rank computes this word
     * in advance, because after an {@code Error} it may be unable to allocate memory.
     */
    public static long wordOfError(int rank) {
        return word(Reason.OTHER, 0, rank);
    }

    /** Returns the broken word that a rank sets when an exception of an operation breaks the communicator. */
    public static long word(Throwable failure, int rank, Members members) {
        Reason reason = switch (failure) {
            case CollectiveMismatchException _ -> Reason.MISMATCH;
            case DeadlineExceededException _ -> Reason.DEADLINE;
            case CallInterruptedException _ -> Reason.INTERRUPT;
            case RankFailedException failed -> hasLeft(failed.rank(), rank, members) ? Reason.RANK_LEFT
                    : Reason.RANK_FAILED;
            case JobAbortedException _ -> Reason.ABORTED;
            case NodeMemoryException _ -> Reason.NO_MEMORY;
            default -> Reason.OTHER;
        };
        int culprit = failure instanceof RankFailedException failed ? failed.rank() + 1 : 0;
        return word(reason, culprit, rank);
    }

    /**
     * Returns whether a culprit has left the job, rather than failed. If the culprit is the rank itself, the rank has
     * closed its job in the middle of a call, and {@code members} may not know this yet.
     */
    private static boolean hasLeft(int culprit, int rank, Members members) {
        return culprit == members.rankInJob(rank) || members.hasLeftJob(culprit);
    }

    private static long word(Reason reason, int culprit, int rank) {
        return (long) reason.ordinal() << REASON_SHIFT | (long) culprit << Integer.SIZE | rank;
    }

    /**
     * Returns whether a word is a valid broken word, which says why a communicator is broken. The check is needed
     * because another process may write any value.
     *
     * @param word the word to check
     * @param ranksOfJob the number of ranks in the job
     * @param ranks the number of ranks in the communicator
     * @return true if the word holds an existing reason and existing ranks
     */
    public static boolean isWord(long word, int ranksOfJob, int ranks) {
        long reason = word >>> REASON_SHIFT;
        long culprit = word >>> Integer.SIZE & CULPRIT_MASK;
        int witness = (int) word;
        return reason > Reason.NONE.ordinal() && reason <= Reason.OTHER.ordinal() && culprit <= ranksOfJob
                && (culprit > 0 || reason != Reason.RANK_FAILED.ordinal() && reason != Reason.RANK_LEFT.ordinal())
                && witness >= 0 && witness < ranks;
    }

    /** Returns the exception that a rank throws when it finds the broken word set. */
    public static TuttiException exception(long broken, Members members, String cannotGoOn) {
        String witness = members.describe((int) broken);
        int breaker = members.rankInJob((int) broken);
        int culprit = (int) (broken >>> Integer.SIZE & CULPRIT_MASK) - 1;
        return switch (Reason.values()[(int) (broken >>> REASON_SHIFT)]) {
            case MISMATCH -> new CollectiveMismatchException(cannotGoOn + witness
                    + " found that ranks called different collectives, or disagree on an argument; see its message"
                    + ownCall(), false);
            case DEADLINE -> new CommunicatorBrokenException(breaker, cannotGoOn + witness + " passed its deadline");
            case INTERRUPT ->
                new CommunicatorBrokenException(breaker, cannotGoOn + witness + " was interrupted in a call");
            case RANK_FAILED -> new RankFailedException(culprit, cannotGoOn + witness + " waited for "
                    + members.describeInJob(culprit) + ", which had failed");
            case RANK_LEFT -> new RankFailedException(culprit, cannotGoOn + witness + " waited for "
                    + members.describeInJob(culprit) + ", which had left the job");
            case ABORTED -> new CommunicatorBrokenException(cannotGoOn + "the job was aborted");
            case NO_MEMORY -> new CommunicatorBrokenException(breaker, cannotGoOn + witness
                    + " found too little shared memory; see its message");
            case NONE, OTHER -> new CommunicatorBrokenException(breaker, cannotGoOn + witness
                    + " ended a call with an exception; see its message");
        };
    }

    private static String ownCall() {
        String site = CallSite.here();
        return site.isEmpty() ? "" : ", and what is called here," + site;
    }
}
