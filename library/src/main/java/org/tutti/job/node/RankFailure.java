/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import org.tutti.job.launch.JobEnvironment;

/**
 * The failure of a rank, with the evidence of the failure and the rank that noticed it. Processes store a failure in
 * their node's memory, and send it to other nodes, as one word:
 *
 * <pre>
 *   bit 0          8               16                   32                        63
 *   +--------------+---------------+--------------------+-------------------------+
 *   | state FAILED | reason        | witness: rank + 1  | detail                  |
 *   +--------------+---------------+--------------------+-------------------------+
 * </pre>
 *
 * @param rank the rank that has failed
 * @param reason the evidence of the failure
 * @param witness a rank of the process that noticed the failure, or −1 if the launcher did
 * @param detail the milliseconds of silence or standstill, or the exit status, depending on the reason; otherwise 0
 */
public record RankFailure(int rank, Reason reason, int witness, long detail) {
    private static final int REASON_SHIFT = 8;
    private static final int WITNESS_SHIFT = 16;
    private static final int DETAIL_SHIFT = 32;
    private static final long DETAIL_MAX = Integer.MAX_VALUE;
    private static final int WITNESS_MASK = 0xffff;
    private static final int BYTE_MASK = 0xff;
    private static final int SIGNAL_BASE = 128;
    private static final int SIGNAL_MAX = 64;

    /** The evidence of a failure. */
    public enum Reason {
        /** The rank itself has said so: its program threw an exception. */
        THREW,
        /** The rank itself has said so: its program called {@link System#exit} before it left the job. */
        EXITED,
        /** The rank itself has said so: its process was told to end, by a signal, before it left the job. */
        TOLD_TO_END,
        /** The rank's process has said so: it cannot serve other nodes any more. */
        UNABLE,
        /** The rank's process has ended before it left the job. */
        ENDED,
        /** The rank's process has been silent for as long as a process may stand still, although its host answers. */
        STOOD_STILL,
        /** Neither the rank's process nor its host answers: the host, or the network to it, is down. */
        SILENT,
        /** No connection to the rank's process could be made. */
        UNREACHABLE,
        /** The rank's process has sent a malformed message. */
        NONSENSE,
        /** The launcher has seen the rank's process end, with a status, before it left the job. */
        STATUS,
        /** The launcher has lost the rank's host. */
        LAUNCHER;

        /** {@return whether the network may be the cause, in which case the rank may be alive} */
        public boolean isOfTheNetwork() {
            return this == SILENT || this == UNREACHABLE;
        }
    }

    /** {@return a failure that the rank itself has reported, because its program threw an exception} */
    public static RankFailure threw(int rank) {
        return saidSo(rank, Reason.THREW);
    }

    /** {@return a failure that the rank itself has reported, with a reason} */
    public static RankFailure saidSo(int rank, Reason reason) {
        return new RankFailure(rank, reason, rank, 0);
    }

    /**
     * {@return the failure of a rank, because the launcher has lost the rank's host}
     *
     * @param rank the rank that has failed
     */
    public static RankFailure hostLost(int rank) {
        return new RankFailure(rank, Reason.LAUNCHER, -1, 0);
    }

    /**
     * {@return the failure of a rank, because the launcher has seen the rank's process end}
     *
     * @param rank the rank that has failed
     * @param status the exit status of the process, 128 + n after signal n
     */
    public static RankFailure ended(int rank, int status) {
        return new RankFailure(rank, Reason.STATUS, -1, status);
    }

    /** Returns the same failure for another rank of the same process. */
    public RankFailure of(int other) {
        return new RankFailure(other, reason, witness, detail);
    }

    /** {@return the failure as a word} */
    public long word() {
        return NodeLayout.FAILED | (long) reason.ordinal() << REASON_SHIFT | witness + 1L << WITNESS_SHIFT
                | Math.min(detail, DETAIL_MAX) << DETAIL_SHIFT;
    }

    /**
     * Returns the failure that a word describes. Another process may have sent the word, so every value is accepted.
     *
     * @param rank the rank that has failed
     * @param word the failure as a word, as {@link #word} returns it
     * @return the failure; an unknown reason is read as {@link Reason#LAUNCHER}
     */
    public static RankFailure of(int rank, long word) {
        int reason = (int) (word >>> REASON_SHIFT) & BYTE_MASK;
        Reason[] reasons = Reason.values();
        int witness = ((int) (word >>> WITNESS_SHIFT) & WITNESS_MASK) - 1;
        return new RankFailure(rank, reason < reasons.length ? reasons[reason] : Reason.LAUNCHER,
                Math.min(witness, JobEnvironment.SIZE_MAX - 1), word >>> DETAIL_SHIFT);
    }

    /**
     * {@return a clause for messages that tells how the rank has failed, and follows the rank's name}
     *
     * @param witness the name of the rank or launcher that noticed the failure
     */
    public String describe(String witness) {
        return switch (reason) {
            case THREW -> "failed: it threw an exception";
            case EXITED -> "failed: it called System.exit before it left the job";
            case TOLD_TO_END -> "failed: its process was told to end, by a signal, before it left the job";
            case UNABLE -> "failed: its process cannot serve other nodes any more; see its log";
            case ENDED -> "failed: its process ended before it left the job";
            case STOOD_STILL -> "counts as failed: its process stood still for " + detail
                    + " ms, as a long garbage collection, a debugger or a busy machine may have it (--standstill, "
                    + JobEnvironment.STANDSTILL_MILLIS + ")";
            case SILENT -> "counts as failed: " + witness + " has heard nothing of it or of its host for "
                    + detail + " ms; see the network between them";
            case UNREACHABLE -> "counts as failed: " + witness
                    + " could not connect with it; see the network between them";
            case NONSENSE -> "counts as failed: " + witness + " got from it what makes no sense; see whether all "
                    + "ranks run the same version";
            case STATUS -> detail > SIGNAL_BASE && detail <= SIGNAL_BASE + SIGNAL_MAX
                    ? "failed: its process was killed by signal " + (detail - SIGNAL_BASE)
                    : "failed: its process ended with status " + detail + " before it left the job";
            case LAUNCHER -> "counts as failed: the launcher has lost its host";
        };
    }
}
