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
    private Failures() {}

    /** Whether a rank threw something only because of what another rank did. */
    static boolean isSecondary(Throwable failure) {
        return switch (failure) {
            case RankFailedException _,JobAbortedException _ -> true;
            case CollectiveMismatchException mismatch -> !mismatch.isFirstHand();
            case CommunicatorBrokenException _ -> true;
            default -> false;
        };
    }
}
