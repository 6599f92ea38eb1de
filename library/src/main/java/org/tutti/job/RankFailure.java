/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

/**
 * That a rank has failed, how that is known, and to whom. It travels between nodes, and lies in their memory, as one
 * word:
 *
 * <pre>
 *   bit 0          8               16                   32                        63
 *   +--------------+---------------+--------------------+-------------------------+
 *   | state FAILED | reason        | witness: rank + 1  | milliseconds of silence |
 *   +--------------+---------------+--------------------+-------------------------+
 * </pre>
 *
 * @param rank the rank
 * @param reason how its failure is known
 * @param witness a rank of the process that noticed it, or −1 if the launcher did
 * @param silentMillis for how long nothing was heard of it, where that is the reason; otherwise 0
 */
public record RankFailure(int rank, Reason reason, int witness, long silentMillis) {
    private static final int REASON_SHIFT = 8;
    private static final int WITNESS_SHIFT = 16;
    private static final int SILENT_SHIFT = 32;
    private static final long SILENT_MILLIS_MAX = Integer.MAX_VALUE;
    private static final int WITNESS_MASK = 0xffff;
    private static final int BYTE_MASK = 0xff;

    /** How the failure of a rank is known. */
    public enum Reason {
        /** The rank itself has said so: its program threw, or its process was ended before it left the job. */
        SAID_SO,
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
        /** The launcher has said so: its process or its host is lost. */
        LAUNCHER;

        /** {@return whether it may as well be the network, and the rank be alive} */
        public boolean isOfTheNetwork() {
            return this == SILENT || this == UNREACHABLE;
        }
    }

    static RankFailure saidSo(int rank) {
        return new RankFailure(rank, Reason.SAID_SO, rank, 0);
    }

    static RankFailure byLauncher(int rank) {
        return new RankFailure(rank, Reason.LAUNCHER, -1, 0);
    }

    /** The same for another rank of the process. */
    RankFailure of(int other) {
        return new RankFailure(other, reason, witness, silentMillis);
    }

    /** {@return the word for it} */
    public long word() {
        return NodeLayout.FAILED | (long) reason.ordinal() << REASON_SHIFT | witness + 1L << WITNESS_SHIFT
                | Math.min(silentMillis, SILENT_MILLIS_MAX) << SILENT_SHIFT;
    }

    /**
     * Reads a word, perhaps one that another process has sent.
     *
     * @param rank the rank
     * @param word its word
     * @return what it says; of what makes no sense, that the launcher has said so
     */
    public static RankFailure of(int rank, long word) {
        int reason = (int) (word >>> REASON_SHIFT) & BYTE_MASK;
        Reason[] reasons = Reason.values();
        int witness = ((int) (word >>> WITNESS_SHIFT) & WITNESS_MASK) - 1;
        return new RankFailure(rank, reason < reasons.length ? reasons[reason] : Reason.LAUNCHER,
                Math.min(witness, JobEnvironment.SIZE_MAX - 1), word >>> SILENT_SHIFT);
    }

    /**
     * {@return what to say of it, a clause that follows the rank's name}
     *
     * @param whoNoticed the name of the witness
     */
    public String describe(String whoNoticed) {
        return switch (reason) {
            case SAID_SO -> "failed: it threw, or was ended before it left the job";
            case ENDED -> "failed: its process ended before it left the job";
            case STOOD_STILL -> "counts as failed: its process stood still for " + silentMillis
                    + " ms, as a long garbage collection, a debugger or a busy machine may have it (--standstill, "
                    + JobEnvironment.STANDSTILL_MILLIS + ")";
            case SILENT -> "counts as failed: " + whoNoticed + " has heard nothing of it or of its host for "
                    + silentMillis + " ms; see the network between them";
            case UNREACHABLE -> "counts as failed: " + whoNoticed
                    + " could not connect with it; see the network between them";
            case NONSENSE -> "counts as failed: " + whoNoticed + " got from it what makes no sense; see whether all "
                    + "ranks run the same version";
            case LAUNCHER -> "counts as failed: the launcher has lost its process or its host";
        };
    }
}
