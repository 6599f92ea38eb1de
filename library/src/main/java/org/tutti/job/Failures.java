/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import org.tutti.CollectiveMismatchException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.JobAbortedException;
import org.tutti.RankFailedException;

/** Distinguishes failures that are a first cause from consequences of another rank's failure. */
final class Failures {
    private static final int NOBODY = -1;
    private static final int CAUSES_MAX = 100; // the chain of causes may be a circle

    private Failures() {}

    /**
     * Returns whether a rank threw an exception, or one of its causes, only because of another rank's failure, leaving,
     * abort or broken communicator.
     */
    static boolean isSecondary(Throwable failure) {
        return consequence(failure) != null;
    }

    /** Returns the rank in the job that caused a failure, or −1 if it is unknown or the failure is a first cause. */
    static int culprit(Throwable failure) {
        return switch (consequence(failure)) {
            case RankFailedException failed -> failed.rank();
            case CommunicatorBrokenException broken -> broken.culprit().orElse(NOBODY);
            case null, default -> NOBODY;
        };
    }

    /**
     * Returns whether an exception reports the failure of another job, which the rank itself has run on threads. The
     * ranks of that job are not ranks of this job, so its failure is a first cause here.
     */
    private static boolean isOfInnerJob(Throwable failure) {
        return failure instanceof RankFailedException && failure.getCause() != null;
    }

    private static Throwable consequence(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && !isOfInnerJob(cause) && depth < CAUSES_MAX; depth++) {
            boolean isConsequence = switch (cause) {
                case RankFailedException _ -> true;
                case JobAbortedException _ -> true;
                case CollectiveMismatchException mismatch -> !mismatch.isFirstHand();
                case CommunicatorBrokenException _ -> true;
                default -> false;
            };
            if (isConsequence) {
                return cause;
            }
            cause = cause.getCause();
        }
        return null;
    }
}
