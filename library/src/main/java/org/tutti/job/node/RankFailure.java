/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import org.tutti.job.launch.JobEnvironment;

/**
 * That a rank has failed, how that is known, and to whom. It travels between nodes, and lies in their memory, as one
 * word:
 *
 * <pre>
 *   bit 0          8               16                   32                        63
 *   +--------------+---------------+--------------------+-------------------------+
 *   | state FAILED | reason        | witness: rank + 1  | detail                  |
 *   +--------------+---------------+--------------------+-------------------------+
 * </pre>
 *
 * @param rank the rank
 * @param reason how its failure is known
 * @param witness a rank of the process that noticed it, or −1 if the launcher did
 * @param detail for how many milliseconds nothing was heard of it, or the exit status, where that is the reason;
 *            otherwise 0
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

    /** How the failure of a rank is known. */
    public enum Reason {
        /** The rank itself has said so: its program threw an exception. */
        THREW,
        /** The rank itself has said so: its program called {@link System#exit} before it left the job. */
        EXITED,
        /** The rank itself has said so: its process was told to end, by a signal, before it left the job. */
        TOLD_TO_END,
        /** Its process has said so: it cannot serve other nodes any more. */
        UNABLE,
        /** Its process has ended before it left the job. */
        ENDED,
        /** Its process says nothing, though its host lives, for as long as one may stand still. */
        STOOD_STILL,
        /** Neither its process nor its host answers: it, or the network to it, is down. */
        SILENT,
        /** No connection with its process could be made. */
        UNREACHABLE,
        /** Its process has sent what makes no sense. */
        NONSENSE,
        /** The launcher has seen its process end, with a status, before it left the job. */
        STATUS,
        /** The launcher has lost its host. */
        LAUNCHER;

        /** {@return whether it may as well be the network, and the rank be alive} */
        public boolean isOfTheNetwork() {
            return this == SILENT || this == UNREACHABLE;
        }
    }

    /** {@return that a rank has said itself that its program threw an exception} */
    public static RankFailure threw(int rank) {
        return saidSo(rank, Reason.THREW);
    }

    /** {@return that a rank has said itself that it has failed, and why} */
    public static RankFailure saidSo(int rank, Reason reason) {
        return new RankFailure(rank, reason, rank, 0);
    }

    /**
     * {@return that the launcher has lost the host of a rank}
     *
     * @param rank the rank
     */
    public static RankFailure hostLost(int rank) {
        return new RankFailure(rank, Reason.LAUNCHER, -1, 0);
    }

    /**
     * {@return that the launcher has seen the process of a rank end}
     *
     * @param rank the rank
     * @param status what the process returned, 128 + n after signal n
     */
    public static RankFailure ended(int rank, int status) {
        return new RankFailure(rank, Reason.STATUS, -1, status);
    }

    /** The same for another rank of the process. */
    public RankFailure of(int other) {
        return new RankFailure(other, reason, witness, detail);
    }

    /** {@return the word for it} */
    public long word() {
        return NodeLayout.FAILED | (long) reason.ordinal() << REASON_SHIFT | witness + 1L << WITNESS_SHIFT
                | Math.min(detail, DETAIL_MAX) << DETAIL_SHIFT;
    }

    /**
     * Reads a word, perhaps one that another process has sent.
     *
     * @param rank the rank
     * @param word its word
     * @return what it says; of what makes no sense, that its host is lost
     */
    public static RankFailure of(int rank, long word) {
        int reason = (int) (word >>> REASON_SHIFT) & BYTE_MASK;
        Reason[] reasons = Reason.values();
        int witness = ((int) (word >>> WITNESS_SHIFT) & WITNESS_MASK) - 1;
        return new RankFailure(rank, reason < reasons.length ? reasons[reason] : Reason.LAUNCHER,
                Math.min(witness, JobEnvironment.SIZE_MAX - 1), word >>> DETAIL_SHIFT);
    }

    /**
     * {@return what to say of it, a clause that follows the rank's name}
     *
     * @param whoNoticed the name of the witness
     */
    public String describe(String whoNoticed) {
        return switch (reason) {
            case THREW -> "failed: it threw an exception";
            case EXITED -> "failed: it called System.exit before it left the job";
            case TOLD_TO_END -> "failed: its process was told to end, by a signal, before it left the job";
            case UNABLE -> "failed: its process cannot serve other nodes any more; see its log";
            case ENDED -> "failed: its process ended before it left the job";
            case STOOD_STILL -> "counts as failed: its process stood still for " + detail
                    + " ms, as a long garbage collection, a debugger or a busy machine may have it (--standstill, "
                    + JobEnvironment.STANDSTILL_MILLIS + ")";
            case SILENT -> "counts as failed: " + whoNoticed + " has heard nothing of it or of its host for "
                    + detail + " ms; see the network between them";
            case UNREACHABLE -> "counts as failed: " + whoNoticed
                    + " could not connect with it; see the network between them";
            case NONSENSE -> "counts as failed: " + whoNoticed + " got from it what makes no sense; see whether all "
                    + "ranks run the same version";
            case STATUS -> detail > SIGNAL_BASE && detail <= SIGNAL_BASE + SIGNAL_MAX
                    ? "failed: its process was killed by signal " + (detail - SIGNAL_BASE)
                    : "failed: its process ended with status " + detail + " before it left the job";
            case LAUNCHER -> "counts as failed: the launcher has lost its host";
        };
    }
}
