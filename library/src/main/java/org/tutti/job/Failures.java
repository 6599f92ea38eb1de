/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import org.tutti.CollectiveMismatchException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.JobAbortedException;
import org.tutti.RankFailedException;

/**
 * Tells causes from consequences.
 */
final class Failures {
    private static final int NOBODY = -1;
    private static final int CAUSES_MAX = 100; // they may go round in a circle

    private Failures() {}

    /** Whether a rank threw something only because of what another rank did, or something that this has caused. */
    static boolean isSecondary(Throwable failure) {
        return consequence(failure) != null;
    }

    /** The rank in the job because of which a rank threw something, or −1 if that is unknown, or it has the cause. */
    static int culprit(Throwable failure) {
        return switch (consequence(failure)) {
            case RankFailedException failed -> failed.rank();
            case CommunicatorBrokenException broken -> broken.culprit().orElse(NOBODY);
            case null, default -> NOBODY;
        };
    }

    /** What a job of threads inside this process ended with: its ranks and their failures are no others. */
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
